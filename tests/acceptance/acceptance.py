"""Runs the tests of programs that use PyCUDA's interface, or the driver's: ./dev acceptance [--write | --bundle] [PROGRAM...].

Everything comes from PyPI into build/acceptance, once; in a bundle it is in .tools/acceptance. The programs' tests may fail
only where failures/PROGRAM.txt says why that is not this package's doing.
"""

import argparse
import fnmatch
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

from programs import APPLICATIONS, CARRIED_PYTHONS, DRIVER_PROGRAMS, PROGRAMS, SHARED, DriverProgram, OwnEnvironment

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DRIVER_TESTS = HERE / "driver_api"
APPLICATION_TESTS = HERE / "applications"
CARRIED = ROOT / ".tools/acceptance"
HOME = ROOT / "build/acceptance"
TABLE = ROOT / "docs/acceptance.md"


@dataclass
class Outcome:
    program: object
    passed: int = 0
    skipped: int = 0
    own: list = field(default_factory=list)  # (test, reason): the program's own
    failed: list = field(default_factory=list)  # (test, message)
    note: str = ""
    seconds: float = 0

    def row(self):
        numbers = [self.passed, len(self.failed), len(self.own), self.skipped]
        shown = [self.note, *[""] * 3] if self.note and not any(numbers) else numbers
        return [self.program.name, self.program.version, *map(str, shown), f"{self.seconds:.0f}"]


# ---- fetching


def pip(*arguments):
    subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", *map(str, arguments), "-q"], check=True)


def interpreter():
    """One with the shared packages and nothing else of this project's environment; on a host without network its own."""
    if CARRIED.is_dir():
        return sys.executable
    python = HOME / "shared/bin/python"
    wanted, noted = "\n".join(SHARED), HOME / "shared/wanted.txt"
    if not noted.exists() or noted.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", HOME / "shared"], check=True)
        pip("--python", python, "install", *SHARED)
        noted.write_text(wanted)
    return str(python)


def home_of(program):
    return HOME / f"{program.name}-{program.version}"


def own_interpreter(program):
    """Of an environment in which nothing is of this project."""
    folder = home_of(program)
    python = folder / "bin/python"
    wanted, noted = "\n".join(program.requirements), folder / "wanted.txt"
    if not noted.exists() or noted.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        pip("--python", python, "install", *program.requirements)
        if program.without:
            pip("--python", python, "uninstall", "-y", *program.without)
        noted.write_text(wanted)
    return str(python)


def fetch_sources(program, folder):
    """Unpacked into the folder's `sources`. The archive."""
    pip("download", "--no-deps", "--no-binary", program.name, "-d", folder, f"{program.name}=={program.version}")
    archive = next(folder.glob("*.tar.gz"))
    with tarfile.open(archive) as tar:
        tar.extractall(folder / "unpacked", filter="data")
    next((folder / "unpacked").iterdir()).rename(folder / "sources")
    return archive


def folder_of(program):
    """The folder of its sources and of `packages`, fetched at need."""
    if program.is_ours:
        return HERE / program.name
    if CARRIED.is_dir():
        return CARRIED / program.name
    folder = home_of(program)
    wanted, noted = "\n".join(program.requirements), folder / "wanted.txt"
    if noted.exists() and noted.read_text() == wanted:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    archive = fetch_sources(program, folder)
    pip("install", "--no-deps", "--no-compile", "--target", folder / "packages", archive, *program.requirements)
    for name in program.stand_ins:
        module = folder / "packages" / name.replace(".", "/")
        module.mkdir()
        (module / "__init__.py").touch()
    noted.write_text(wanted)
    return folder


def bundle(programs, into):
    """What a host without network needs. Code that was compiled for this Python is left out."""
    shutil.rmtree(into, ignore_errors=True)
    for program in (each for each in programs if not each.is_ours):
        for part in ("packages", "sources"):
            shutil.copytree(folder_of(program) / part, into / program.name / part,
                            ignore=shutil.ignore_patterns("*.so", "__pycache__", "*.c", "*.cpp", "doc", "docs", "examples"))
        packages = into / program.name / "packages"
        for module, text in program.compiled_modules:
            (packages / f"{module}.py").write_text(f"{text}\n")
        for version in CARRIED_PYTHONS if program.compiled else ():
            pip("install", "--no-deps", "--upgrade", "--only-binary", ":all:", "--python-version", version, "--target", into / version,
                *program.compiled)
            shutil.copytree(into / version, packages, dirs_exist_ok=True)
            shutil.rmtree(into / version)
    nbytes = sum(file.stat().st_size for file in into.rglob("*") if file.is_file())
    print(f"{into} is ready: {nbytes / 2**20:.0f} MiB")


# ---- running


@dataclass(frozen=True)
class Known:
    """A line of a list of failures."""

    line: str
    reason: str
    test: str = "*"  # as fnmatch takes it, at the end of the test's name
    message: str = ""  # a part of the failure's message

    def explains(self, test, message):
        return self.message in message and fnmatch.fnmatchcase(test, "*" + self.test.replace("[", "[[]"))


def known_failures(program, device):
    """Lines of 'test: reason' or '"part of a message": reason', after "cpu " or "cuda " where they are of one device alone."""
    path = HERE / "failures" / f"{program.name}.txt"
    for line in path.read_text().splitlines() if path.exists() else ():
        if line and not line.startswith("#"):
            where, rest = line.split(" ", 1) if line.split(" ", 1)[0] in ("cpu", "cuda") else (device, line)
            if where != device:
                continue
            if rest.startswith('"'):
                message, reason = rest[1:].split('": ', 1)
                yield Known(line, reason, message=message)
            else:
                test, reason = rest.split(": ", 1)
                yield Known(line, reason, test=test)


def command_of(program, python):
    """How its tests are run, where, and in which environment."""
    folder = folder_of(program)
    path = os.pathsep.join([str(folder / ("sources" if program.is_ours else "packages")), os.environ["PYTHONPATH"]])
    shares_out = program.is_long and (not CARRIED.is_dir() or importlib.util.find_spec("xdist"))
    workers = ["-n", str(os.cpu_count())] if shares_out else []
    return [python, "-P", "-m", "pytest", f"--rootdir={folder}", *workers], folder / "sources", {**os.environ, "PYTHONPATH": path}


def driver_command(program, device):
    # Not with the libraries of this project's toolkit, of which one is nvJitLink.
    inherited = {name: value for name, value in os.environ.items() if name not in ("CUDA_HOME", "CUDA_PATH")}
    environment = {**inherited, "PYTHONPATH": str(DRIVER_TESTS)}
    if device == "cpu":
        import pycuda.cpu

        environment = {**pycuda.cpu.environment(environment), "PYCUDA_CPU_CHECK": "continue"}
    return [own_interpreter(program), "-m", "pytest"], DRIVER_TESTS, environment


def application_command(program):
    python, folder = own_interpreter(program), APPLICATION_TESTS
    if program.has_tests:
        folder = home_of(program) / "sources"
        if not folder.exists():
            fetch_sources(program, folder.parent)
    return [python, "-P", "-m", "pytest", f"--rootdir={folder}"], folder, {**os.environ, **dict(program.variables)}


def run(program, python, device):
    outcome = Outcome(program)
    missing = [name for name in program.needs if CARRIED.is_dir() and not importlib.util.find_spec(name)]
    if missing:
        outcome.note = f"not run: {', '.join(missing)} missing"
        return outcome
    own, opens_driver = isinstance(program, OwnEnvironment), isinstance(program, DriverProgram)
    if CARRIED.is_dir() and (own or program.installs_packages):
        outcome.note = "not run: it is not in the bundle"
        return outcome
    if opens_driver:
        command, folder, environment = driver_command(program, device)
    else:
        command, folder, environment = application_command(program) if own else command_of(program, python)
    report = HOME / f"{program.name}.xml"
    report.parent.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)
    started = time.monotonic()
    with open(report.with_suffix(".log"), "w") as log:
        try:
            subprocess.run([*command, f"--junitxml={report}", "-p", "no:cacheprovider", "--timeout=600", *program.pytest_arguments()],
                           cwd=folder, env={**environment, "PYTHONDONTWRITEBYTECODE": "1"},
                           stdout=log, stderr=subprocess.STDOUT, timeout=program.limit_s)
        except subprocess.TimeoutExpired:
            log.write(f"\nnot done after {program.limit_s} s\n")
    outcome.seconds = time.monotonic() - started
    read_report(report, outcome, list(known_failures(program, device)))
    if opens_driver and outcome.passed < program.at_least:
        outcome.failed.append((str(report), f"{outcome.passed} tests passed, not {program.at_least}"))
    return outcome


def read_report(report, outcome, known):
    used = set()
    if not report.exists():
        outcome.failed.append((str(report.with_suffix(".log")), "the tests did not run to their end"))
        return
    for case in ElementTree.parse(report).iter("testcase"):
        test = f"{case.get('classname')}::{case.get('name')}"
        problem = next((case.find(tag) for tag in ("failure", "error") if case.find(tag) is not None), None)
        if problem is not None:
            message = "".join((problem.get("message") or "").splitlines()[:1])
            explanation = next((each for each in known if each.explains(test, message)), None)
            used.add(explanation)
            outcome.own.append((test, explanation.reason)) if explanation else outcome.failed.append((test, message))
        elif case.find("skipped") is not None:
            outcome.skipped += 1
        else:
            outcome.passed += 1
    if not outcome.passed:
        outcome.failed.append((str(report), "no test passed"))
    outcome.failed += [(f"failures/{outcome.program.name}.txt", f"no failure is explained by the line, or an earlier one explains it: {each.line}") for each in known if each not in used]


# ---- the table


def table(outcomes):
    header = ["program", "version", "passed", "failed", "its own failures", "skipped", "seconds"]
    rows = [header, ["---"] * len(header), *(outcome.row() for outcome in outcomes)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def write(text, device):
    """Put the table of this device into the page, between its marks."""
    page = TABLE.read_text()
    marked = re.compile(rf"(<!-- {device} -->\n).*?(<!-- end -->)", re.S)
    TABLE.write_text(marked.sub(lambda found: f"{found[1]}{text}\n{found[2]}", page))


def main():
    parser = argparse.ArgumentParser(prog="./dev acceptance")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="default: all")
    parser.add_argument("--bundle", action="store_true", help="only fetch, for ./dev bundle: into build/acceptance/bundle")
    parser.add_argument("--write", action="store_true", help="write the table into docs/acceptance.md")
    asked = parser.parse_args()
    known = {program.name: program for program in [*PROGRAMS, *APPLICATIONS, *DRIVER_PROGRAMS]}
    if unknown := set(asked.programs) - set(known):
        parser.error(f"no program {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    programs = [known[name] for name in asked.programs] or list(known.values())
    if asked.bundle:
        return bundle([program for program in programs if program in PROGRAMS], HOME / "bundle")

    device = subprocess.run([sys.executable, "-c", "import pycuda.driver as drv\ndrv.init()\n"
                             "print('cpu' if drv.driver_info().is_cpu_device else 'cuda')"],
                            check=True, capture_output=True, text=True).stdout.strip()
    python, outcomes = interpreter() if any(program in PROGRAMS for program in programs) else "", []
    for program in programs:
        print(f"{program.name} {program.version}", flush=True)
        outcomes.append(run(program, python, device))
        for test, message in outcomes[-1].failed:
            print(f"  FAILED {test}: {message}", flush=True)
    text = table(outcomes)
    print(text)
    if asked.write:
        write(text, device)
    return 1 if any(outcome.failed for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
