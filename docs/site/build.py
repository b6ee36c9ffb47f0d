"""Build the documentation site: build.py OUTPUT JAVADOC. Run with the built package importable.

The pages are those of docs, the gallery of examples, and reference pages from docstrings and headers. Warnings are errors, including dead links.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import gallery
import headers
import java_page
import python_pages

import pycuda

DOCS = Path(__file__).resolve().parents[1]
INCLUDE = DOCS.parent / "core/include"

# Each page of the C++ reference has the headers of these folders of core/include/pycuda, the first page those of all others.
CPP = {
    "cpp": ("C++", (), "The core of both packages: `find_package(pycuda)`, see [Installing](../install.md#c). Every class and "
            "function throws the exceptions of `pycuda/errors/error.hpp`."),
    "cpp_compiler": ("C++: compiling", ("compiler", "toolchain"), "Compilers, options and the cache."),
    "cpp_arrays": ("C++: arrays", ("gpuarray",), "Element types, layouts and operations of arrays."),
}


def headers_in(folders):
    """The headers in these folders, or without any, in those that no page names."""
    others = {folder for _, named, _ in CPP.values() for folder in named}
    core = INCLUDE / "pycuda"
    return [header for header in sorted(core.rglob("*.hpp"))
            if (header.relative_to(core).parts[0] in folders if folders else header.relative_to(core).parts[0] not in others)]


def add_version(index):
    """Add the version and the address of the source below the title of the home page."""
    source = re.search(r'^Source = "(.*)"$', (DOCS.parent / "pyproject.toml").read_text(), flags=re.MULTILINE)[1]
    links = f"Version {pycuda.VERSION_TEXT} · [Changes](changelog.md) · [Source]({source})"
    title, _, text = index.read_text().partition("\n")
    index.write_text(f"{title}\n\n{links}\n{text}")


def copy_javadoc(javadoc, target):
    """Copy the Javadoc with a link to the site on each page, and without the fonts, which not every JDK has."""
    shutil.copytree(javadoc, target)
    styles = target / "stylesheet.css"
    styles.write_text(styles.read_text().replace("@import url('resources/fonts/dejavu.css');", ""))
    navigation = '<ul id="navbar-top-firstrow" class="nav-list" title="Navigation">\n'
    for page in target.rglob("*.html"):
        home = "../" * len(page.relative_to(target).parts) + "index.html"
        page.write_text(page.read_text().replace(navigation, f'{navigation}<li><a href="{home}">Guides</a></li>\n', 1))


def write_reference(folder, javadoc):
    folder.mkdir()
    python_pages.write(folder)
    java_page.write(folder, javadoc)
    for name, (title, folders, introduction) in CPP.items():
        if name == "cpp":
            introduction += "\n\n```{toctree}\n:maxdepth: 1\n\n" + "\n".join(other for other in CPP if other != name) + "\n```"
        (folder / f"{name}.md").write_text(headers.page(title, introduction, INCLUDE, headers_in(folders)))


def main():
    output, javadoc = (Path(argument).resolve() for argument in sys.argv[1:])
    source = output.with_name(output.name + "-source")
    for folder in (source, output):  # Sphinx would keep old titles in the navigation of pages that are not new
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, source, ignore=shutil.ignore_patterns("__pycache__"))
    add_version(source / "index.md")
    copy_javadoc(javadoc, source / "extra/javadoc")
    write_reference(source / "reference", source / "extra/javadoc")
    gallery.write(source / "examples")
    done = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-c", str(source / "site"), str(source),
                           str(output)])
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
