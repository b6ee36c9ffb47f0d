"""The tutorial's notebook runs from top to bottom, and contains the outputs of its cells."""

from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
nbformat = pytest.importorskip("nbformat")

TUTORIAL = Path(__file__).resolve().parents[3] / "examples" / "tutorial.ipynb"


def kinds_of_outputs(notebook):
    """For each code cell: whether it printed, returned a value, or showed a picture."""
    cells = (cell for cell in notebook.cells if cell.cell_type == "code")
    return [[sorted(output.get("data", {"text": None})) for output in cell.outputs if output.get("name") != "stderr"] for cell in cells]


def client_for(notebook, path):
    """A kernel sends what a cell printed every 0.2 seconds; the texts of a cell that takes longer (it compiles, say) are joined."""
    return nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", coalesce_streams=True, resources={"metadata": {"path": path}})


def test_runs(tmp_path):
    notebook = nbformat.read(TUTORIAL, as_version=4)
    stored = kinds_of_outputs(notebook)
    assert any("image/png" in kinds for cell in stored for kinds in cell)
    client_for(notebook, str(tmp_path)).execute()
    assert kinds_of_outputs(notebook) == stored


def test_a_slow_cell_has_one_text(tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("import time\nprint(1)\ntime.sleep(0.6)\nprint(2)")])
    client_for(notebook, str(tmp_path)).execute()
    assert kinds_of_outputs(notebook) == [[["text"]]]


def test_outputs_are_independent_of_the_machine():
    text = TUTORIAL.read_text()
    assert "/site-packages" not in text and "/home/" not in text and "/root/" not in text
