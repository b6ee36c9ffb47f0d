"""Sphinx extension: a Python block and the Java block after it become two tabs. The pages themselves remain plain Markdown for other viewers."""

import re

_PAIR = re.compile(r"^```(?:python|py)\n(?P<python>.*?)^```\n\n^```java(?: fragment)?\n(?P<java>.*?)^```$", re.MULTILINE | re.DOTALL)
_EXAMPLE = re.compile(r"\(\.\./examples/(?:README\.md|(\w+)\.py)\)")  # the gallery has a page of each
_FILE_NAME = re.compile(r"\[`?\w+\.md`?\](?=\(\w+\.md[#)])")  # as a link's text
_TABS = """`````{{tab-set}}
:sync-group: language

````{{tab-item}} Python
:sync: python

```python
{python}```
````

````{{tab-item}} Java
:sync: java

```java
{java}```
````
`````"""


def with_tabs(text):
    """Return the Markdown `text` with each pair of blocks as tabs; a chosen language applies to all pages."""
    return _PAIR.sub(lambda pair: _TABS.format(**pair.groupdict()), text)


def tabs(python, java):
    """Return the tabs of two programs."""
    return _TABS.format(python=python, java=java)


def _change(app, page, source):
    text = _EXAMPLE.sub(lambda link: f"(examples/{link[1] or 'index'}.md)", with_tabs(source[0]))
    source[0] = _FILE_NAME.sub("[]", text)  # Sphinx puts the page's title there


def setup(app):
    app.connect("source-read", _change)
    return {"parallel_read_safe": True}
