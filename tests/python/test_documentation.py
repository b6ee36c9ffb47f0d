"""The Python programs in the documentation run: each page's blocks, one after the other, are one program."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", "docs/arrays.md"]


@pytest.mark.parametrize("page", PAGES)
def test_blocks_run(run_python, page):
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(), flags=re.MULTILINE | re.DOTALL)
    assert blocks
    done = run_python("\n".join(blocks))
    assert done.returncode == 0, done.stderr
