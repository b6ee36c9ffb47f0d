#!/usr/bin/env python3
"""Writes the hashes of forms.txt anew from what a CUDA driver computes.

    EXEC_FORMS_DUMP=DIR cpu_tests --gtest_filter='Forms*'     writes the kernels and their inputs
    forms_oracle.py DIR [libcuda.so.1]                         runs them and replaces the hashes in forms.txt
"""
import ctypes
import pathlib
import struct
import sys

FORMS = pathlib.Path(__file__).with_name("forms.txt")
LANES, RESULTS = 512, 3
MASK = (1 << 64) - 1


def mix(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def hash_of(data):
    h = 0xCBF29CE484222325
    for (value,) in struct.iter_unpack("<Q", data):
        h = mix(h ^ value)
    return f"{h:016x}"


class Driver:
    def __init__(self, library):
        self.cuda = ctypes.CDLL(library)
        self.call("cuInit", 0)
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code:
            raise SystemExit(f"{name} failed: {code}")

    def allocate(self, size):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address


def results(driver, directory, count):
    inputs = (directory / "inputs.bin").read_bytes()
    size = LANES * RESULTS * 8
    source, target = driver.allocate(len(inputs)), driver.allocate(size)
    driver.call("cuMemcpyHtoD_v2", source, inputs, ctypes.c_size_t(len(inputs)))
    module = ctypes.c_void_p()
    driver.call("cuModuleLoadData", ctypes.byref(module), (directory / "forms.ptx").read_bytes() + b"\0")
    arguments = (ctypes.c_void_p * 2)(ctypes.addressof(source), ctypes.addressof(target))
    for number in range(count):
        function = ctypes.c_void_p()
        driver.call("cuModuleGetFunction", ctypes.byref(function), module, b"k%d" % number)
        driver.call("cuMemsetD8_v2", target, ctypes.c_ubyte(0), ctypes.c_size_t(size))
        driver.call("cuLaunchKernel", function, 1, 1, 1, LANES, 1, 1, 0, None, arguments, None)
        data = ctypes.create_string_buffer(size)
        driver.call("cuMemcpyDtoH_v2", data, target, ctypes.c_size_t(size))
        yield data.raw


def main():
    directory = pathlib.Path(sys.argv[1])
    driver = Driver(sys.argv[2] if len(sys.argv) > 2 else "libcuda.so.1")
    lines = FORMS.read_text().splitlines()
    forms = [n for n, line in enumerate(lines) if not line.startswith("#")]
    for n, data in zip(forms, results(driver, directory, len(forms))):
        text, _, expected = lines[n].partition(" @")
        if expected != "~":
            lines[n] = f"{text} @{hash_of(data)}"
    FORMS.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
