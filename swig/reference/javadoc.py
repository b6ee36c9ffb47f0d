"""Complete Javadoc: javadoc.py OUT FILE... writes copies of the sources, and a list of them, in which every public member has its parts.

Comments of the generated classes are replaced by the reference's texts. A parameter, a result or a comment that nothing describes is an
error. A FILE that begins with @ lists files.
"""

import re
import sys
from pathlib import Path

import reference

sys.path.append(str(Path(__file__).resolve().parents[2] / "java"))
from segments import listed
from topics import TOPICS

DECLARATION = re.compile(
    r"(?P<comment>^[ ]*/\*\*(?:(?!\*/).)*\*/\n)?(?P<annotations>(?:^[ ]*@\w+(?:\([^\n]*\))?(?:[ ]*//[^\n]*)?\n)*)"
    r"(?P<head>^(?P<indent>[ ]*)(?:@\w+(?:\([^()\n]*\))?[ ])*(?P<modifiers>(?:(?:public|protected|private|static|final|abstract|synchronized|default|sealed|native)\s+)*)(?:@Nullable\s+)?"
    r"(?:(?P<kind>class|record|interface|enum)\s+(?P<declared>\w+)(?P<type_generic><[^>]*>)?(?:\((?P<components>[^)]*)\))?|(?P<compact>[A-Z]\w*)(?=[ ]\{)"
    r"|(?P<generic><(?:[^<>()]|<[^<>]*>)+>\s+)?(?P<type>[A-Za-z_][\w.]*(?:<(?:[^<>()]|<[^<>]*>)*>)?(?:\[\])*\s+)?(?P<name>[A-Za-z_]\w*)\((?P<parameters>[^)]*)\)))",
    re.MULTILINE | re.DOTALL)
FOREIGN = re.compile(r"std::|shared_ptr|nullptr|\(Python:|numpy\.|Exclusive owner|move-only")  # terms of another language
JAVA_EXCEPTIONS = {"LogicError", "MemoryError", "LaunchError", "RuntimeError", "GraphUpdateError", "CompileError", "Error"}
NO_VERBS = {"The", "A", "An", "Number", "Bytes", "True", "OpenGL", "How", "What", "Size"}
STUB = Path(__file__).resolve().parents[2] / "python/pycuda/driver.pyi"
CONSTANTS = set(re.findall(r"^class (\w+)\(_(?:Constant|Flag)\)", STUB.read_text(), flags=re.MULTILINE))
PYTHON_WORDS = re.compile(r"numpy|asyncio|await|context manager|int\(|sys\.|``copy|attributes of|property by|cache\(|NumPy", re.IGNORECASE)


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def camel(match):
    name = re.sub(r"_([a-z0-9])", lambda part: part[1].upper(), match[0])
    return name[0].upper() + name[1:] if match[0] in CONSTANTS else name


def conjugated(verb):
    """Turn an imperative into the third person, as Javadoc has it."""
    return re.sub(r"([^aeiou])y$", r"\1ie", verb) + ("es" if re.search(r"(s|sh|ch|x|o)$", verb) else "s")


def as_sentence(text):
    """A method's summary, which the reference has in the imperative."""
    first, _, rest = text.partition(" ")
    if first in NO_VERBS or not first.isalpha():
        return text
    summary, dot, more = f"{conjugated(first)} {rest}".partition(".")
    return re.sub(r"\b(and|or|,) (push|undo|take|load|wait)\b", lambda match: f"{match[1]} {conjugated(match[2])}", summary) + dot + more


def as_java(text):
    """A text of the reference in Java's terms."""
    paragraphs = [part for number, part in enumerate(text.split("\n\n")) if number == 0 or not PYTHON_WORDS.search(part)]
    text = "\n<p>".join(paragraphs)
    text = re.sub(r"``([^`]+)``|`([^`]+)`", lambda match: "{@code " + re.sub(r"\b[a-z]+(?:_[a-z0-9]+)+\b|\blimit\b", camel, match[1] or match[2]) + "}", text)
    text = re.sub(r"\bNone\b", "null", text)
    return text.replace("LogicError", "{@link org.pycuda.Driver.LogicError}") if "{@code LogicError}" not in text else text


def entry_of(entries, owner, name):
    """The reference's entry for a Java member; for a getter or setter, the text of the field."""
    owner, name = owner.removesuffix("Proxy"), name.removesuffix("Proxy")
    if owner in ("Driver", "DriverOverloads", "Textures", *TOPICS):
        return entries.get(snake(name)) or entries.get(f"get_{snake(name)}"), ""
    for key in (f"{owner}.{snake(name)}", f"{owner}.get_{snake(name)}", f"{owner}.{snake(name).removeprefix('get_')}", f"_{owner}.{snake(name)}",
                f"_{owner}.get_{snake(name)}"):
        if key in entries and entries[key].text:
            return entries[key], ""
    for key in (owner, f"_{owner}"):
        if key in entries and (field := entries[key].attributes.get(re.sub(r"^[gs]et_", "", snake(name)))):
            return None, field
    return (entries.get(owner) if name == owner else None), ""


def first_sentence(comment):
    text = re.sub(r"\s+", " ", re.sub(r"^\s*\*? ?", "", comment, flags=re.MULTILINE)).strip()
    return re.split(r"(?<=[^.])\.(?= |$)|\s<p>", text)[0].strip()


class Completion:
    def __init__(self, entries, described, common, examples):
        self.entries, self.described, self.common, self.examples, self.missing = entries, described, common, examples, []

    def example(self, name):
        """Return the lines of an example, which the first of several overloads has, or of a link to the class that has it."""
        code = self.examples.pop(name, "")
        return [code] if code.startswith("@") else ["<pre>{@code", *code.split("\n"), "}</pre>"] if code else []

    def parameter(self, owner, method, name, entry, generated):
        known = entry and (entry.parameters.get(snake(name)) or entry.parameters.get(name))
        said = self.described.get(f"{owner}.{method}.{name}") or self.described.get(f"{method}.{name}") or self.described.get(name)
        common = self.common.get(snake(name))
        text = known or common or said if generated else said or known or common
        if not text:
            self.missing.append(f"{owner}.{method}: parameter {name}")
        return as_java(text or "")

    def result(self, owner, match, said, entry):
        known = (entry and entry.returns and as_java(entry.returns)) or self.described.get(f"{owner}.{match['name']}")
        if known:
            return known
        sentence = first_sentence(said)
        if re.search(r"\{@code out\},? (?:and returns it|which is returned)", sentence):
            return "{@code out}"
        if match["type"].strip() == owner and not re.match(r"(The|A|An|Its|This)\b", sentence):
            return "this object"
        return sentence[:1].lower() + sentence[1:] if not re.match(r"[A-Z]{2}|\{|[A-Z]\w*[A-Z]", sentence) else sentence

    def comment(self, owner, match, generated, components=""):
        """Return the whole comment of a declaration."""
        name = match["name"] or match["declared"] or match["compact"]
        said = re.sub(r"^\s*/\*\*\s*|\s*\*/\s*$", "", match["comment"] or "")
        entry, field = entry_of(self.entries, owner, name)
        if entry and entry.text and (generated or not said):
            text = as_sentence(entry.text) if name != owner else entry.text if match["kind"] else "Creates the object."
            said = as_java(text) + (f"\n<p>Driver call: {entry.calls}." if entry.calls and not match["kind"] else "")
        elif field and (generated or not said):
            said = as_java(field)
        elif not said and name == owner:
            said = "Creates the object."
        said = self.described.get(f"{owner}.{name}()", said)
        if not said or FOREIGN.search(said):
            self.missing.append(f"{owner}.{name}: {said or 'no comment'}")
        tags = []
        for generic in re.findall(r"\b[A-Z]\b(?=\s*(?:,|$|>|extends))", match["generic"] or match["type_generic"] or ""):
            if f"@param <{generic}>" not in said:
                tags.append(f"@param <{generic}> {self.described[f'<{generic}>']}")
        for parameter in filter(None, re.split(r",(?![^<]*>)", match["parameters"] or match["components"] or components)):
            parameter = parameter.split()[-1].removesuffix("[]")
            if not re.search(rf"@param\s+{parameter}\b", said):
                tags.append(f"@param {parameter} {self.parameter(owner, name, parameter, entry, generated)}")
        if match["type"] and match["type"].strip() != "void" and not re.search(r"@return\b", said):
            tags.append(f"@return {self.result(owner, match, said, entry)}")
        for error, when in entry.raises if entry and generated and not match["kind"] else ():
            if error in JAVA_EXCEPTIONS:
                tags.append(f"@throws org.pycuda.Driver.{error} {as_java(when)}")
        before, at, after = re.sub(r"^\s*\* ?", "", said, flags=re.MULTILINE).partition("\n@")
        example = self.example(name if match["kind"] else f"{re.sub('(Proxy|Overloads)$', '', owner)}.{name}")
        lines = [*before.split("\n"), *example, *tags, *(at + after).strip("\n").split("\n")]
        pad = match["indent"]
        return f"{pad}/**\n" + "".join(f"{pad} * {line}".rstrip() + "\n" for line in lines if line.strip()) + f"{pad} */\n"


def owner_at(owners, depth):
    """Return the type that a member at this depth belongs to."""
    return owners[max((level for level in owners if level < depth), default=0)][0] if owners else ""


def is_shown(match, owners, interface):
    """Whether the reference shows a declaration: public, in public types, and not one that inherits its comment."""
    depth = len(match["indent"])
    modifiers = match["modifiers"].split()
    public = {"public", "protected"} & set(modifiers) or interface and depth == 4 and "private" not in modifiers and (match["comment"] or match["kind"])
    if match["kind"] and depth == 0:  # public classes inherit from abstract ones
        public = public or "abstract" in modifiers
    inside = [shown for level, (_, shown) in owners.items() if level < depth]
    word = (match["type"] or "").strip()
    is_statement = not match["compact"] and word in ("return", "new", "else", "throw", "super", "this") or not word and match["name"] and match["name"] != owner_at(owners, depth)
    return bool(public) and all(inside) and not is_statement and "@Override" not in match["annotations"]


def complete(text, stem, completion, generated):
    """Return the source with complete comments."""
    interface = bool(re.search(rf"\binterface {stem}\b", text))
    parts, end, owners, components = [], 0, {}, ""
    for match in DECLARATION.finditer(text):
        depth = len(match["indent"])
        shown = is_shown(match, owners, interface)
        if match["kind"]:
            owners = {level: owner for level, owner in owners.items() if level < depth} | {depth: (match["declared"], shown)}
            components = match["components"] or ""
        of_class = match["kind"] and match["kind"] != "record"
        has_more = of_class and (generated and match["declared"].removesuffix("Proxy") in completion.entries or match["declared"] in completion.examples)
        if not shown or of_class and match["comment"] and not has_more:
            continue
        if match["kind"] and match["kind"] != "record" and "public" not in match["modifiers"]:
            continue
        if match["kind"] and match["declared"].endswith("Proxy") and not match["comment"]:
            made = f"{match['indent']}/** The generated part of {{@link {match['declared'].removesuffix('Proxy')}}}. */\n"
        else:
            made = completion.comment(owners[depth][0] if match["kind"] else owner_at(owners, depth), match, generated,
                                      components if match["compact"] else "")
        parts += [text[end:match.start()], made, match["annotations"], match["head"]]
        end = match.end()
    return "".join(parts) + text[end:]


def hidden(text, stem):
    """Return the source without `public` of a generated base class: Javadoc then shows its methods in the class that users know."""
    return text.replace(f"public abstract class {stem} ", f"abstract class {stem} ") if stem.endswith("Proxy") else text


def main():
    out = Path(sys.argv[1])
    files = list(listed(sys.argv[2:]))
    described = reference.descriptions("java_parameters.txt")
    completion = Completion(reference.read()[1], described, reference.descriptions("parameters.txt"), reference.java_examples())
    for file in files:
        generated = "proxies" in file.parts or any(part.endswith("_proxies") for part in file.parts)
        target = out / Path(*file.parts[len(file.parts) - file.parts[::-1].index("org") - 1:]) if "org" in file.parts else out / file.name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(hidden(complete(file.read_text(), file.stem, completion, generated), file.stem))
    (out / "sources").write_text("\n".join(str(path) for path in sorted(out.rglob("*.java"))))
    if completion.missing:
        raise SystemExit("nothing describes " + "\n".join(completion.missing))
    if completion.examples:
        raise SystemExit("no such members, which have examples: " + ", ".join(completion.examples))


if __name__ == "__main__":
    main()
