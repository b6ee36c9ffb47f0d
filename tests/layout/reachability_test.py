"""java/reachability-metadata.json, which native images read from the jar, has every class, method and field that native code looks up by name, and every
method that the classes find by reflection, and nothing else."""

import json
import re
import unittest

from source_tree import ROOT

NATIVE = "".join(path.read_text() for path in sorted((ROOT / "swig/java").rglob("*.cpp")))
METADATA = json.loads((ROOT / "java/reachability-metadata.json").read_text())
TYPE = re.compile(r'"((?:java|jdk|org/pycuda)/[\w/$]+)"')
#: "name", "signature" of a method or field.
MEMBER = re.compile(r'(?:Get(?:Static)?(?:Method|Field)ID|method_of|function_of|\bmethod)\((?:[^;"]|"[\w/$]+")*?"([\w<>]+)",\s*"([^"]+)"')
PRIMITIVES = {"J": "long", "I": "int", "Z": "boolean"}


def parameter_types(signature):
    """The types of (Ljava/lang/String;I)V as the file names them."""
    inside = signature[1:signature.index(")")]
    found = re.findall(r"(\[*)(?:L([\w/$]+);|([JIZ]))", inside)
    return [(name.replace("/", ".") or PRIMITIVES[code]) + "[]" * len(array) for array, name, code in found]


def looked_up():
    for name, signature in MEMBER.findall(NATIVE):
        yield name, parameter_types(signature) if signature.startswith("(") else None


class ReachabilityTest(unittest.TestCase):
    def setUp(self):
        self.types = {entry["type"]: entry for entry in METADATA["jni"]}

    def test_every_class_that_native_code_finds(self):
        named = {name.replace("/", ".") for name in TYPE.findall(NATIVE) if not name.endswith(("/", "$"))}
        errors = set(re.findall(r'"(\w*Error)"', re.search(r"names\[\] = \{(.*?)\}", NATIVE, re.DOTALL)[1]))
        named |= {f"org.pycuda.Driver${error}" for error in errors}
        self.assertGreater(len(named), 20)
        by_object = {"org.pycuda.HostFunction", "org.pycuda.DriverFunction"}  # GetObjectClass
        self.assertEqual(named | by_object, set(self.types))

    def test_every_method_and_field_that_native_code_finds(self):
        methods = {(method["name"], tuple(method["parameterTypes"])) for entry in self.types.values() for method in entry.get("methods", ())}
        fields = {field["name"] for entry in self.types.values() for field in entry.get("fields", ())}
        found = list(looked_up())
        self.assertGreater(len(found), 15)
        self.assertEqual({name for name, types in found if types is None}, fields)
        compile_error = ("<init>", ("java.lang.String",) * 4 + ("java.lang.String[]",))  # its signature is put together
        thrown = ("<init>", ("java.lang.String",))  # ThrowNew
        self.assertEqual({(name, tuple(types)) for name, types in found if types is not None} | {compile_error, thrown}, methods)

    def test_every_method_found_by_reflection(self):
        segments = (ROOT / "java/src/memory/java/org/pycuda/Segments.java").read_text()
        named = {(owner, name) for owner, name in re.findall(r'handle\((SEGMENT|ARENA), "(\w+)"', segments)}
        owners = {"java.lang.foreign.MemorySegment": "SEGMENT", "java.lang.foreign.Arena": "ARENA"}
        listed = {(owners[entry["type"]], method["name"]) for entry in METADATA["reflection"] if entry["type"] in owners for method in entry["methods"]}
        self.assertEqual(named, listed)


if __name__ == "__main__":
    unittest.main()
