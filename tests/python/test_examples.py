"""Every example runs as a program of its own and prints the number that it should."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

# What an example prints, and between which bounds the last number in it lies.
NUMBERS = {
    "saxpy": ("largest difference", 0, 1e-5),
    "monte_carlo_pi": ("pi is about", 3.13, 3.153),
    "kmeans": ("largest distance of a true centre", 0, 0.1),
    "heat_equation": ("heat that is left", 90, 100),
    "conjugate_gradient": ("relative residual", 0, 1e-9),
}
TEXTS = {"hello_gpu": "Python on", "mandelbrot": "--==--"}


@pytest.fixture
def run_example(tmp_path):
    def run(name):
        done = subprocess.run([sys.executable, EXAMPLES / f"{name}.py"], env=dict(os.environ), cwd=tmp_path, capture_output=True,
                              text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_no_example_is_forgotten():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {*NUMBERS, *TEXTS}


@pytest.mark.parametrize("name", NUMBERS)
def test_number(run_example, name):
    text, low, high = NUMBERS[name]
    printed = run_example(name)
    number = float(re.findall(r"\d[\d.]*(?:e[-+]?\d+)?", printed)[-1])
    assert text in printed and low <= number <= high


@pytest.mark.parametrize("name", TEXTS)
def test_text(run_example, name):
    assert TEXTS[name] in run_example(name)


def test_heat_equation_draws(run_example, tmp_path):
    run_example("heat_equation")
    header, pixels = (tmp_path / "heat.pgm").read_bytes().split(b"\n", 1)
    assert header == b"P5 96 96 255"
    assert len(pixels) == 96 * 96 and max(pixels) == 255 and min(pixels) == 0
