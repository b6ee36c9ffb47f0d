"""A release as a dry run: release.py VERSION DIST MAVEN checks the built files and lists those that would be uploaded. It uploads nothing.

DIST holds wheels and the sdist, for PyPI. MAVEN is a repository with org/pycuda/pycuda/VERSION, for Maven Central: its files are bundled in
DIST. With GPG_KEY set, the bundle's files are signed with that key. The report ends with what users will read, the version's section of the
changelog and the versioning promise. The exit status is 1 if a check fails.
"""

import email
import hashlib
import os
import platform
import re
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as xml
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
POM_NEEDS = ("name", "description", "url", "licenses/license/name", "developers/developer/name", "scm/url", "scm/connection")
JARS = (".jar", f"-linux-{platform.machine()}.jar", "-sources.jar", "-javadoc.jar")
WHEEL_NEEDS = ("pycuda/py.typed", "pycuda/driver.pyi", "pycuda/libpycuda_cpu.so", "pycuda/include/pycuda-complex.hpp",
               "pycuda/include/pycuda-kernels.fatbins")
SDIST_NEEDS = ("CMakeLists.txt", "LICENSE", "README.md", "swig/python/driver.i", "core/include/pycuda/driver/driver.hpp", "docs/changelog.md")
PLACEHOLDER = ".example"  # a reserved domain


def check_metadata(text, version):
    """Return the errors in the metadata of a wheel or an sdist."""
    metadata = email.message_from_string(text)
    problems = [f"no {field}" for field in ("Summary", "License-Expression", "Author", "Requires-Python", "Project-URL", "Classifier", "Keywords")
                if not metadata[field]]
    if metadata["Version"] != version:
        problems.append(f"version {metadata['Version']}, not {version}")
    if metadata["Description-Content-Type"] != "text/markdown":
        problems.append("the description is not Markdown")
    relative = re.findall(r"\]\((?!https?:|#)([^)\s]+)\)", metadata.get_payload())
    return problems + [f"relative link in the description: {link}" for link in relative]


def check_wheel(path, version):
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        problems = check_metadata(wheel.read(next(name for name in names if name.endswith(".dist-info/METADATA"))).decode(), version)
    problems += [f"no {name}" for name in WHEEL_NEEDS if name not in names]
    if not any("licenses/LICENSE" in name for name in names):
        problems.append("no licence")
    if "manylinux_2_28" not in path.name:
        problems.append("no tag manylinux_2_28: ./dev wheel names wheels for the systems that they run on")
    return problems


def check_sdist(path, version):
    with tarfile.open(path) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
        text = sdist.extractfile(next(member for member in sdist.getmembers() if member.name.endswith("/PKG-INFO"))).read().decode()
    return check_metadata(text, version) + [f"no {name}" for name in SDIST_NEEDS if name not in names]


def check_maven(folder, version):
    """Return the reasons for which Maven Central would reject the files."""
    names = [f"pycuda-{version}{kind}" for kind in (".pom", *JARS)]
    problems = [f"no {name}" for name in names if not (folder / name).exists()]
    if (folder / names[0]).exists():
        pom = xml.parse(folder / names[0]).getroot()
        space = {"": "http://maven.apache.org/POM/4.0.0"}
        problems += [f"the POM has no {tag}" for tag in POM_NEEDS if not pom.findtext(tag, namespaces=space)]
    return problems


def changelog_section(title):
    """Return the section of docs/changelog.md whose heading begins with `title`; empty if there is none."""
    found = re.search(rf"^## {re.escape(title)}(?![\w.]).*?(?=^## |\Z)", (ROOT / "docs/changelog.md").read_text(), flags=re.MULTILINE | re.DOTALL)
    return found[0].strip() if found else ""


def still_to_do(version):
    """Return what remains to be done by hand before the upload."""
    steps = []
    if PLACEHOLDER in re.search(r'^Source = "(.+)"$', (ROOT / "pyproject.toml").read_text(), flags=re.MULTILINE)[1]:
        steps.append("set the project's addresses in pyproject.toml, [project.urls]")
    if "(not released yet)" in changelog_section(version).partition("\n")[0]:
        steps.append(f"give version {version} its date in docs/changelog.md")
    if not os.environ.get("GPG_KEY"):
        steps.append("set GPG_KEY to the key to sign Maven's files with")
    return steps


def signature(path, key):
    done = subprocess.run(["gpg", "--batch", "--armor", "--local-user", key, "--detach-sign", "--output", "-", path], capture_output=True)
    if done.returncode:
        sys.exit(f"gpg cannot sign with GPG_KEY={key}: {done.stderr.decode().strip()}")
    return done.stdout


def maven_bundle(folder, version, target):
    """Write the zip file for Maven Central: each file with its checksums and, if there is a key, its signature.

    Without a key, the same files give the same bytes at any time.
    """
    with zipfile.ZipFile(target, "w") as bundle:
        def add(name, data):
            member = zipfile.ZipInfo(f"org/pycuda/pycuda/{version}/{name}")
            member.external_attr = 0o644 << 16
            bundle.writestr(member, data, zipfile.ZIP_DEFLATED)

        for path in sorted(path for path in folder.iterdir() if path.suffix in (".jar", ".pom")):
            data = path.read_bytes()
            add(path.name, data)
            for algorithm in ("md5", "sha1"):
                add(f"{path.name}.{algorithm}", hashlib.new(algorithm, data).hexdigest())
            if key := os.environ.get("GPG_KEY"):
                add(f"{path.name}.asc", signature(path, key))


def main():
    version, dist, repository = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    maven, bundle = repository / "org/pycuda/pycuda" / version, dist / f"pycuda-{version}-maven-central.zip"
    checked = {path: check_wheel(path, version) for path in sorted(dist.glob("pycuda_swig-*.whl"))}
    checked |= {path: check_sdist(path, version) for path in dist.glob("pycuda_swig-*.tar.gz")}
    problems = [f"{path.name}: {problem}" for path, found in checked.items() for problem in found]
    problems += [f"no {kind}" for kind in (".whl", ".tar.gz") if not any(path.name.endswith(kind) for path in checked)]
    problems += [f"Maven: {problem}" for problem in check_maven(maven, version)]
    texts = [changelog_section(title) for title in (version, "Versioning promise")]
    if not all(texts):
        problems.append(f"docs/changelog.md has no section on {version}, or no versioning promise")
    if not problems:
        maven_bundle(maven, version, bundle)
    print(f"pycuda {version}: a dry run, which uploads nothing\n")
    for title, paths in (("To PyPI:", checked), ("To Maven Central:", [bundle] if bundle.exists() else [])):
        print(title)
        for path in paths:
            print(f"  {path}  {path.stat().st_size:,} bytes\n    sha256 {hashlib.sha256(path.read_bytes()).hexdigest()}")
            if path == bundle:
                print(*(f"    {file.filename}  {file.file_size:,} bytes" for file in zipfile.ZipFile(bundle).infolist()), sep="\n")
    print("", *texts, sep="\n\n")
    for title, lines in (("Wrong:", problems), ("To do before an upload:", still_to_do(version))):
        if lines:
            print(f"\n{title}", *lines, sep="\n  ")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
