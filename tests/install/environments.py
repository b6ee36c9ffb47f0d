"""Environments that have what an installation has and no more, without downloads: links to packages that the tests' own has.

demo_environment is what ./dev demo leaves, wheel_environment a wheel with the extras that the docs name. Packages are those that
pyproject.toml names, and what these require. A package that the tests' environment lacks for a reason (pyproject.toml names it for
other versions of Python, or a toolkit is used instead of pip's) is missing here, too.
"""

import os
import re
import subprocess
import sys
import venv
from importlib import metadata
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    tomllib = None

ROOT = Path(__file__).resolve().parents[2]


def requirements_of_groups(project, groups):
    for group in groups:
        for entry in project["dependency-groups"][group]:
            if isinstance(entry, dict):
                yield from requirements_of_groups(project, [entry["include-group"]])
            else:
                yield entry


def closure(requirements):
    """The installed distributions that these requirements lead to."""
    found, queue = {}, list(requirements)
    while queue:
        name = re.match(r"[\w.-]+", queue.pop())[0].lower().replace("_", "-")
        if name in found:
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        queue += [requirement for requirement in found[name].requires or () if "extra ==" not in requirement]
    return found


def link_distribution(distribution, site):
    for file in distribution.files:
        if ".." in file.parts or "__pycache__" in file.parts:
            continue
        # The packages of CUDA share folders.
        shared = file.parts[0] == "nvidia"
        place = site / (file if shared else file.parts[0])
        if not place.is_symlink():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(distribution.locate_file(file if shared else file.parts[0]))


def environment(folder, requirements):
    """Create a virtual environment in `folder`; return its Python and its site-packages."""
    venv.create(folder, symlinks=True)
    site = next(folder.glob("lib/python*/site-packages"))
    for distribution in closure(requirements).values():
        link_distribution(distribution, site)
    return folder / "bin/python", site


def variables():
    """The environment's variables without those that lead into the tests' own environment."""
    kept = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
    if Path(kept.get("CUDA_HOME", "/")).is_relative_to(sys.prefix):
        del kept["CUDA_HOME"]
    kept["PATH"] = ":".join(part for part in kept["PATH"].split(":") if not Path(part).is_relative_to(sys.prefix))
    return kept


def read_project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def has_packages_of_pip():
    """False in a bundle, whose interpreter has what its host has."""
    return tomllib is not None and not (ROOT / ".tools").is_dir()


def demo_environment(folder):
    """The Python of an environment as after ./dev demo, and its variables."""
    if not has_packages_of_pip():
        return sys.executable, dict(os.environ)
    groups = re.search(r"^ +demo\) included=tests groups=\((.*)\); has_toolkit \|\| groups\+=\((.*)\)", (ROOT / "dev").read_text(), re.MULTILINE)
    python, _ = environment(Path(folder), requirements_of_groups(read_project(), (groups[1] + " " + groups[2]).split()))
    return python, {**variables(), "PYTHONPATH": os.environ["PYTHONPATH"]}


def wheel_environment(folder, cmake, build_tree):
    """The same of an environment with the wheel and its extras `toolkit` and `examples`."""
    project = read_project()["project"]
    extras = project["optional-dependencies"]
    python, site = environment(Path(folder), [*project["dependencies"], *extras["toolkit"], *extras["examples"]])
    subprocess.run([cmake, "--install", build_tree, "--component", "python", "--prefix", site], check=True, stdout=subprocess.DEVNULL)
    return python, variables()
