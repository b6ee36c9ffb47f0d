"""The projects of docs/java_projects.md: each is created in an empty folder as the page describes it, and run, with each of these JDKs.

usage: projects.py cmake build_tree repository JDK...

A section of the page is a project. A line with nothing but a file's name stands before what the file holds; indented lines are commands, which go on
after a backslash; the block after "prints" is what they print. The repository gets this package, and what Maven fetches.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs/java_projects.md"
FENCE = r"```\w*\n(.*?)^```$"


def sections(page):
    """Return (title, text) of each section."""
    _, *parts = re.split(r"^## ", page, flags=re.MULTILINE)
    return [part.split("\n", 1) for part in parts]


def project(text):
    """Return a section's files by name, its commands, and what they print."""
    files = dict(re.findall(rf"^`([^`\n]+)`\n\n{FENCE}", text, flags=re.MULTILINE | re.DOTALL))
    printed = re.search(rf"^prints[^\n]*\n\n{FENCE}", text, flags=re.MULTILINE | re.DOTALL)[1]
    commands = re.findall(r"^    (\S(?:.*\\\n)*.*)$", re.sub(FENCE, "", text, flags=re.MULTILINE | re.DOTALL), flags=re.MULTILINE)
    return files, commands, printed


def suits(text, jdk):
    """Whether the JDK can compile for the release that a section's pom.xml names."""
    release = re.search(r"<maven.compiler.release>(\d+)<", text)
    return not release or int(release[1]) <= int(re.search(r'JAVA_VERSION="(\d+)', (jdk / "release").read_text())[1])


def environment(jdk, repository):
    inherited = {key: value for key, value in os.environ.items() if key not in ("CLASSPATH", "PYCUDA_CPU_LIBRARY")}
    return {**inherited, "JAVA_HOME": str(jdk), "PATH": f"{jdk}/bin:{os.environ['PATH']}", "PYCUDA_DRIVER": os.environ.get("PYCUDA_DRIVER", "cpu"),
            "MAVEN_OPTS": f"-Dmaven.repo.local={repository} {os.environ.get('MAVEN_OPTS', '')}"}


def run(title, text, jdk, repository):
    files, commands, printed = project(text)
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        done = subprocess.run(["bash", "-e", "-c", "\n".join(commands)], cwd=folder, env=environment(jdk, repository), capture_output=True, text=True)
    said = re.sub(r"\x1b\[\d*m", "", done.stdout).strip()  # Maven resets colours at the end
    if done.returncode or said != printed.strip():
        raise SystemExit(f"{title}, {jdk}: status {done.returncode}, expected\n{printed}\ninstead of\n{said}\n{done.stderr}")
    print(f"{title}, {jdk.name}: {len(files)} files, {len(commands)} commands")


def main(cmake, build_tree, repository, *jdks):
    subprocess.run([cmake, "--install", build_tree, "--component", "maven", "--prefix", repository], check=True, stdout=subprocess.DEVNULL)
    for title, text in sections(PAGE.read_text()):
        for jdk in map(Path, jdks):
            if suits(text, jdk):
                run(title, text, jdk, repository)


if __name__ == "__main__":
    main(*sys.argv[1:])
