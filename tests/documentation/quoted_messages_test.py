"""The messages that the guides' tables quote are in the sources, apart from those of other programs."""

import re
import unittest

from blocks import PAGES, ROOT

# Messages of the dynamic linker, pip, pkg_resources and nvcc.
OF_OTHERS = ("version `GLIBC", "Could not find a version", "is not a supported wheel", "DistributionNotFound", "exception specification")
TABLE = re.compile(r"^\| Message \|.*\n\|[-|]+\n((?:\|.*\n)+)", flags=re.MULTILINE)
ROW = re.compile(r'^\| "(.*?)" \|', flags=re.MULTILINE)


def sources():
    """The text of the sources, with literals that follow each other joined."""
    files = (path for folder in ("core/src", "python/pycuda", "java/src", "swig") for path in sorted((ROOT / folder).rglob("*")))
    texts = (path.read_text() for path in files if path.suffix in (".cpp", ".hpp", ".py", ".java", ".i"))
    return re.sub(r'"\s*\+?\s*f?"', "", "\n".join(texts))


def fragments(message):
    """What stands between ellipses, numbers and the ends of sentences."""
    return [part.strip() for part in re.split(r"…|\d[\d.]*|\. ", message) if len(part.split()) > 1]


class QuotedMessagesTest(unittest.TestCase):
    def test_messages_are_in_the_sources(self):
        text, checked = sources(), 0
        for page in PAGES:
            for row in (row for table in TABLE.findall(page.read_text()) for row in ROW.findall(table)):
                if not any(other in row for other in OF_OTHERS):
                    self.assertNotEqual(fragments(row), [], row)
                    missing = [part for part in fragments(row) if part not in text]
                    self.assertEqual(missing, [], f"{page.name} quotes: {row}")
                    checked += 1
        self.assertGreater(checked, 5)


if __name__ == "__main__":
    unittest.main()
