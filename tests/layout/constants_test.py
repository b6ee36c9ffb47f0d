"""constants.def and results.def agree with the toolkit's cuda.h: nothing is missing, different or invented."""

import re
import unittest

from cuda_header import CudaHeader
from source_tree import ROOT, text_of

# End markers, which change with every release and are not constants.
SENTINELS = {
    "CU_AD_FORMAT_MAX",
    "CU_ATOMIC_OPERATION_MAX",
    "CU_DEVICE_ATTRIBUTE_MAX",
    "CU_EXEC_AFFINITY_TYPE_MAX",
    "CU_JIT_NUM_INPUT_TYPES",
    "CU_JIT_NUM_OPTIONS",
    "CU_LAUNCH_ATTRIBUTE_MAX",
    "CU_LIMIT_MAX",
    "CU_MEMCPY_SRC_ACCESS_ORDER_INVALID",
    "CU_MEMCPY_SRC_ACCESS_ORDER_MAX",
    "CU_MEM_ACCESS_FLAGS_PROT_MAX",
    "CU_MEM_HANDLE_TYPE_MAX",
    "CU_MEM_LOCATION_TYPE_MAX",
}
# Values that CUDA dropped but programs may still name, with their former numbers.
RETIRED = {
    "CU_COMPUTEMODE_EXCLUSIVE": 1,
    "CU_OUT_KEY_VALUE_PAIR": 0,
    "CU_OUT_CSV": 1,
    **{f"CU_TARGET_COMPUTE_{n}": n for n in (10, 11, 12, 13, 20, 21)},
}
# Values of CUDA versions newer than the headers that the project is built with.
NEWER = {
    "CU_COREDUMP_GZIP_COMPRESS": 0x40,
    "CU_COREDUMP_FAULTED_CONTEXTS_ONLY": 0x80,
    "CU_COREDUMP_SKIP_TENSOR_MEMORY": 0x100,
    "CU_COREDUMP_NO_ERRBAR_AT_EXIT": 0x40000000,
    "CU_COREDUMP_LOG_ONLY": -2147483648,
    "CU_TENSOR_MAP_ALLOC_CLASS_AUTO": 0,
    "CU_TENSOR_MAP_ALLOC_CLASS_SMALL": 1,
    "CU_TENSOR_MAP_ALLOC_CLASS_LARGE": 2,
    "CU_LAUNCH_ATTRIBUTE_PORTABLE_CLUSTER_SIZE_MODE": 17,
    "CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE": 18,
}
RETIRED_TYPES = {"CUoutput_mode"}
# Types that these headers do not have yet.
NEWER_TYPES = {"CUtensorMapAllocClass"}

ROW = re.compile(r"PYCUDA_(ENUM|FLAGS)_(BEGIN|VALUE|ALIAS|END)\(([^)]*)\)(?:  ///< \S.*)?")


def read_constants():
    """[(type, python name, cuda type, is flags, [(name, value, cuda name, canonical or None)])], [module constants]."""
    tables, constants = [], []
    for line in (ROOT / "core/include/pycuda/constants/constants.def").read_text().splitlines():
        if match := re.fullmatch(r"PYCUDA_CONSTANT\((\w+), (-?\w+), (\w+)\)", line):
            constants.append((match[1], int(match[2], 0), match[3]))
        elif match := ROW.fullmatch(line):
            fields = match[3].split(", ")
            if match[2] == "BEGIN":
                tables.append((*fields, match[1] == "FLAGS", []))
            elif match[2] == "END":
                assert fields == [tables[-1][0]], line
            else:
                assert (match[1] == "FLAGS") == tables[-1][3], line
                canonical = fields[3] if match[2] == "ALIAS" else None
                tables[-1][4].append((fields[0], int(fields[1], 0), fields[2], canonical))
        elif line.startswith("PYCUDA_"):
            raise AssertionError(f"constants.def: not of the form that all readers expect: {line}")
    return tables, constants


def read_results():
    text = (ROOT / "core/include/pycuda/errors/results.def").read_text()
    return re.findall(r'^PYCUDA_RESULT\((\d+), (\w+), (\w+), "([^"]+)"\)$', text, re.M)


class ConstantsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.header = CudaHeader()
        cls.tables, cls.constants = read_constants()

    def cuda_values(self, cuda_type):
        """All values in cuda.h of a CUDA type, or of a group of macros, written PREFIX_*."""
        if cuda_type.endswith("*"):
            return {n: v for n, v in self.header.macros.items() if n.startswith(cuda_type[:-1])}
        return self.header.enums.get(cuda_type, {}) if cuda_type in NEWER_TYPES else self.header.enums[cuda_type]

    def test_header_was_understood(self):
        self.assertEqual(self.header.enums["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_WARP_SIZE"], 10)
        self.assertEqual(self.header.enums["CUjit_target"]["CU_TARGET_COMPUTE_90A"], 0x10000 + 90)
        self.assertGreater(len(self.tables), 25)
        self.assertGreater(len(self.constants), 3)

    def test_every_value_has_the_number_of_cuda(self):
        for cpp, _, cuda_type, _, values in self.tables:
            expected = {**RETIRED, **NEWER, **({} if cuda_type in RETIRED_TYPES else self.cuda_values(cuda_type))}
            for name, value, cuda_name, _ in values:
                with self.subTest(type=cpp, name=name):
                    self.assertIn(cuda_name, expected, "cuda.h has no such value in this type")
                    self.assertEqual(value, expected[cuda_name])

    def test_no_value_of_cuda_is_missing(self):
        for cpp, _, cuda_type, _, values in self.tables:
            if cuda_type in RETIRED_TYPES:
                continue
            missing = set(self.cuda_values(cuda_type)) - {row[2] for row in values} - SENTINELS
            self.assertEqual(missing, set(), f"{cpp} lacks values that cuda.h has")

    def test_aliases_name_a_value_of_the_same_number(self):
        for cpp, _, _, _, values in self.tables:
            canonical = {name: value for name, value, _, of in values if of is None}
            for name, value, _, of in values:
                with self.subTest(type=cpp, name=name):
                    if of is not None:
                        self.assertEqual(canonical.get(of), value)

    def test_canonical_values_of_an_enum_differ(self):
        for cpp, _, _, flags, values in self.tables:
            numbers = [value for _, value, _, of in values if of is None]
            if not flags:
                self.assertEqual(len(numbers), len(set(numbers)), f"{cpp}: the second name of a number is an alias")

    def test_names_are_unique_and_follow_the_naming_rule(self):
        for cpp, python, _, _, values in self.tables:
            with self.subTest(type=cpp):
                names = [row[0] for row in values]
                self.assertEqual(len(names), len(set(names)))
                self.assertEqual(cpp, "".join(word.capitalize() for word in python.split("_")))
        types = [table[0] for table in self.tables]
        self.assertEqual(len(types), len(set(types)))

    def test_module_constants(self):
        for name, value, cuda_name in self.constants:
            with self.subTest(name=name):
                self.assertEqual(value, self.header.macros[cuda_name])


class ResultsTest(unittest.TestCase):
    def test_results_are_those_of_cuda(self):
        listed = {name: int(code) for code, name, _, _ in read_results()}
        self.assertEqual(listed, CudaHeader().enums["CUresult"])

    def test_rows_are_unique_and_ordered(self):
        codes = [int(row[0]) for row in read_results()]
        self.assertEqual(codes, sorted(set(codes)))

    def test_the_cpu_device_says_the_same(self):
        """The CPU device must not read the core's table, but programs must not see a difference."""
        rows = re.findall(r'^ERROR\((\w+), "([^"]+)"\)$', text_of("core/cpu/api/errors.def"), re.M)
        self.assertEqual(dict(rows), {name: text for _, name, _, text in read_results()})

    def test_classes(self):
        classes = {name: error for _, name, error, _ in read_results()}
        self.assertEqual([n for n, c in classes.items() if c == "Error"], ["CUDA_SUCCESS"])
        self.assertEqual([n for n, c in classes.items() if c == "MemoryError"], ["CUDA_ERROR_OUT_OF_MEMORY"])
        others = set(classes.values()) - {"Error", "LogicError", "MemoryError", "LaunchError", "RuntimeError"}
        self.assertEqual(others, set())


if __name__ == "__main__":
    unittest.main()
