"""Every example runs as a separate program, as after ./dev demo, and prints the expected number."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples"
sys.path.append(str(ROOT / "tests/install"))
from environments import demo_environment  # noqa: E402

# A text that each example prints, and the bounds of the last number in its output.
NUMBERS = {
    "saxpy": ("largest difference", 0, 1e-5),
    "monte_carlo_pi": ("pi is about", 3.13, 3.153),
    "option_price": ("Monte Carlo", 7.07, 7.19),
    "kmeans": ("largest distance of a true centre", 0, 0.1),
    "fused": ("separate operations", 7.7, 7.8),
    "fft": ("strongest tones: 50 440 1200", 0, 1e-6),
    "heat_equation": ("remaining heat", 90, 100),
    "conjugate_gradient": ("relative residual", 0, 1e-9),
    "nbody": ("the energy changed by", 0, 1),
    "game_of_life": ("living cells", 36 + 10 * 5, 36 + 10 * 5),
    "image_filter": ("the disc's edge", 0.99, 1.01),
    "overlap_copies": ("3 streams", 0, 2e-6),
    "dependent_launch": ("dependent launches", 0, 1e-5),
    "graph_solver": ("as a graph: 187 steps", 0, 1e-8),
    "growing_memory": ("memory was added", 295947, 295947),
    "tensor_map": ("largest difference", 0, 1e-6),
    "driver_pools": ("the pool holds", 0, 1e-6),
    "interoperation": ("by numpy: 28.0", 28, 28),
    "shared_memory": ("sum after the other process", 999000, 999000),
}
TEXTS = {"hello_gpu": "Python on", "device_graphs": "graph launched itself: ", "checkpoint": "sum: 499500", "peer_memory": "copied: 499500", "external_frames": "frames: ", "green_contexts": "same results: True", "mandelbrot": "--==--", "tuned_kernel": "fastest: "}
# The picture that the example writes, and its width and height.
PICTURES = {
    "heat_equation": ("heat.png", 96),
    "conjugate_gradient": ("membrane.png", 48),
    "nbody": ("nbody.png", 200),
    "game_of_life": ("life.png", 128),
    "image_filter": ("edges.png", 256),
}


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    return demo_environment(tmp_path_factory.mktemp("demo"))


@pytest.fixture
def run_example(environment, tmp_path):
    python, variables = environment

    def run(name, **more):
        done = subprocess.run([python, EXAMPLES / f"{name}.py"], env={**variables, **more}, cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def without_times(printed):
    """An example's output up to its times, and the line with the times."""
    results, found, times = printed.rstrip().rpartition("\ntime of ")
    return (results, times) if found else (printed, "")


def test_no_example_is_forgotten():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {*NUMBERS, *TEXTS}


@pytest.mark.parametrize("name", NUMBERS)
def test_number(run_example, tmp_path, name):
    if name in PICTURES:
        imread = pytest.importorskip("matplotlib.image").imread
    text, low, high = NUMBERS[name]
    printed, times = without_times(run_example(name))
    number = float(re.findall(r"\d[\d.]*(?:e[-+]?\d+)?", printed)[-1])
    assert text in printed and low <= number <= high, printed
    picture, size = PICTURES.get(name, (None, 0))
    assert [path.name for path in tmp_path.iterdir()] == [picture] * (picture is not None)
    if picture:
        assert f"wrote {picture}" in printed
        assert re.fullmatch(r"[a-z ]+: \d+\.\d\d ms on .+, \d+\.\d\d ms with NumPy", times), times
        pixels = imread(tmp_path / picture)
        assert pixels.shape == (size, size, 4) and pixels[..., :3].min() < 0.1 and pixels[..., :3].max() > 0.9


@pytest.mark.parametrize("name", TEXTS)
def test_text(run_example, name):
    printed, times = without_times(run_example(name))
    assert TEXTS[name] in printed and (name != "mandelbrot" or times.endswith(" ms with NumPy"))


def test_a_second_device(run_example, is_cpu_device):
    if is_cpu_device:
        assert "numbers added: 999000" in run_example("peer_memory", PYCUDA_CPU_DEVICES="2")
