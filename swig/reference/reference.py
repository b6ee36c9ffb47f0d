"""Reads the reference of the driver's names: the .txt files of this folder, one a subject, one "= Topic" a group.

An entry is "== name", or several names that share a text, and below it the summary, further paragraphs, and lines that begin with a tag:

    @name text      a parameter, which parameters.txt describes where the entry does not
    @.name text     an attribute
    @return text    what is returned
    @raise Class text
    @call cuName    the driver's calls
    >>> ...         an example, which runs

An entry without a text is documented where it is defined, and has its place in the topic here.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
SUBJECTS = ("devices", "memory", "copies", "code", "graphs", "textures")


@dataclass
class Entry:
    text: str = ""
    parameters: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    returns: str = ""
    raises: list[tuple[str, str]] = field(default_factory=list)
    calls: str = ""
    example: list[str] = field(default_factory=list)


@dataclass
class Topic:
    title: str
    introduction: str
    names: list[str]


def _entry(lines):
    entry, prose = Entry(), []
    for line in lines:
        tag, _, text = line.partition(" ")
        if entry.example and line or line.startswith(">>>"):
            entry.example.append(line)
        elif not tag.startswith("@"):
            prose.append(line)
        elif tag == "@return":
            entry.returns = text
        elif tag == "@raise":
            entry.raises.append(tuple(text.split(" ", 1)))
        elif tag == "@call":
            entry.calls = text
        elif tag.startswith("@."):
            entry.attributes[tag[2:]] = text
        else:
            entry.parameters[tag[1:]] = text
    entry.text = "\n".join(prose).strip()
    return entry


def read():
    """Return the topics in their order, and the entries by name."""
    topics, entries = [], {}
    for subject in SUBJECTS:
        text = (FOLDER / f"{subject}.txt").read_text()
        for part in re.split(r"^= ", text, flags=re.MULTILINE)[1:]:
            head, *found = re.split(r"^== ", part, flags=re.MULTILINE)
            title, _, introduction = head.partition("\n")
            topics.append(Topic(title, introduction.strip(), []))
            for section in found:
                names, _, body = section.partition("\n")
                entry = _entry(body.split("\n"))
                for name in names.split(", "):
                    if name in entries:
                        raise SystemExit(f"{subject}.txt: two entries for {name}")
                    entries[name] = entry
                    topics[-1].names.append(name)
    return topics, entries


def java_examples():
    """Return the examples for Javadoc by Class and Class.method; "@see Class" stands for the example of another class."""
    found = {}
    for file in ("java_classes.txt", "java_examples.txt"):
        for part in re.split(r"^== ", (FOLDER / file).read_text(), flags=re.MULTILINE)[1:]:
            names, _, code = part.partition("\n")
            found |= dict.fromkeys(names.split(", "), code.strip())
    return found


def descriptions(file):
    """Return the texts of a file of names and texts."""
    lines = (FOLDER / file).read_text().split("\n")
    return dict(re.split(r"\s+", line, maxsplit=1) for line in lines if line and not line.startswith("#"))
