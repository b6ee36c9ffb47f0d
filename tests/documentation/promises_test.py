"""What README and the guides state as facts follows from the sources and the measured data: figures, commands, settings and versions."""

import json
import re
import unittest

from blocks import PAGES, ROOT

README = (ROOT / "README.md").read_text()
TEXT = "\n".join(page.read_text() for page in PAGES)


def ratio(file, row):
    """The last column of a row in the data: the time divided by plain C's."""
    tables = json.loads((ROOT / f"docs/data/{file}.json").read_text())
    found = [values[-1] for table in walk(tables) for name, values in table["rows"].items() if name == row and table["columns"][-1] == "ratio"]
    return found[0]


def walk(value):
    """The tables in the data of benchmarks, which are lists in dicts."""
    if isinstance(value, dict) and "rows" in value:
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from walk(inner)


class ReadmeTest(unittest.TestCase):
    def test_launch_figures_are_the_measured_ones(self):
        sentences = " ".join(re.search(r"^- \*\*Launches are quick\.\*\*(.*?)^- ", README, flags=re.MULTILINE | re.DOTALL)[1].split())
        given = [float(number) for number in re.findall(r"\d+\.\d+", sentences)]
        measured = [ratio("gpu", "__call__"), ratio("gpu", "launch"), ratio("pycuda", "__call__"), ratio("gpu", "a + b"), ratio("pycuda", "a + b")]
        self.assertEqual([f"{number:.2f}" for number in given], [f"{number:.2f}" for number in measured])

    def test_compile_times_are_those_of_the_table(self):
        nvrtc, nvcc = re.search(r"NVRTC compiles a small kernel in (\d+) ms; nvcc takes (\d+) ms", README).groups()
        row = re.search(r"^\| small kernel, not cached \| ([\d.]+) \| ([\d.]+) \|$", (ROOT / "docs/performance.md").read_text(), flags=re.MULTILINE)
        self.assertEqual((int(nvrtc), int(nvcc)), (round(float(row[1])), round(float(row[2]))))

    def test_versions_are_those_of_the_build(self):
        project = (ROOT / "pyproject.toml").read_text()
        version = re.search(r"^project\(pycuda VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), flags=re.MULTILINE)[1]
        self.assertIn(f"<version>{version}</version>", README)
        self.assertIn(f"PyCUDA {version}'s interface", README)
        python = re.search(r"^Python ([\d.]+) or newer", README, flags=re.MULTILINE)[1]
        self.assertIn(f'\nrequires-python = ">={python}"\n', project)
        name, extra = re.search(r'pip install --find-links build/wheels "([\w-]+)\[(\w+)\]"', README).groups()
        self.assertIn(f'\nname = "{name}"\n', project)
        self.assertIn(f"\n{extra} = [\n", project)
        release = re.search(r"^Java (\d+) or newer", README, flags=re.MULTILINE)[1]
        self.assertIn(f"--release {release}", (ROOT / "java/CMakeLists.txt").read_text())

    def test_the_oldest_driver_is_the_one_that_is_accepted(self):
        major, minor = re.search(r"every driver since CUDA (\d+)\.(\d+)", README).groups()
        oldest = re.search(r"\boldest_driver = (\d+);", (ROOT / "core/src/driver/driver_table.cpp").read_text())[1]
        self.assertEqual(int(oldest), 1000 * int(major) + 10 * int(minor))


class CommandsTest(unittest.TestCase):
    def test_commands_exist(self):
        commands = set(re.findall(r"^ {4}([a-z-]+)\) ", (ROOT / "dev").read_text(), flags=re.MULTILINE))
        used = set(re.findall(r"\./dev ([a-z][a-z-]+)", TEXT))
        self.assertGreater(len(used), 12)
        self.assertEqual(used - commands, set())

    def test_settings_exist(self):
        folders = [ROOT / name for name in ("core", "swig", "python", "java", "tests")]
        files = [path for folder in folders for path in folder.rglob("*") if path.suffix in (".cpp", ".hpp", ".h", ".i", ".py", ".java", ".txt", ".cmake")]
        sources = "\n".join([(ROOT / "dev").read_text(), (ROOT / "CMakeLists.txt").read_text(), *(path.read_text() for path in files)])
        used = set(re.findall(r"\bPYCUDA_[A-Z_]+[A-Z]\b", TEXT))
        self.assertGreater(len(used), 25)
        self.assertEqual({name for name in used if not re.search(rf"\b{name}\b", sources)}, set())

    def test_programs_of_the_examples_exist(self):
        used = set(re.findall(r"\./dev run (?:python|java) (examples/[\w./]+)", TEXT))
        self.assertGreater(len(used), 0)
        self.assertEqual({name for name in used if not (ROOT / name).exists()}, set())


if __name__ == "__main__":
    unittest.main()
