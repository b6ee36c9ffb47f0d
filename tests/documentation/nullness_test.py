"""Every public method of the Java package whose code returns null says so by @Nullable: the packages are @NullMarked.

usage: nullness_test.py list-of-sources
NullsTest calls every method with null for each parameter, and reads the annotations of these.
"""

import re
import sys
import unittest
from pathlib import Path

METHOD = re.compile(r"^(?P<indent> +)(?P<head>(?:@[\w.]+(?:\([^)]*\))? )*(?:public|protected) [^=;(){}]*?)\b(?P<name>\w+)\((?P<parameters>[^{};]*)\)"
                    r"(?: throws [\w., ]+)? \{(?P<body>.*?)(?:^(?P=indent)\}|\}$)", re.MULTILINE | re.DOTALL)
RETURNS_NULL = re.compile(r"\breturn (?:(?:\([^()]*\)|[^;\"(])*\? )?null(?: :|;)|\breturn (?:\([^()]*\)|[^;\"(])*: null;")


def methods(source):
    return METHOD.finditer(re.sub(r"/\*.*?\*/|//[^\n]*", "", source, flags=re.DOTALL))


def unannotated(source):
    """The names of the public methods that return null without saying so."""
    return [match["name"] for match in methods(source)
            if "Nullable" not in match["head"] and " void " not in match["head"] and RETURNS_NULL.search(re.sub(r"->\s*\{.*?\}", "", match["body"], flags=re.DOTALL))]


class NullnessTest(unittest.TestCase):
    def test_methods_that_return_null_say_so(self):
        found, count = [], 0
        for path in SOURCES:
            source = path.read_text()
            if not path.stem.endswith(("JNI", "Core")):  # not public
                count += sum(1 for _ in methods(source))
                found += [f"{path.stem}.{name}" for name in unannotated(source)]
        self.assertGreater(count, 1500)
        self.assertEqual(found, [])

    def test_the_pattern(self):
        self.assertEqual(unannotated("  public Array level() {\n    return (p == 0) ? null : new Array(p);\n  }\n"), ["level"])
        self.assertEqual(unannotated("    public Object base() {\n        return null;\n    }\n"), ["base"])
        self.assertEqual(unannotated("    public @Nullable Object base() {\n        return null;\n    }\n"), [])
        self.assertEqual(unannotated("    public Array all() {\n        return made(x == null ? a : b, null);\n    }\n"), [])


if __name__ == "__main__":
    SOURCES = [Path(line) for line in Path(sys.argv.pop(1)).read_text().split()]
    unittest.main()
