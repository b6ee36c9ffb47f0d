"""Both packages show the names of surface.golden, spelled by each language's rule, and the same constants.

A line of the golden file is a name as Python spells it, and Java's spelling follows from the rule: memcpy_htod is
memcpyHtod, device_attribute is DeviceAttribute, property handle is method handle, get_limit is limit. "python => java, java" is an
exception to the rule; a side left empty means that the language has no counterpart. "methods Owner: a b" are two members.

signatures.golden is what a Java program compiles against: every class, constructor, method and field with its types.
"void Event: record() record(Stream)" are two methods, "copy(int[]|long[], int)" two overloads.
"""

import itertools
import re
import unittest

from packages import HERE, ROOT, run


GOLDEN = HERE / "surface.golden"
SIGNATURES = HERE / "signatures.golden"


def camel(name):
    head, *rest = name.split("_")
    return head + "".join(word[:1].upper() + word[1:] for word in rest)


def pascal(name):
    return camel("_" + name)


#: Classes on which get copies to the host.
COPIES = {"GPUArray"}


def record_style(name):
    """getWidth is width, as records name their components."""
    return re.sub(r"^get([A-Z])", lambda first: first[1].lower(), name)


def in_java(line):
    """The Java spelling of a line of the Python surface, by the rule."""
    kind, name, *rest = line.split(" ")
    owner, _, member = name.rpartition(".")
    if kind == "constant" and owner:
        return [" ".join([kind, f"{pascal(owner)}.{member}", *rest])]
    if kind == "function":
        return [f"function {record_style(camel(name))}"]
    if kind == "method":
        return [f"method {owner}.{camel(member) if owner in COPIES else record_style(camel(member))}"]
    if kind == "property":
        return [f"method {owner}.{camel(member)}", *([f"method {owner}.set{pascal(member)}"] if "settable" in rest else [])]
    return [line]


PLURALS = {"function": "functions", "method": "methods", "property": "properties", "constant": "constants"}


def members(text):
    """["method Owner.a", "method Owner.b"] of "methods Owner: a b"; another text is itself."""
    several = re.fullmatch(r"(settable )?(\w+)(?: ([\w.]+))?: (.*)", text)
    if not several:
        return [text]
    settable, plural, owner, names = several.groups(default="")
    kind = next(kind for kind, word in PLURALS.items() if word == plural)
    start = f"{kind} {owner}." if owner else f"{kind} "
    return [f"{start}{name.replace('=', ' = ')} {settable}".rstrip() for name in names.split(" ")]


def read_golden():
    """[(names in Python, names in Java)]."""
    pairs = []
    for line in GOLDEN.read_text().splitlines():
        if line and not line.startswith("#"):
            left, arrow, right = (part.strip() for part in line.partition("=>"))
            for left, right in itertools.zip_longest(members(left), members(right), fillvalue=""):
                pairs.append(([left] if left else [], list(filter(None, right.split(", "))) if arrow else in_java(left)))
    return pairs


def surface(language):
    """The public names of a package."""
    status, output, errors = run(language, "surface")
    if status:
        raise RuntimeError(errors)
    return set(output.splitlines())


def signatures():
    """The declarations of the Java package, a list of lines."""
    status, output, errors = run("java", "surface", "signatures")
    if status:
        raise RuntimeError(errors)
    return output.splitlines()


def parts_of(signature):
    """What stands before its parameters, these, and what separates them."""
    name, bracket, parameters = signature.partition("(")
    return [name, *re.split(r"([(),] ?)", bracket + parameters)]


#: How the line of a class begins.
TYPE = r"(?:\w+ )*(?:class|interface|enum|record) "


def read_signatures():
    """Each declaration of signatures.golden."""
    for line in SIGNATURES.read_text().splitlines():
        several = re.fullmatch(rf"((?!{TYPE}).* [\w.]+): (.*)", line)
        owner, declarations = several.groups() if several else (None, line)
        for declaration in re.split(r"(?<=\)) " if "(" in line else " ", declarations) if several else [line]:
            for overload in itertools.product(*(part.split("|") for part in parts_of(declaration))):
                yield (f"{owner}." if owner else "") + "".join(overload)


class SurfaceTest(unittest.TestCase):
    maxDiff = None

    def check(self, language, names):
        self.assertEqual(sorted(name for name in set(names) if names.count(name) > 1), [], "twice in surface.golden")
        self.compare(language, set(names), surface(language), "surface.golden")

    def compare(self, language, expected, shown, file):
        difference = [f"- {name}" for name in sorted(expected - shown)]
        difference += [f"+ {name}" for name in sorted(shown - expected)]
        self.assertEqual(difference, [], f"{language}: - is in {file} only, + in the package only; "
                         "if that is meant, run update_surface.py and look at its diff")

    def test_python(self):
        self.check("python", [name for python, _ in read_golden() for name in python])

    def test_java(self):
        self.check("java", [name for _, java in read_golden() for name in java])

    def test_java_signatures(self):
        self.compare("java", set(read_signatures()), set(signatures()), "signatures.golden")

    def test_the_map(self):
        """docs/java.md says where each function is that Driver does not have."""
        text = (ROOT / "docs/java.md").read_text()
        rows = re.findall(r"^\| `(\w+)` \| (`[a-z0-9_]+`.*) \|$", text, flags=re.MULTILINE)
        mapped = {f"function {name}": [f"method {owner}.{java or camel(name)}"]
                  for owner, row in rows for name, java in re.findall(r"`([a-z0-9_]+)`(?: as `(\w+)`)?", row)}
        moved = {python[0]: java for python, java in read_golden() if python and java and python[0].startswith("function ") and java[0].startswith("method ")}
        moved.pop("function compile")  # of pycuda.compiler
        self.assertEqual(mapped, moved)

    def test_the_rule(self):
        self.assertEqual(in_java("function memset_d2d8_async"), ["function memsetD2d8Async"])
        self.assertEqual(in_java("constant array3d_flags.CUBEMAP = 4"), ["constant Array3dFlags.CUBEMAP = 4"])
        self.assertEqual(in_java("method TextureReference.set_address_2d"), ["method TextureReference.setAddress2d"])
        self.assertEqual(in_java("property Memcpy2D.src_x_in_bytes settable"),
                         ["method Memcpy2D.srcXInBytes", "method Memcpy2D.setSrcXInBytes"])


if __name__ == "__main__":
    unittest.main()
