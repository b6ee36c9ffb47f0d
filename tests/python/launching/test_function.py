"""Function: attributes, and the calls deprecated since 2011."""

import warnings

import numpy as np
import pycuda.driver as drv
import pytest
from kernels import SCALE


@pytest.fixture
def scale(context):
    return drv.module_from_buffer(SCALE).get_function("scale")


def test_attributes(scale):
    assert scale.name == "scale" and "scale" in repr(scale)
    assert scale.get_attribute(drv.function_attribute.MAX_THREADS_PER_BLOCK) == scale.max_threads_per_block >= 512
    assert scale.num_regs > 0
    assert scale.shared_size_bytes == scale.local_size_bytes == 0
    assert scale.ptx_version == 50
    assert "num_regs" in dir(scale)
    with pytest.raises(AttributeError, match="frobnicate"):
        scale.frobnicate
    with pytest.raises(drv.LogicError):
        scale.get_attribute(12345)


@pytest.mark.parametrize(("entry", "text"), [
    ("scale(.param .u64 y, .param .f32 a, .param .u32 n)", "'scale' with parameters of 8, 4 and 4 bytes"),
    ("one(.param .align 8 .b8 pair[24])", "'one' with a parameter of 24 bytes"),
    ("none()", "'none' without parameters"),
    ("_Z5scalePffi(.param .u64 y, .param .f32 a, .param .u32 n)", "'scale(float*, float, int)'"),
    ("_Zebra(.param .u32 n)", "'_Zebra' with a parameter of 4 bytes"),
])
def test_text_shows_the_signature(context, entry, text):
    """In PTX a kernel's name contains its types, except for extern "C"."""
    module = drv.module_from_buffer(f".version 8.0\n.target sm_50\n.address_size 64\n.visible .entry {entry} {{ ret; }}\n")
    function = module.get_function(entry.partition("(")[0])
    if drv.get_driver_version() < 12040:  # cannot report parameters
        text = text.partition(" with")[0]
    assert repr(function) == f"<pycuda.driver.Function {text}>"


def test_python_attributes(scale):
    scale.note = "mine"
    assert scale.note == "mine"


def test_set_attribute(scale):
    scale.set_attribute(drv.function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, 4096)
    assert scale.max_dynamic_shared_size_bytes == 4096
    with pytest.raises(drv.LogicError):
        scale.set_attribute(drv.function_attribute.NUM_REGS, 3)


def test_configs(scale):
    scale.set_cache_config(drv.func_cache.PREFER_L1)
    scale.set_shared_config(drv.shared_config.DEFAULT_BANK_SIZE)


@pytest.mark.parametrize("old, new", [("lmem", "local_size_bytes"), ("smem", "shared_size_bytes"), ("registers", "num_regs")])
def test_old_attribute_names(scale, old, new):
    with pytest.warns(DeprecationWarning, match=new) as caught:
        value = getattr(scale, old)
    assert value == getattr(scale, new)
    assert caught[0].filename == __file__


def test_stepwise_launch(scale, context):
    y = np.arange(100, dtype=np.float32)
    memory = drv.to_device(y)
    with pytest.warns(DeprecationWarning):
        scale.param_set(memory, np.float32(2), np.int32(100))
        scale.set_block_shape(32, 1, 1)
        scale.set_shared_size(0)
        scale.launch_grid(4, 1)
    assert (drv.from_device_like(memory, y) == 2 * y).all()
    with pytest.warns(DeprecationWarning):
        scale.launch()
    assert (drv.from_device_like(memory, y) == np.where(np.arange(100) < 32, 4 * y, 2 * y)).all()
    stream = drv.Stream()
    with pytest.warns(DeprecationWarning):
        scale.launch_grid_async(1, 1, stream)
    stream.synchronize()
    assert (drv.from_device_like(memory, y)[:32] == 8 * y[:32]).all()


def test_parameters_by_offset(scale):
    memory = drv.to_device(np.ones(8, np.float32))
    with pytest.warns(DeprecationWarning):
        scale.param_set_size(16)
        scale.param_setv(0, np.uint64(int(memory)))
        scale.param_setf(8, 5.0)
        scale.param_seti(12, 8)
        scale.set_block_shape(8, 1, 1)
        scale.launch()
    assert (drv.from_device(memory, 8, np.float32) == 5).all()


@pytest.mark.parametrize("call", [lambda f: f.param_set(np.uint64(0), np.float32(1), np.int32(0)), lambda f: f.param_set_size(16),
                                  lambda f: f.param_seti(0, 1), lambda f: f.param_setf(0, 1), lambda f: f.set_shared_size(1),
                                  lambda f: f.set_block_shape(1, 1, 1)])
def test_each_deprecated_call_warns_once_at_the_caller(scale, call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(scale)
    assert [(w.category, w.filename) for w in caught] == [(DeprecationWarning, __file__)]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_stepwise_launch_without_a_block(scale):
    with pytest.raises(drv.LogicError, match="set_block_shape"):
        scale.launch()
    scale.set_block_shape(1, 1, 1)
    with pytest.raises(TypeError, match="16 bytes of arguments"):
        scale.launch()


def test_objects_other_than_texture_references_are_rejected(scale):
    with pytest.raises(TypeError):
        scale.param_set_texref(object())
    with pytest.raises(TypeError, match="texrefs"):
        scale.prepare("Pfi", texrefs=[object()])


def test_occupancy(scale):
    blocks = scale.max_active_blocks_per_multiprocessor(128)
    assert blocks >= 1
    assert scale.max_active_blocks_per_multiprocessor(128, 32 << 10) <= blocks
    min_grid_size, block_size = scale.max_potential_block_size()
    assert min_grid_size >= 1 and 32 <= block_size <= scale.max_threads_per_block
    assert scale.max_potential_block_size(dynamic_shared=0, block_size_limit=64)[1] <= 64
    with pytest.raises(drv.LogicError, match="kernel 'scale', blocks of -1 threads"):
        scale.max_active_blocks_per_multiprocessor(-1)


def test_loading(scale):
    assert drv.Module.loading_mode() in (drv.module_loading_mode.EAGER, drv.module_loading_mode.LAZY)
    scale.load()
    assert scale.is_loaded
