"""The rules of tensor maps: each message names what was expected and given."""

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import gpuarray
from test_tensor_maps import kernel, tensor_maps  # noqa: F401

pytestmark = pytest.mark.usefixtures("tensor_maps")


def described(box=(8, 16), **changes):
    options = {"dtype": np.float32, "shape": (64, 128), **changes}
    return drv.TensorMap.tiled(options.pop("address", 1 << 20), box, **options)


T, S, I = drv.tensor_map_data_type, drv.tensor_map_swizzle, drv.tensor_map_interleave
RULES = [
    ({"address": (1 << 20) + 8}, "multiple of 16"),
    ({"address": (1 << 20) + 16, "interleave": I.BYTES_32, "swizzle": S.BYTES_32, "shape": (4, 64, 128), "box": (1, 8, 16)}, "multiple of 32"),
    ({"shape": ()}, "1 to 5 axes"), ({"shape": (2,) * 6, "box": (1,) * 6}, "1 to 5 axes"),
    ({"interleave": I.BYTES_16}, "3 to 5 axes"),
    ({"shape": (0, 128)}, "shape from 1"), ({"shape": (64, (1 << 32) + 16)}, "shape from 1"), ({"shape": (-1, 128)}, "shape from 1"),
    ({"strides": (520,)}, "multiples of 16"), ({"strides": (1 << 40,)}, "strides from 0"), ({"strides": (-512,)}, "strides from 0"),
    ({"strides": (512, 4)}, "strides with 1 number"), ({"shape": (64, 129)}, "multiples of 16"),
    *(({"shape": shape, "box": (1,) * (len(shape) - 1) + (16,)}, "strides of less than 2\\^40 bytes, given shape") for shape in
      ((2, 1 << 30, 1 << 32), (2, 1 << 32, 1 << 32), (2, 2, 1 << 31, 1 << 32), (4, 1 << 20, 1 << 21), (2, 1 << 32, 1 << 30, 4, 1 << 32))),
    ({"box": (8,)}, "box with 2"), ({"box": (0, 16)}, "box from 1"), ({"box": (257, 16)}, "box from 1"), ({"box": (8, 6)}, "multiple of 16 bytes"),
    ({"element_strides": (9, 1)}, "element_strides from 1"), ({"element_strides": (0, 1)}, "element_strides from 1"),
    ({"element_strides": (1,)}, "element_strides with 2"),
    ({"swizzle": S.BYTES_32}, "at most 32 bytes"), ({"swizzle": S.BYTES_64, "box": (8, 32)}, "at most 64 bytes"),
    ({"swizzle": S.BYTES_128_ATOM_64B, "box": (8, 64)}, "at most 128 bytes"),
    ({"interleave": I.BYTES_32, "shape": (4, 64, 128), "box": (1, 8, 16)}, "swizzle BYTES_32 with interleave"),
    ({"dtype": T.PACKED_16U6_ALIGN16B, "shape": (64, 64), "box": (8, 128)}, "multiple of 128 elements"),
    ({"dtype": T.PACKED_16U4_ALIGN8B, "shape": (64, 63), "strides": (32,), "box": (8, 32)}, "multiple of 2 elements"),
    ({"dtype": T.PACKED_16U4_ALIGN16B, "shape": (64, 256), "box": (8, 64)}, "128 elements"),
    ({"dtype": T.PACKED_16U4_ALIGN16B, "shape": (64, 256), "strides": (144,), "box": (8, 128)}, "multiples of 32"),
    ({"dtype": T.PACKED_16U4_ALIGN16B, "shape": (64, 256), "box": (8, 128), "swizzle": S.BYTES_64}, "swizzle NONE"),
    ({"dtype": T.PACKED_16U6_ALIGN16B, "shape": (4, 64, 256), "box": (1, 8, 128), "interleave": I.BYTES_16}, "no interleave"),
    ({"dtype": np.int32, "fill": 1}, "fill NONE"), ({"dtype": 99}, "tensor_map_data_type"), ({"swizzle": 7}, "tensor_map_swizzle"),
    ({"interleave": -1}, "tensor_map_interleave"), ({"l2_promotion": 4}, "tensor_map_l2_promotion"), ({"fill": 2}, "tensor_map_fill"),
]


@pytest.mark.parametrize("changes, text", RULES)
def test_violated_rules_are_named(changes, text):
    with pytest.raises(ValueError, match=text):
        described(**changes)


IM2COL = {"dtype": np.float16, "shape": (2, 32, 32, 64)}
PIXEL_RULES = [
    ({"shape": (32, 64)}, "3 to 5 axes"), ({"lower": (-129, 0)}, "lower_corner from -128"), ({"upper": (0, 128)}, "upper_corner from -128"),
    ({"lower": (0,)}, "lower_corner with 2"), ({"upper": (0, -33)}, "pixels between"), ({"channels": 257}, "1 to 256 channels"),
    ({"channels": 0}, "1 to 256 channels"), ({"pixels": 1025}, "1 to 1024 pixels"), ({"pixels": 0}, "1 to 1024 pixels"),
    ({"swizzle": S.BYTES_64, "channels": 64}, "at most 64 bytes"),
]


@pytest.mark.parametrize("changes, text", PIXEL_RULES)
def test_violated_rules_of_im2col_maps_are_named(changes, text):
    given = {"lower": (-1, -1), "upper": (-1, -1), "channels": 32, "pixels": 64, **IM2COL, **changes}
    numbers = [given.pop(name) for name in ("lower", "upper", "channels", "pixels")]
    with pytest.raises(ValueError, match=text):
        drv.TensorMap.im2col(1 << 20, *numbers, **given)


@pytest.mark.parametrize("changes, text", [({"swizzle": S.BYTES_32, "channels": 16}, "wide map"), ({"lower": -32769}, "lower_corner from"), ({"mode": 0, "pixels": 0}, "pixels")])
def test_violated_rules_of_wide_maps_are_named(changes, text):
    given = {"lower": -1, "upper": -1, "channels": 64, "pixels": 64, **IM2COL, **changes}
    numbers = [given.pop(name) for name in ("lower", "upper", "channels", "pixels")]
    with pytest.raises(ValueError, match=text):
        drv.TensorMap.im2col_wide(1 << 20, *numbers, **given)


def test_pixels_are_described():
    images = gpuarray.zeros((2, 32, 32, 64), np.float16)
    assert "im2col" in repr(drv.TensorMap.im2col(images, (-1, -1), (-1, -1), 64, 128, swizzle=S.BYTES_128))


def test_missing_attributes_of_arrays_are_requested():
    with pytest.raises(TypeError, match="dtype and shape"):
        drv.TensorMap.tiled(1 << 20, (8, 16))
    with pytest.raises(TypeError, match="complex64"):
        drv.TensorMap.tiled(gpuarray.zeros((16, 32), np.complex64), (8, 16))
    with pytest.raises(ValueError, match="adjacent along the last axis"):
        drv.TensorMap.tiled(gpuarray.zeros((16, 32), np.float32).T, (8, 16))
    with pytest.raises(AttributeError):
        drv.TensorMap()
    with pytest.raises(AttributeError, match="replace_address"):
        described().memory = 3


def test_repr_describes_the_map():
    assert repr(described()) == "<pycuda.driver.TensorMap of float32 (64, 128), box (8, 16) at 0x100000>"


# ---- maps that the CPU device does not support

UNSUPPORTED = [{"swizzle": S.BYTES_128_ATOM_32B, "box": (8, 32)}, {"swizzle": S.BYTES_64, "box": (8, 8)}, {"dtype": T.TFLOAT32},
               {"interleave": I.BYTES_16, "shape": (2, 24, 32), "box": (1, 8, 16)}]


@pytest.mark.skipif(not drv.driver_info().is_cpu_device, reason="the CPU device's limits")
@pytest.mark.parametrize("given", UNSUPPORTED)
def test_unsupported_copies_are_reported(given, device):
    context = device.make_context()
    try:
        memory = drv.mem_alloc(1 << 16)
        source = described(**{"address": memory, "dtype": np.float32, "shape": (24, 32), **given})
        with pytest.raises(drv.Error, match="not supported|narrower"):
            rank = len(given.get("box", (8, 16)))
            kernel.__wrapped__(rank)(source, source, memory, np.int32(512), *[np.int32(0)] * rank, block=(32, 1, 1))
            drv.Context.synchronize()
    finally:
        context.pop()
