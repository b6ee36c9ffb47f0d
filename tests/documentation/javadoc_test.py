"""The examples in Javadoc, <pre>{@code ...}</pre>, compile and run, and print the text in the comment after println. Arguments: javac, java and
the class path.
"""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from blocks import ROOT

sys.path.append(str(ROOT / "swig/reference"))
import reference  # noqa: E402

SHORT = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
SNIPPET = re.compile(r"<pre>\{@code\n(.*?)^ *\* \}</pre>", flags=re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"System\.out\.println\((?P<value>.*)\);  // (?P<text>.*)")
GENERIC_TYPE = re.compile(r"/\*\*(?P<javadoc>(?:(?!\*/).)*)\*/\s*(?:@\w+\s+)*public (?:\w+ )*(?:class|interface|record) (?P<name>\w+)<(?P<parameters>[^{]+)> *[{(]",
                          flags=re.DOTALL)
# Classes that users encounter first.
MAX_USED = {"Autoinit", "Function", "LaunchConfig", "Context", "Invocation", "Stream", "SourceModule", "CompilerCache", "GPUArray", "Axis", "Slice",
             "StructType", "ArrayScope", "ElementwiseKernel", "ReductionKernel", "InclusiveScanKernel", "CuRandom", "Allocator", "Trace", "MemoryReport"}
PROGRAM = """import org.pycuda.*;
import org.pycuda.compiler.*;

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


def snippets():
    """The examples by the name of their class."""
    found = {}
    for path in sorted((ROOT / "java/src").rglob("*.java")):
        for number, match in enumerate(SNIPPET.finditer(path.read_text())):
            found[f"{path.stem.replace('-', '_')}{number or ''}"] = re.sub(r"^ *\* ?", "", match[1], flags=re.MULTILINE)
    return found | {name.replace(".", "_"): code for name, code in reference.java_examples().items()}


def checked(code):
    """The code, with each println that has its output in a comment replaced by a check."""
    return PRINTED.sub(lambda match: f'prints("{match["text"]}", {match["value"]});', code)


class JavadocTest(unittest.TestCase):
    def run_all(self, *command, cwd):
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=cwd)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_examples_run(self):
        found = snippets()
        self.assertLessEqual(MAX_USED, set(found))
        self.assertGreaterEqual(len(reference.java_examples()), 100)
        methods = "\n".join(f"    static void example{name}() throws Exception {{\n{checked(code)}    }}\n" for name, code in found.items())
        source = PROGRAM.format(methods=methods, calls="\n".join(f"        example{name}();" for name in found))
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "JavadocExamples.java").write_text(source)
            self.run_all(JAVAC, *(f"-J{flag}" for flag in SHORT), "-encoding", "UTF-8", "-cp", CLASS_PATH, "JavadocExamples.java", cwd=folder)
            self.run_all(JAVA, *SHORT, "-ea", "-cp", f"{CLASS_PATH}:{folder}", "JavadocExamples", cwd=folder)

    def test_type_parameters_are_documented(self):
        """JDK 17's javadoc does not ask for them, JDK 21's does."""
        found = {}
        for path in sorted((ROOT / "java/src/main").rglob("*.java")):
            for match in GENERIC_TYPE.finditer(path.read_text()):
                names = [parameter.split()[0] for parameter in match["parameters"].split(",")]
                found[match["name"]] = [name for name in names if f"@param <{name}>" not in match["javadoc"]]
        self.assertEqual(found, {"Action": [], "TypedKernel": [], "Work": []})


if __name__ == "__main__":
    JAVAC, JAVA, CLASS_PATH = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
