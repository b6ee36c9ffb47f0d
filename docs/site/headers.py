"""Pages of the C++ reference: the declarations and /// comments of the public headers, as Markdown."""

import re
from pathlib import Path


def _statement(lines, start):
    """The declaration that begins at lines[start], without its body: its text, its ///< comment, the number of the next line, and whether
    what follows is the inside of a namespace or a class."""
    text, comment = "", ""
    for number in range(start, len(lines)):
        code, _, said = lines[number].partition("///<")
        comment = f"{comment} {said.strip()}".strip()
        text = f"{text}\n{re.sub(r'(?<!:)//.*', '', code).rstrip()}"
        outside = re.sub(r"\([^()]*\)", "", re.sub(r"\([^()]*\)", "", text))
        opened = re.search(r"\{", outside)
        if opened and re.match(r"\s*(?:template\s*<[^{]*>\s*)?(?:inline )?(?:namespace|class|struct|extern)\b[^;={]*\{", outside):
            if outside.count("{") > outside.count("}"):
                return text.strip().rstrip("{").strip(), comment, number + 1, True
        if outside.count("{") == outside.count("}") and re.search(r"[;}]\s*$", outside):
            body = text.index("{") if opened and "enum" not in text.split("{")[0] else len(text)
            declaration = re.sub(r"\)\s*:\s[^;]*$", ")", text[:body].rstrip(), flags=re.DOTALL)
            return declaration.strip().rstrip(";").rstrip() + ";", comment, number + 1, False
    return text.strip(), comment, len(lines), False


def _documented(text):
    """(depth, kind of heading or None, declaration, comment) of each public declaration in a header."""
    lines = [line for line in text.split("\n") if not re.match(r"\s*#", line)]
    number, scopes, said = 0, [], []
    while number < len(lines):
        line = lines[number].strip()
        if line.startswith("///") and not line.startswith("///<"):
            said.append(line[3:].strip())
            number += 1
        elif re.match(r"(public|protected|private):", line):
            scopes[-1] = (scopes[-1][0], line.startswith("public"))
            number, said = number + 1, []
        elif line.startswith("}"):
            scopes and scopes.pop()
            number, said = number + 1, []
        elif not line or line.startswith("//"):
            number, said = number + 1, []
        else:
            declaration, trailing, number, opens = _statement(lines, number)
            comment = " ".join(filter(None, [*said, trailing]))
            visible = all(public for _, public in scopes)
            if opens and not declaration.startswith("namespace") and visible:
                yield len(scopes), "class", declaration, comment
            elif comment and visible and not opens:
                yield len(scopes), None, declaration, comment
            if opens:
                name = re.match(r"(?:template.*\n)?\s*(\w+)", declaration)[1]
                scopes.append((declaration, visible and name != "class"))
            said = []


def _sentence(comment):
    """The text with a capital letter, if it begins with a word and not with a name."""
    return comment[0].upper() + comment[1:] if re.match(r"[a-z]+[\s,;]", comment) else comment


def _escaped(comment):
    parts = re.split(r"(`[^`]*`)", comment)
    return "".join(part if index % 2 else re.sub(r"([*<\[\]_])", r"\\\1", part) for index, part in enumerate(parts))


def page(title, introduction, include, headers):
    """A page of these headers, each with its classes and functions; `include` is the include folder."""
    out = [f"# {title}", "", introduction, ""]
    for header in headers:
        entries = list(_documented(Path(header).read_text()))
        kept = [entry for index, entry in enumerate(entries) if entry[3] or any(
            later[0] > entry[0] for later in entries[index + 1:index + 2])]
        if not kept:
            continue
        out += [f"## {Path(header).relative_to(include).as_posix()}", ""]
        for _, kind, declaration, comment in kept:
            if kind:
                name = re.search(r"^(?:template\s*<.*?>\s*)?(?:class|struct) ([\w<>:]+)", declaration, flags=re.DOTALL)[1]
                out += [f"### {_escaped(name)}", ""]
            out += ["```cpp", declaration, "```", ""] + ([_escaped(_sentence(comment)), ""] if comment else [])
    return "\n".join(out)
