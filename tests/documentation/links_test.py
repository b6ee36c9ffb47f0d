"""Links between the pages of the documentation lead to existing pages, files and headings."""

import re
import unittest

from blocks import PAGES, ROOT

# Sphinx creates these; see build.py.
GENERATED = re.compile(r"^(?:\.\./)*(?:reference|javadoc)/")


def text_of(page):
    return re.sub(r"^(```|~~~).*?^\1$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)


def anchors(page):
    """The anchors that GitHub and MyST derive from headings."""
    headings = re.findall(r"^#+ (.+)$", text_of(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


class LinksTest(unittest.TestCase):
    def test_links_lead_somewhere(self):
        checked, dead = 0, []
        for page in PAGES:
            for target in re.findall(r"\]\(([^)\s]+)\)", text_of(page)):
                if re.match(r"https?:", target) or GENERATED.match(target):
                    continue
                checked += 1
                path, _, anchor = target.partition("#")
                linked = (page.parent / path).resolve() if path else page
                if not linked.exists() or anchor and anchor not in anchors(linked):
                    dead.append(f"{page.relative_to(ROOT)}: {target}")
        self.assertGreater(checked, 30)
        self.assertEqual(dead, [])

    def test_the_map_of_the_core_names_what_exists(self):
        """core/DESIGN.md names files by their path, below the project, core or one of core's trees, and names of the sources."""
        text = re.sub(r"^```.*?^```$", "", (ROOT / "core/DESIGN.md").read_text(), flags=re.MULTILINE | re.DOTALL)
        names = re.findall(r"`(\w[\w./*:-]*)(?:\(\))?`", text)
        paths = {name for name in names if "/" in name or re.search(r"\.(?:hpp|cpp|def|py|txt|i|java|cu|md|cmake)$", name)}
        places = [ROOT, *(ROOT / "core" / name for name in ("", "src", "include/pycuda", "cpu", "cpu/exec"))]
        missing = [path for path in paths if not any(next(place.glob(path if "/" in path else f"**/{path}"), None) for place in places)]
        sources = [path for folder in ("core", "swig", "java/src") for path in (ROOT / folder).rglob("*.*") if path.suffix in (".hpp", ".cpp", ".java")]
        known = set(re.findall(r"\w+", "".join(path.read_text() for path in sources)))
        missing += [name for name in names if name not in paths and re.fullmatch(r"[\w:]+", name) and not known.issuperset(name.split("::"))]
        self.assertGreater(len(paths), 60)
        self.assertEqual(sorted(missing), [])

    def test_every_page_is_reached(self):
        contents = (ROOT / "docs/index.md").read_text()
        for page in (ROOT / "docs").glob("*.md"):
            if page.name != "index.md":
                self.assertRegex(contents, rf"(?m)^{page.stem}$|<{page.stem}>$", "docs/index.md does not list it")


if __name__ == "__main__":
    unittest.main()
