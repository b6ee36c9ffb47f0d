"""The documentation site, for Sphinx; build.py calls it."""

import ast
import functools
import re
import sys
import textwrap
from pathlib import Path

import pycuda
import pycuda.driver

sys.path.insert(0, str(Path(__file__).parent))

project = "pycuda"
version = release = pycuda.VERSION_TEXT
copyright = "2026, the pycuda SWIG binding authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon", "sphinx.ext.viewcode", "sphinx_design", "sphinx_copybutton", "tabs", "javadoc_search"]
exclude_patterns = ["site", "extra"]
autosummary_generate = False  # the tables only
napoleon_use_ivar = True  # attributes are described among the members too
# Types of parameters are words, such as dtype, which several classes have as attributes. Pygments takes Java's variables called module for a keyword.
suppress_warnings = ["ref.python", "misc.highlighting_failure"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = f"pycuda {version}"
html_static_path = ["static"]
html_favicon = "static/icon.svg"
pygments_dark_style = "github-dark"
html_css_files = ["site.css"]
html_extra_path = ["../extra"]
javadoc_folder = str(Path(__file__).resolve().parents[1] / "extra/javadoc")
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_selector = "div.highlight pre:not(.sd-card pre)"
html_search_scorer = str(Path(__file__).with_name("scorer.js"))
html_copy_source = False
html_show_sphinx = False
autodoc_default_options = {"members": True, "undoc-members": True, "imported-members": True, "exclude-members": "thisown",
                           "inherited-members": "object, int, Exception"}
autodoc_typehints = "none"
autodoc_mock_imports = ["dask", "distributed", "zict"]  # pycuda.dask needs them, its reference does not
maximum_signature_line_length = 110
toc_object_entries_show_parents = "hide"


def as_plain_text(app, what, name, subject, options, lines):
    """Docstrings are plain text: only paragraphs, NumPy's sections, examples, `code` and roles have a meaning."""
    parts = re.split(r"(^ *(?:>>>|\.\.\.).*(?:\n.+)*|:[a-z]+:`[^`\n]+`|``.+?``|`[^`\n]+`)", textwrap.dedent("\n".join(lines)), flags=re.MULTILINE)
    for index, part in enumerate(parts):
        if index % 2 == 0:
            parts[index] = re.sub(r"([*|\\`_])", r"\\\1", part)
        elif not re.match(r" *(?::|>>>|\.\.\.)", part):
            parts[index] = f"``{part.strip('`')}``"
    lines[:] = "".join(parts).split("\n")


def skip_what_the_driver_has(app, what, name, subject, skip, options):
    """Some classes can also be imported from other modules."""
    elsewhere = not app.env.current_document.docname.startswith("reference/driver")
    known = getattr(pycuda.driver, name.rpartition(".")[2], None) is subject
    return True if elsewhere and known and isinstance(subject, type) else None


@functools.cache
def stub_signatures(module):
    """Arguments and result by dotted name, from the module's stub: only it knows those of native classes."""
    found = {}
    package = Path(pycuda.__file__).parents[1] / module.replace(".", "/")
    stub = next((path for path in (package.with_suffix(".pyi"), package / "__init__.pyi") if path.exists()), None)

    def visit(node, prefix):
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.ClassDef):
                visit(inner, f"{prefix}{inner.name}.")
            elif isinstance(inner, ast.FunctionDef):
                for argument in ast.walk(inner.args):
                    if isinstance(argument, ast.arg):
                        argument.annotation = None
                static = any(getattr(decorator, "id", "") == "staticmethod" for decorator in inner.decorator_list)
                arguments = ast.unparse(inner.args)
                if prefix and not static:
                    arguments = re.sub(r"^(self|cls)(, /)?(, )?", "", arguments)
                result = inner.returns and ast.unparse(inner.returns)
                found[(prefix + inner.name).removesuffix(".__init__")] = (f"({arguments})", None if inner.name == "__init__" else result)

    if stub:
        visit(ast.parse(stub.read_text()), f"{module}.")
    return found


def signature_of_the_stub(app, what, name, subject, options, signature, result):
    if signature is None:  # Sphinx has no place for one then
        return None
    known = next(filter(None, (stub_signatures(".".join(name.split(".")[:depth])).get(name) for depth in (2, 3))), None)
    if what == "class" and not known and signature in ("()", "(*args, **kwargs)"):
        return "", None  # not made by programs
    return known if what in ("class", "function", "method", "exception") else None


def setup(app):
    app.connect("autodoc-skip-member", skip_what_the_driver_has)
    app.connect("autodoc-process-signature", signature_of_the_stub)
    app.connect("autodoc-process-docstring", as_plain_text, priority=400)  # before the sections are read
