"""``python -m pycuda``: the report, and the benchmark."""

import json
import os
import re
import subprocess
import sys

import pytest


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize("arguments", [[], ["--verbose"], ["--json"]])
def test_report(arguments, own_cache):
    result = subprocess.run([sys.executable, "-m", "pycuda", *arguments], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr
    if arguments == ["--json"]:
        report = json.loads(result.stdout)
        assert report["a kernel can be compiled and run"] is True
        assert report["trial"]["auto"]["result"] == "right"
        assert report["cache"]["folder"] == own_cache.as_posix()
        assert report["devices"]["0"]["name"]
    else:
        assert "a kernel can be compiled and run: yes" in result.stdout
        assert (result.stdout.count("\n") > 20) == bool(arguments), "the default report must be short"
        assert own_cache.as_posix() in result.stdout


def test_report_without_a_writable_cache(tmp_path):
    (tmp_path / "file").write_text("")
    for folder, text in ("file", "not used: "), ("file/cache", "it is not writable (No"):  # "Not a directory", or on Windows "No such file or directory"
        environment = {**os.environ, "PYCUDA_CACHE_DIR": str(tmp_path / folder)}
        result = subprocess.run([sys.executable, "-m", "pycuda"], env=environment, capture_output=True, text=True, timeout=120)
        assert result.returncode == 0 and text in result.stdout, result.stdout + result.stderr
    environment["PYCUDA_CACHE_DIR"] = str(tmp_path / "new")
    result = subprocess.run([sys.executable, "-m", "pycuda"], env=environment, capture_output=True, text=True, timeout=120)
    assert "not writable" not in result.stdout and not (tmp_path / "new/probe").exists()


def test_benchmark():
    result = subprocess.run([sys.executable, "-m", "pycuda", "--benchmark"], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    assert re.fullmatch(r"benchmark: launch [\d.]+ us, copy of 1,600 bytes [\d.]+ us, a \+ b of 1,024 floats [\d.]+ us; .+\n", result.stdout), result.stdout


def test_report_without_compiler(tmp_path):
    environment = {**os.environ, "PYCUDA_TOOLKIT": str(tmp_path)}
    result = subprocess.run([sys.executable, "-m", "pycuda"], env=environment, capture_output=True, text=True, timeout=120)
    assert result.returncode == 1
    assert 'pip install "pycuda-swig[toolkit]"' in result.stdout
