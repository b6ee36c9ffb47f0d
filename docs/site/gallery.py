"""The gallery: runs every example; its page shows its picture, its output, and its source in both languages."""

import ast
import io
import re
import subprocess
import sys
import tempfile
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import matplotlib
from tabs import tabs

matplotlib.use("agg")
from matplotlib import pyplot  # noqa: E402

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
_ROW = re.compile(r"^\| \[(\w+)\.py\]\(\w+\.py\) \| \[(\w+)\.java\]\(\w+\.java\) \| (.+?) \| (.+?) \|$", re.MULTILINE)
_TITLES = {"hello_gpu": "Hello", "saxpy": "SAXPY", "nbody": "N-body simulation", "monte_carlo_pi": "Monte Carlo pi", "kmeans": "k-means", "fft": "FFT"}
_DRAWING = 25  # lines: so many are a picture made of characters
_SENTENCE = 100  # characters of a card
_INDEX = """# Examples

Complete programs in Python and in Java, with what they write and print on the CPU device. In a checkout, `./dev run python examples/nbody.py` and
`./dev run java examples/NBody.java` run one.

`````{{grid}} 1 2 2 3
:gutter: 3

{cards}
`````

[Many devices](../scaling.md) has programs for MPI, Dask and Spark.

```{{toctree}}
:hidden:

{pages}
```
"""
_PICTURE = """```{{grid-item-card}} {title}
:link: {name}
:link-type: doc
:img-top: {name}.png
:class-img-top: example

{shows}
```
"""
_TEXT = """````{{grid-item-card}} {title}
:link: {name}
:link-type: doc
:class-card: {kind}

```text
{printed}
```

{shows}
````
"""
_PAGE = """# {title}

{description}

{picture}
```text
{printed}
```

It shows: {shows}.

{source}
"""


def _drawn(picture):
    """Return the picture as a PNG of 1,024 pixels, with axes that count its cells."""
    cells = pyplot.imread(io.BytesIO(picture))
    figure, axes = pyplot.subplots(figsize=(8, 8), dpi=128, layout="constrained")
    axes.imshow(cells, interpolation="nearest", extent=(0, cells.shape[1], cells.shape[0], 0))
    axes.tick_params(labelsize=16)
    drawn = io.BytesIO()
    figure.savefig(drawn)
    pyplot.close(figure)
    return drawn.getvalue()


def _run(name):
    """Return the example's output, and the picture that it writes or None."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, EXAMPLES / f"{name}.py"], cwd=folder, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"examples/{name}.py: {done.stderr}")
        picture = next(Path(folder).glob("*.png"), None)
        return done.stdout.rstrip(), picture and picture.read_bytes()


def _description(source):
    text = " ".join((ast.get_docstring(ast.parse(source)) or "").split())
    return re.sub(r",? or the file named as the argument,?|; the same program as \w+\.java", "", text)


def write(folder):
    """Write the gallery's pages and pictures."""
    folder.mkdir()
    rows = _ROW.findall((EXAMPLES / "README.md").read_text())
    with ThreadPoolExecutor() as pool:
        results = list(pool.map(_run, [name for name, *_ in rows]))
    cards = []
    for (name, java, shows, _), (printed, picture) in zip(rows, results):
        python = (EXAMPLES / f"{name}.py").read_text()
        facts = {"title": _TITLES.get(name, name.replace("_", " ").capitalize()), "name": name, "shows": shows, "printed": printed}
        if picture:
            (folder / f"{name}.png").write_bytes(_drawn(picture))
            cards.insert(len(list(folder.glob("*.png"))) - 1, _PICTURE.format(**facts))
        elif printed.count("\n") > _DRAWING:
            cards.append(_TEXT.format(**facts, kind="drawing"))
        else:
            sentences = [line for line in printed.split("\n") if line[:1].isalpha()]  # not the rows of an array
            cards.append(_TEXT.format(**facts | {"printed": textwrap.shorten(sentences[-1], _SENTENCE, placeholder=" …")}, kind="printing"))
        (folder / f"{name}.md").write_text(_PAGE.format(
            **facts, description=_description(python), source=tabs(python, (EXAMPLES / f"{java}.java").read_text()),
            picture=f"![What {name} wrote]({name}.png)\n" if picture else ""))
    (folder / "index.md").write_text(_INDEX.format(cards="\n".join(cards), pages="\n".join(name for name, *_ in rows)))
