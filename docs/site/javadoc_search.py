"""Sphinx extension: the site's search covers the Javadoc, by the names of its members and by its words."""

import html
import json
import re
from pathlib import Path
from urllib.parse import unquote

from docutils import nodes
from docutils.utils import new_document
from sphinx.domains import Domain, ObjType

_FOLDER = "javadoc/org.pycuda"


def _list(javadoc, name):
    """The contents of one of the lists that Javadoc writes for its own search."""
    text = (javadoc / f"{name}-search-index.js").read_text()
    return json.loads(re.match(r"\w+ = (\[.*?\]);", text, re.DOTALL)[1])


class JavaDomain(Domain):
    """Names of classes, methods and constants, each with the page and the anchor of the Javadoc."""

    name = "java"
    label = "Java"
    object_types = {"class": ObjType("class"), "member": ObjType("member")}

    def get_objects(self):
        javadoc = Path(self.env.config.javadoc_folder)
        for kind in _list(javadoc, "type"):
            if "p" in kind:
                page = page_of(kind["p"], kind["l"])
                yield f"{kind['p']}.{kind['l']}", f"{kind['p']}.{kind['l']}", "class", page, "", 1
        for member in _list(javadoc, "member"):
            name = f"{member['c']}.{member['l']}"
            yield name, name, "member", page_of(member["p"], member["c"]), unquote(member.get("u", member["l"])), 1

    def resolve_any_xref(self, *_):
        return []  # pages link to the Javadoc as a whole


def page_of(package, name):
    return f"{_FOLDER}/{package.replace('.', '/')}/{name}"


def add_pages(app):
    """Add the words of each class's page, which Javadoc wrote, to the index."""
    javadoc = Path(app.config.javadoc_folder)
    for kind in _list(javadoc, "type"):
        if "p" not in kind:
            continue
        page = page_of(kind["p"], kind["l"])
        text = (javadoc.parent / f"{page}.html").read_text()
        main = re.search(r"<main.*?</main>", text, re.DOTALL)[0]
        document = new_document(page)
        document += nodes.title(text=f"{kind['l']} (Java)")
        document += nodes.paragraph(text=html.unescape(re.sub(r"<[^>]+>", " ", main)))
        app.env.all_docs[page], app.env.titles[page] = 0, document[0]  # the index keeps no pages but these
        app.builder.index_page(page, document, document[0].astext())
    return []


def setup(app):
    app.add_config_value("javadoc_folder", None, "html", str)
    app.add_domain(JavaDomain)
    app.connect("html-collect-pages", add_pages)
    return {"parallel_read_safe": True}
