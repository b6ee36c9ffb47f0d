"""The report of a release: what it lists, what it signs, and what it rejects. The files are small stand-ins, so nothing is built."""

import io
import os
import platform
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
import zipfile
from pathlib import Path

RELEASE = Path(__file__).resolve().parents[2] / "python/packaging/release.py"
sys.path.append(str(RELEASE.parent))
import release  # noqa: E402

VERSION = "2026.1"
METADATA = f"""Metadata-Version: 2.4
Name: pycuda-swig
Version: {VERSION}
Summary: s
License-Expression: MIT
Author: a
Requires-Python: >=3.10
Project-URL: Source, https://project.example
Classifier: c
Keywords: k
Description-Content-Type: text/markdown

[absolute](https://project.example/docs)
"""
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><name>n</name><description>d</description><url>u</url>
<licenses><license><name>MIT</name></license></licenses><developers><developer><name>a</name></developer></developers>
<scm><url>u</url><connection>c</connection></scm></project>
"""


def write_wheel(path, metadata=METADATA):
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("pycuda_swig.dist-info/METADATA", metadata)
        for name in (*release.WHEEL_NEEDS, "pycuda_swig.dist-info/licenses/LICENSE"):
            wheel.writestr(name, "")


def write_sdist(path):
    with tarfile.open(path, "w:gz") as sdist:
        for name, text in {"PKG-INFO": METADATA, **dict.fromkeys(release.SDIST_NEEDS, "")}.items():
            member = tarfile.TarInfo(f"pycuda_swig-{VERSION}/{name}")
            member.size = len(text.encode())
            sdist.addfile(member, io.BytesIO(text.encode()))


class ReleaseTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.keys = Path(temporary.name) / "keys"
        cls.keys.mkdir(mode=0o700)
        cls.environment = {**{name: value for name, value in os.environ.items() if name != "GPG_KEY"}, "GNUPGHOME": str(cls.keys)}
        cls.gpg("--passphrase", "", "--quick-generate-key", "release@project.example", "ed25519", "sign", "1d")
        cls.addClassCleanup(subprocess.run, ["gpgconf", "--kill", "gpg-agent"], env=cls.environment, check=True)

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.dist = Path(temporary.name)
        self.wheel = self.dist / f"pycuda_swig-{VERSION}-cp311-cp311-manylinux_2_28_{platform.machine()}.whl"
        write_wheel(self.wheel)
        write_sdist(self.dist / f"pycuda_swig-{VERSION}.tar.gz")
        self.maven = self.dist / "maven/org/pycuda/pycuda" / VERSION
        self.maven.mkdir(parents=True)
        self.artifacts = [f"pycuda-{VERSION}{kind}" for kind in (".pom", *release.JARS)]
        for name in self.artifacts:
            (self.maven / name).write_text(POM)

    @classmethod
    def gpg(cls, *arguments):
        return subprocess.run(["gpg", "--batch", *map(str, arguments)], env=cls.environment, capture_output=True, check=True)

    def report(self, version=VERSION, **variables):
        """Return the output of the command, and its exit status."""
        done = subprocess.run([sys.executable, "-B", RELEASE, version, self.dist, self.dist / "maven"], env=self.environment | variables,
                              capture_output=True, text=True)
        return done.stdout + done.stderr, done.returncode

    def bundle(self):
        return zipfile.ZipFile(self.dist / f"pycuda-{VERSION}-maven-central.zip")

    def test_every_file_is_listed(self):
        text, status = self.report()
        self.assertEqual(status, 0, text)
        for name in (self.wheel.name, f"pycuda_swig-{VERSION}.tar.gz", *self.artifacts, *(f"{name}.sha1" for name in self.artifacts)):
            self.assertIn(f"{name}  ", text)
        self.assertIn("set GPG_KEY", text)

    def test_a_second_run_gives_the_same_report(self):
        first, _ = self.report()
        time.sleep(2)  # the times in a zip file are even numbers of seconds
        second, _ = self.report()
        self.assertEqual(first, second)

    def test_users_texts_are_shown(self):
        text, _ = self.report()
        self.assertIn(f"\n## {VERSION}", text)
        self.assertIn("\n## Versioning promise\n", text)
        self.assertEqual(text.count("\n## "), 2)

    def test_signatures_are_of_the_key(self):
        text, status = self.report(GPG_KEY="release@project.example")
        self.assertEqual(status, 0, text)
        self.assertNotIn("GPG_KEY", text)
        for name in self.artifacts:
            signed = self.dist / f"{name}.asc"
            signed.write_bytes(self.bundle().read(f"org/pycuda/pycuda/{VERSION}/{name}.asc"))
            self.gpg("--verify", signed, self.maven / name)

    def test_key_that_gpg_lacks(self):
        text, status = self.report(GPG_KEY="missing@project.example")
        self.assertEqual(status, 1)
        self.assertIn("gpg cannot sign with GPG_KEY=missing@project.example", text)

    def test_missing_files_are_reported(self):
        write_wheel(self.wheel, METADATA.replace("Summary: s\n", "").replace("https://project.example/docs", "docs/index.md"))
        (self.maven / self.artifacts[-1]).unlink()
        text, status = self.report()
        self.assertEqual(status, 1)
        for problem in ("no Summary", "relative link in the description: docs/index.md", f"no {self.artifacts[-1]}"):
            self.assertIn(problem, text)
        self.assertNotIn("maven-central.zip  ", text)

    def test_version_that_the_changelog_lacks(self):
        text, status = self.report("1.0")
        self.assertEqual(status, 1)
        self.assertIn("docs/changelog.md has no section on 1.0", text)


if __name__ == "__main__":
    unittest.main()
