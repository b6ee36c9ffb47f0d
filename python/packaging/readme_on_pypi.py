"""The README as PyPI shows it, where there are no files beside it: relative links become absolute, from the project's Source address."""

import re
from pathlib import Path


def absolute(text, source):
    """Return Markdown with its relative links made absolute: images raw, so that they are shown."""
    text = re.sub(r"(!\[[^\]]*\])\((?!https?:|#)([^)\s]+)\)", rf"\1({source}/raw/main/\2)", text)
    return re.sub(r"(?<!!)(\[[^\]]*\])\((?!https?:|#)([^)\s]+)\)", rf"\1({source}/blob/main/\2)", text)


def dynamic_metadata(field, settings):
    """Called by scikit-build-core, in the folder of pyproject.toml."""
    source = re.search(r'^Source = "(.+)"$', Path("pyproject.toml").read_text(encoding="utf-8"), flags=re.MULTILINE)[1]
    return {"content-type": "text/markdown", "text": absolute(Path("README.md").read_text(encoding="utf-8"), source)}
