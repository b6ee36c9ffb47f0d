#!/usr/bin/env python3
"""Joins the lines that FORMS_RECORD writes, one for each form: join_forms.py < recorded > forms.txt

Forms whose names differ in one modifier become one line, "add{|.rn}.f32", if they give the same results. If not, the line has
the results of each, as long as it remains short.
"""
import dataclasses
import itertools
import os.path
import re
import sys

WIDTH = 170


@dataclasses.dataclass
class Line:
    place: int  # of its first form
    signature: str
    text: list  # of words
    results: list  # of each form, or one for all

    def __str__(self):
        return f"{self.signature} : {''.join(self.text)} @{' @'.join(self.results)}"

    def has_common_results(self):
        return any(map(is_choice, self.text)) and len(self.results) == 1


def words(text):
    """Modifiers with their dots, other words, and what stands between them."""
    return re.findall(r"\.?[\w:]+|.", text)


def is_choice(word):
    return word.startswith("{") and word != "{"


def choices(part):
    return part[0][1:-1].split("|") if part and is_choice(part[0]) else part or [""]


def joined(one, other):
    """The words of two texts that differ in one modifier; None of others."""
    start = len(os.path.commonprefix([one, other]))
    end = len(os.path.commonprefix([one[start:][::-1], other[start:][::-1]]))
    parts = [text[start:len(text) - end] for text in (one, other)]
    if any(len(part) > 1 or not all(is_choice(word) or word.startswith(".") for word in part) for part in parts):
        return None
    both = choices(parts[0]) + choices(parts[1])
    return None if len(set(both)) < len(both) else [*one[:start], "{" + "|".join(both) + "}", *one[len(one) - end:]]


def join(lines):
    """Lines with the same results."""
    found = []
    for line in lines:
        while partner := next((other for other in found if joined(other.text, line.text)), None):
            found.remove(partner)
            line = dataclasses.replace(partner, text=joined(partner.text, line.text))
        found.append(line)
    return found


def add(lines, new):
    """Adds a line, or its results to one of the last lines."""
    for n, line in list(enumerate(lines))[-40:]:
        both = joined(line.text, new.text)
        if both and not line.has_common_results() and not new.has_common_results():
            together = dataclasses.replace(line, text=both, results=line.results + new.results)
            if len(str(together)) <= WIDTH:
                lines[n] = together
                return
    lines.append(new)


def lines_of(recorded):
    same, found = {}, {}
    for place, line in enumerate(recorded):
        form, _, results = line.partition(" @")
        signature, _, text = form.partition(" : ")
        same.setdefault((signature, results), []).append(Line(place, signature, words(text), [results]))
    for line in sorted(itertools.chain.from_iterable(map(join, same.values())), key=lambda line: line.place):
        add(found.setdefault((line.signature, line.text[0]), []), line)
    return sorted(itertools.chain.from_iterable(found.values()), key=lambda line: line.place)


if __name__ == "__main__":
    for is_comment, lines in itertools.groupby(sys.stdin.read().splitlines(), lambda line: line.startswith("#")):
        print(*(lines if is_comment else lines_of(lines)), sep="\n")
