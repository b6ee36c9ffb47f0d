"""The examples in Javadoc, <pre>{@code ...}</pre>, compile and run, and print the text in the comment after println. Each public class has one at its top, or
links to a class that has. Arguments: javac, java, the class path, and the list of the documented sources.
"""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from blocks import ROOT

SHORT = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
SNIPPET = re.compile(r"<pre>\{@code\n(.*?)^ *\* \}</pre>", flags=re.MULTILINE | re.DOTALL)
MEMBER = re.compile(r"\*/\n(?:\s*@.*\n)*.*?(\w+)(?=[({;]| \{| extends | implements |<\w)")
PRINTED = re.compile(r"System\.out\.println\((?P<value>.*)\);  // (?P<text>.*)")
LINK = re.compile(r"(?:\{@link |@see )(?:[a-z]+\.)*([A-Z]\w*)")
PUBLIC_TYPE = re.compile(r"/\*\*(?P<comment>(?:(?!\*/).)*)\*/\n(?:@.*\n)*public (?:[a-z-]+ )*(?:class|interface|record|enum) \w", flags=re.DOTALL)
GENERIC_TYPE = re.compile(r"/\*\*(?P<javadoc>(?:(?!\*/).)*)\*/\s*(?:@\w+\s+)*public (?:\w+ )*(?:class|interface|record) (?P<name>\w+)<(?P<parameters>[^{]+)> *[{(]",
                          flags=re.DOTALL)
MAX_LINES = 10
COMMAND = "Main"  # is run by java -jar, as its text says
PROGRAM = """{imports}

public class JavadocExamples {{
    static boolean failed;

    static void prints(String expected, Object value) {{
        if (!String.valueOf(value).equals(expected)) {{
            System.out.println(new Throwable().getStackTrace()[1].getMethodName() + ": expected " + expected + ", got " + value);
            failed = true;
        }}
    }}

{methods}
    public static void main(String[] arguments) throws Exception {{
        Autoinit.init();
{calls}
        if (failed) System.exit(1);
    }}
}}
"""


def code_of(snippet):
    return re.sub(r"^ *\* ?", "", snippet[1], flags=re.MULTILINE)


def checked(code):
    """The code, with each println that has its output in a comment replaced by a check."""
    return PRINTED.sub(lambda match: f'prints("{match["text"]}", {match["value"]});', code)


class JavadocTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Read what the reference shows: the sources with complete comments, and the comments of the public classes."""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, ROOT / "swig/reference/javadoc.py", folder, SOURCES], check=True)
            cls.texts = {path.relative_to(folder): path.read_text() for path in sorted(Path(folder).rglob("*.java"))}
        cls.classes = {}
        for path, text in cls.texts.items():
            declared = PUBLIC_TYPE.search(text)
            if declared and not path.stem.endswith("Proxy"):
                cls.classes[path] = declared["comment"]

    def run_all(self, *command, cwd):
        done = subprocess.run(command, capture_output=True, text=True, timeout=280, cwd=cwd)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_examples_run(self):
        found = {}
        for path, text in self.texts.items():
            for match in SNIPPET.finditer(text):
                member = MEMBER.search(text[match.end():])
                found[f"{path.stem}_{member[1]}_{len(found)}".replace("-", "_")] = code_of(match)
        self.assertGreater(len(found), 200)
        # One by one, as programs do: names of classes are not ambiguous then.
        imports = "\n".join(f"import {'.'.join(path.with_suffix('').parts)};" for path in self.classes)
        methods = "\n".join(f"    static void {name}() throws Exception {{\n{checked(code)}    }}\n" for name, code in found.items())
        source = PROGRAM.format(imports=imports, methods=methods, calls="\n".join(f"        {name}();" for name in found))
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "JavadocExamples.java").write_text(source)
            self.run_all(JAVAC, *(f"-J{flag}" for flag in SHORT), "-encoding", "UTF-8", "-cp", CLASS_PATH, "JavadocExamples.java", cwd=folder)
            self.run_all(JAVA, *SHORT, "-ea", "-cp", f"{CLASS_PATH}:{folder}", "JavadocExamples", cwd=folder)

    def test_each_class_has_an_example_or_a_link_to_one(self):
        own = {path.stem: code_of(snippet) for path, comment in self.classes.items() if (snippet := SNIPPET.search(comment))}
        without = []
        for path, comment in self.classes.items():
            beginning = re.split(r"<p>|<ul>|<pre>", comment)[0] + "".join(re.findall(r"^ \* @see .*", comment, flags=re.MULTILINE))
            if path.stem not in own and path.stem != COMMAND and not set(LINK.findall(beginning)) & set(own):
                without.append(path.stem)
        self.assertGreater(len(self.classes), 200)
        self.assertEqual(without, [], "write an example where the class is documented, or in swig/reference/java_classes.txt")
        self.assertEqual([name for name, code in own.items() if not re.search(rf"\b{name}\b", code)], [], "an example uses its class by name")
        self.assertEqual([name for name, code in own.items() if code.count("\n") > MAX_LINES], [], f"an example has at most {MAX_LINES} lines")

    def test_type_parameters_are_documented(self):
        """JDK 17's javadoc does not ask for them, JDK 21's does."""
        found = {}
        for path in sorted((ROOT / "java/src/main").rglob("*.java")):
            for match in GENERIC_TYPE.finditer(path.read_text()):
                names = [parameter.split()[0] for parameter in match["parameters"].split(",")]
                found[match["name"]] = [name for name in names if f"@param <{name}>" not in match["javadoc"]]
        self.assertEqual(found, {"Action": [], "TypedKernel": [], "Work": []})


if __name__ == "__main__":
    JAVAC, JAVA, CLASS_PATH, SOURCES = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
