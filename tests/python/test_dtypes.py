"""pycuda.compyte.dtypes: C names of NumPy's dtypes."""

import numpy as np
import pytest
from pycuda.compyte import dtypes
from pycuda.compyte.dtypes import DTypeRegistry, TypeNameNotKnown, dtype_to_ctype, get_or_register_dtype

#: C's name of 64 bits: on Windows a long has 32.
LONG = "long" if np.dtype("l").itemsize == 8 else "long long"


@pytest.mark.parametrize("dtype, name", [
    (np.bool_, "bool"), (np.int8, "signed char"), (np.uint8, "unsigned char"), (np.int16, "short"), (np.uint16, "unsigned short"),
    (np.int32, "int"), (np.uint32, "unsigned"), (np.int64, LONG), (np.uint64, f"unsigned {LONG}"), (np.float32, "float"),
    (np.float64, "double"), (np.complex64, "pycuda::complex<float>"), (np.complex128, "pycuda::complex<double>"),
    ("q", LONG), ("Q", f"unsigned {LONG}"),
])
def test_preferred_names(dtype, name):
    assert dtype_to_ctype(np.dtype(dtype)) == name
    assert get_or_register_dtype(name) == np.dtype(dtype)


@pytest.mark.parametrize("name, dtype", [
    ("char", np.int8), ("short signed int", np.int16), ("unsigned int", np.uint32), ("long unsigned int", "L"),
    ("signed long int", "l"), ("long long", np.int64), ("unsigned short int", np.uint16), ("uint16_t", np.uint16), ("size_t", np.uint64),
])
def test_further_spellings(name, dtype):
    assert get_or_register_dtype(name) == np.dtype(dtype)


def test_vector_types_are_registered():
    import pycuda.tools  # noqa: F401

    assert dtype_to_ctype(get_or_register_dtype("float3")) == "float3"
    assert get_or_register_dtype("double2").itemsize == 16


def test_a_name_can_be_bound_only_once():
    registry = DTypeRegistry()
    first = registry.get_or_register_dtype(["point", "point_t"], [("x", "f4"), ("y", "f4")])
    assert registry.get_or_register_dtype("point", [("x", "f4"), ("y", "f4")]) is first
    assert registry.dtype_to_ctype(first) == "point"
    with pytest.raises(RuntimeError, match="'point' is already registered"):
        registry.get_or_register_dtype("point", np.float32)
    with pytest.raises(RuntimeError):
        registry.get_or_register_dtype(["fresh", "point"], np.float32)
    assert "fresh" not in registry.name_to_dtype  # all or nothing


def test_unknown_names_and_dtypes():
    with pytest.raises(TypeNameNotKnown, match="quaternion"):
        get_or_register_dtype("quaternion")
    with pytest.raises(KeyError):
        get_or_register_dtype("quaternion")
    with pytest.raises(ValueError):
        dtype_to_ctype(None)
    with pytest.raises(ValueError, match="no C type"):
        dtype_to_ctype(np.dtype([("never", "f4"), ("registered", "i2")]))


def test_register_dtype_is_deprecated():
    struct = np.dtype([("deprecated_a", "f4"), ("deprecated_b", "f4")])
    with pytest.warns(DeprecationWarning):
        dtypes.register_dtype(struct, "deprecated_ab")
    with pytest.warns(DeprecationWarning), pytest.raises(RuntimeError, match="already registered"):
        dtypes.register_dtype(struct, "other_name")
    with pytest.warns(DeprecationWarning):
        dtypes.register_dtype(struct, "other_name", alias_ok=True)
    assert get_or_register_dtype("other_name") == struct
