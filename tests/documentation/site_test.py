"""Parts of the documentation site, without building it: charts and the C++ reference."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

from blocks import PAGES, ROOT

sys.path[:0] = [str(ROOT / "docs/site"), str(ROOT / "tests/bench")]

import diagrams  # noqa: E402
import headers  # noqa: E402
import java_page  # noqa: E402
import plots  # noqa: E402
import python_pages  # noqa: E402
import results  # noqa: E402
import tabs  # noqa: E402

INCLUDE = ROOT / "core/include"


class ChartsTest(unittest.TestCase):
    def test_images_are_drawn_from_the_data(self):
        for path, text in (plots.images() | diagrams.images()).items():
            self.assertEqual(path.read_text(), text, f"{path.name}: run docs/site/plots.py and docs/site/diagrams.py")

    def test_images_are_used(self):
        pages = "".join(page.read_text() for page in PAGES)
        self.assertEqual([path.name for path in (ROOT / "docs/images").iterdir() if f"images/{path.name}" not in pages], [])

    def test_boxes_are_as_wide_as_their_text(self):
        for path, svg in diagrams.images().items():
            for width, words in re.findall(r'<rect [^>]*? width="(\d+)"[^>]*fill[^>]*>\n?<text [^>]*>([^<]*)', svg):
                self.assertLess(7.3 * len(words), int(width) + 8, f"{path.name}: {words}")

    def test_bars_are_as_long_as_their_ratios(self):
        tables = [{"title": "", "columns": ["plain C", "core", "ratio"], "rows": {"launch": [1, 2, 2.0], "copy": [2, 2, 1.0]}}]
        svg = plots.draw(tables, "title", "<meaning>", {"calls": [("C++", "core", "launch"), ("Java", "core", "copy"), ("?", "core", "not measured")]})
        longer, shorter = (float(width) for width in re.findall(r'<rect [^>]*width="([\d.]+)"', svg))
        self.assertAlmostEqual(longer, 2 * shorter, delta=0.2)
        self.assertIn("&lt;meaning&gt;", svg)


class TabsTest(unittest.TestCase):
    def test_a_pair_of_blocks_becomes_tabs(self):
        text = tabs.with_tabs("Before\n\n```python\na = 1\n```\n\n```java\nint a = 1;\n```\n\nAfter\n")
        self.assertEqual(text, f"Before\n\n{tabs.tabs('a = 1' + chr(10), 'int a = 1;' + chr(10))}\n\nAfter\n")
        self.assertEqual(text.count("tab-item"), 2)

    def test_blocks_that_do_not_run_become_tabs(self):
        self.assertEqual(tabs.with_tabs("```py\na\n```\n\n```java fragment\nb\n```"), tabs.tabs("a\n", "b\n"))

    def test_other_blocks_stay(self):
        for text in ("```python\na = 1\n```\n", "```python\na = 1\n```\n\nThen\n\n```java\nint a;\n```\n", "```java\nint a;\n```\n\n```python\na = 1\n```\n"):
            self.assertEqual(tabs.with_tabs(text), text)


class PythonReferenceTest(unittest.TestCase):
    def test_each_name_of_the_driver_is_on_one_page(self):
        topics = python_pages.driver_topics()
        pages = {python_pages.page_of(title): names for title, _, names in topics}
        self.assertEqual(len(pages), len(topics))
        names = [name for found in pages.values() for name in found]
        self.assertEqual(sorted(names), sorted(set(names)))
        self.assertIn("mem_alloc", pages["driver_device_memory"])
        self.assertIn("device_attribute", pages["driver_constants"])
        self.assertTrue({"HostPointer", "PooledDeviceAllocation", "GraphUpdateError"} <= set(names))


class JavaReferenceTest(unittest.TestCase):
    def test_classes_have_topics(self):
        self.assertEqual([java_page.topic_of(name) for name in ("GPUArray", "PooledHostAllocation", "ReductionKernel", "DeviceAttribute")],
                         ["Arrays", "Memory", "Custom kernels on arrays", "Constants and others"])

    def test_the_page_lists_what_javadoc_lists(self):
        with tempfile.TemporaryDirectory() as folder:
            package = Path(folder, "javadoc/org.pycuda/org/pycuda")
            package.mkdir(parents=True)
            (package / "package-summary.html").write_text("""<div class="col-first even-row-color class-summary"><a href="Event.html" title="class in org.pycuda">Event</a></div>
                <div class="col-last even-row-color class-summary">
                <div class="block">A marker in a <code>Stream</code>.</div>
                </div>
                </div>""")
            java_page.write(Path(folder), Path(folder, "javadoc"))
            self.assertIn('| <a href="../javadoc/org.pycuda/org/pycuda/Event.html"><code>Event</code></a> | A marker in a Stream. |',
                          Path(folder, "java.md").read_text())


class BenchResultsTest(unittest.TestCase):
    def test_tables_are_read(self):
        lines = ["NVIDIA H100\n", "us a call              plain C    Python    ratio\n", "mem_alloc, 1,600 bytes    3.412     3.583    1.050\n",
                 "a * 2.0     3   4   1.333\n",
                 "\n", "first use: 94.0 ms\n"]
        self.assertEqual(results.tables(lines), [
            {"title": "us a call", "columns": ["plain C", "Python", "ratio"], "rows": {"mem_alloc, 1,600 bytes": [3.412, 3.583, 1.05], "a * 2.0": [3, 4, 1.333]}},
            {"title": "", "columns": [], "rows": {"first use:": [94.0]}}])


class CppReferenceTest(unittest.TestCase):
    def test_documented_classes_and_functions_exist(self):
        page = headers.page("C++", "", INCLUDE, sorted((INCLUDE / "pycuda").rglob("*.hpp")))
        for name in ("Stream", "Context", "DeviceAllocation", "Function", "Layout", "Handle"):
            self.assertIn(f"\n### {name}\n", page)
        self.assertIn("explicit DeviceAllocation(std::size_t bytes);", page)
        self.assertIn("MemInfo mem_get_info();", page)
        self.assertNotIn("release()", page.split("### DeviceAllocation")[1].split("###")[0], "what is private")

    def test_declarations_are_whole(self):
        page = headers.page("C++", "", INCLUDE, sorted((INCLUDE / "pycuda").rglob("*.hpp")))
        declarations = re.findall(r"^```cpp\n(.*?)\n```$", page, flags=re.MULTILINE | re.DOTALL)
        self.assertGreater(len(declarations), 400)
        for declaration in declarations:
            with self.subTest(declaration=declaration):
                self.assertEqual([declaration.count(left) - declaration.count(right) for left, right in ("()", "{}", "[]")], [0, 0, 0])
                self.assertRegex(declaration, r";$|^(?:template.*)?\s*(?:class|struct)\b")


if __name__ == "__main__":
    unittest.main()
