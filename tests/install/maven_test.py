"""The Maven package: the contents of its jars, and programs that use them. Arguments: cmake, build tree, version.

Plug-ins are downloaded once, into the repository that java/fetch.sh fills too.
"""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "python/packaging"))
import release  # noqa: E402

ENVIRONMENT = {key: value for key, value in os.environ.items() if key not in ("CLASSPATH", "PYCUDA_CPU_LIBRARY")}
# Maven runs for only seconds: the optimising compiler would not pay off.
ENVIRONMENT["JDK_JAVA_OPTIONS"] = f"-XX:TieredStopAtLevel=1 -XX:+UseSerialGC {os.environ.get('JDK_JAVA_OPTIONS', '')}"


def run(*command, cwd=None):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=cwd, env=ENVIRONMENT)
    if done.returncode:
        raise AssertionError(f"{command}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def manifest_of(jar):
    text = zipfile.ZipFile(jar).read("META-INF/MANIFEST.MF").decode().replace("\r\n ", "")
    return dict(line.split(": ", 1) for line in text.split("\r\n") if line)


class MavenTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.repository = ROOT / "build/deps/maven"
        cls.folder = cls.repository / "org/pycuda/pycuda" / VERSION
        run(CMAKE, "--build", BUILD_TREE, "--target", "pycuda_maven")
        shutil.rmtree(cls.folder, ignore_errors=True)
        run(CMAKE, "--install", BUILD_TREE, "--component", "maven", "--prefix", cls.repository)
        cls.main, cls.native, cls.sources, cls.javadoc = (
            cls.folder / f"pycuda-{VERSION}{kind}.jar" for kind in ("", f"-linux-{platform.machine()}", "-sources", "-javadoc"))

    def test_every_jar_has_the_licence(self):
        for jar in (self.main, self.native, self.sources, self.javadoc):
            with self.subTest(jar=jar.name):
                self.assertEqual(zipfile.ZipFile(jar).read("META-INF/LICENSE"), (ROOT / "LICENSE").read_bytes())

    def test_pom_says_what_it_is(self):
        pom = xml.parse(self.folder / f"pycuda-{VERSION}.pom").getroot()
        space = {"": "http://maven.apache.org/POM/4.0.0"}
        coordinates = [pom.findtext(tag, namespaces=space) for tag in ("groupId", "artifactId", "version", "licenses/license/name")]
        self.assertEqual(coordinates, ["org.pycuda", "pycuda", VERSION, "MIT"])
        self.assertTrue(pom.findtext("name", namespaces=space) and pom.findtext("description", namespaces=space))

    def test_maven_central_would_take_it(self):
        self.assertEqual(release.check_maven(self.folder, VERSION), [])
        with tempfile.TemporaryDirectory() as empty:
            self.assertEqual(len(release.check_maven(Path(empty), VERSION)), 5)
            bundle = Path(empty) / "bundle.zip"
            release.maven_bundle(self.folder, VERSION, bundle)
            names = zipfile.ZipFile(bundle).namelist()
        for jar in (self.main, self.native, self.sources, self.javadoc):
            self.assertLessEqual({f"org/pycuda/pycuda/{VERSION}/{jar.name}{kind}" for kind in ("", ".md5", ".sha1")}, set(names))

    def test_class_path_of_the_manifest_exists(self):
        self.assertIn(self.native.name, manifest_of(self.main)["Class-Path"].split())

    def test_sources_and_javadoc_are_of_every_public_class(self):
        sources, javadoc = (set(zipfile.ZipFile(jar).namelist()) for jar in (self.sources, self.javadoc))
        compiled = {name for name in zipfile.ZipFile(self.main).namelist() if name.endswith(".class") and "$" not in name}
        self.assertGreater(len(compiled), 150)
        self.assertEqual({name.replace(".class", ".java") for name in compiled} - sources, set())
        for name in ("Driver", "GPUArray", "DeviceAllocation", "compiler/SourceModule"):
            self.assertIn(f"org.pycuda/org/pycuda/{name}.html", javadoc)

    def test_jar_runs_by_itself(self):
        self.assertIn("a kernel can be compiled and run: yes", run("java", "-jar", self.main))

    def test_program_on_the_class_path(self):
        said = run("java", "-cp", f"{self.main}:{self.native}", ROOT / "examples/HelloGpu.java")
        self.assertRegex(said, r"Java on .+\n(0\.0 ){400}\n$")

    def test_maven_projects(self):
        with tempfile.TemporaryDirectory() as name:
            project = Path(name) / "project"
            shutil.copytree(ROOT / "tests/install/maven", project)
            run("mvn", "-q", "-B", f"-Dmaven.repo.local={self.repository}", f"-Dpycuda.version={VERSION}", "process-classes", cwd=project)
            plain, modular = project / "plain/target", project / "modular/target"
            self.assertEqual(sorted(jar.name for jar in (plain / "lib").iterdir()), sorted([self.main.name, self.native.name]))
            self.assertEqual(run("java", "-cp", f"{plain}/classes:{plain}/lib/*", "sample.Plain"), "[-3.0, 4.0, -7.0, 24.0]\n")
            self.assertEqual(run("java", "-p", f"{modular}/classes:{modular}/lib", "-m", "sample/sample.Modular"),
                             "1000000.0 in module sample\n")


if __name__ == "__main__":
    CMAKE, BUILD_TREE, VERSION = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    unittest.main(argv=sys.argv[:1])
