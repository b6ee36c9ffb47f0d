"""The Java notebook runs from top to bottom in JJava, and contains the outputs of its cells. Where JJava is not installed, only these are checked.

usage: java_notebook_test.py class-path
"""

import json
import os
import sys
import unittest
from pathlib import Path

NOTEBOOK = Path(__file__).resolve().parents[2] / "examples" / "java_tour.ipynb"


def kernel():
    """The name of JJava's kernel; None if it, or what runs notebooks, is not installed."""
    try:
        import nbclient  # noqa: F401
        from jupyter_client.kernelspec import KernelSpecManager
    except ImportError:
        return None
    return "java" if "java" in KernelSpecManager().find_kernel_specs() else None


def outputs(cells):
    """What each code cell printed or showed: its text, or that it is a picture."""
    def shown(output):
        data = output.get("data", {})
        return "picture" if "image/png" in data else "".join(data.get("text/plain", output.get("text", ""))).strip()
    return ["\n".join(shown(output) for output in cell["outputs"]) for cell in cells if cell["cell_type"] == "code"]


class JavaNotebookTest(unittest.TestCase):
    def setUp(self):
        self.cells = json.loads(NOTEBOOK.read_text())["cells"]

    def test_it_has_its_outputs(self):
        self.assertIn("picture", outputs(self.cells))
        self.assertTrue(all(outputs(self.cells)[1:]), outputs(self.cells))
        self.assertNotRegex(NOTEBOOK.read_text(), r"/(home|root|tmp|work)/|Exception")

    @unittest.skipUnless(kernel(), "JJava is not installed: pip install jjava nbclient")
    def test_it_runs(self):
        import nbclient
        import nbformat
        os.environ["JJAVA_CLASSPATH"] = CLASS_PATH
        notebook = nbformat.read(NOTEBOOK, as_version=4)
        nbclient.NotebookClient(notebook, timeout=200, kernel_name=kernel(), coalesce_streams=True).execute()
        self.assertEqual(outputs(notebook.cells)[1:], outputs(self.cells)[1:])  # the first prints how many devices there are


if __name__ == "__main__":
    CLASS_PATH = sys.argv.pop(1)
    unittest.main()
