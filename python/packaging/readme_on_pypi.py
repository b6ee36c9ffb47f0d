"""The README for PyPI, where no other files exist: relative links become absolute, based on the project's Source address."""

import re
from pathlib import Path


def absolute(text, source):
    """Return Markdown with its relative links made absolute; images link to the raw files, so that they are displayed."""
    text = re.sub(r"(!\[[^\]]*\])\((?!https?:|#)([^)\s]+)\)", rf"\1({source}/raw/main/\2)", text)
    return re.sub(r"(?<!!)(\[[^\]]*\])\((?!https?:|#)([^)\s]+)\)", rf"\1({source}/blob/main/\2)", text)


def dynamic_metadata(field, settings):
    """Called by scikit-build-core, in the folder of pyproject.toml."""
    source = re.search(r'^Source = "(.+)"$', Path("pyproject.toml").read_text(encoding="utf-8"), flags=re.MULTILINE)[1]
    return {"content-type": "text/markdown", "text": absolute(Path("README.md").read_text(encoding="utf-8"), source)}
