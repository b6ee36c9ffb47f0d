import enum

import numpy as np
import pycuda.driver as drv
import pytest


def test_members_are_ints():
    assert drv.device_attribute.WARP_SIZE == 10
    assert isinstance(drv.device_attribute.WARP_SIZE, int)
    assert int(drv.jit_option.MAX_REGISTERS) == 0
    assert drv.func_cache.PREFER_L1 + 1 == 3


def test_text():
    member = drv.device_attribute.MAX_THREADS_PER_BLOCK
    assert str(member) == f"{member}" == member.name == "MAX_THREADS_PER_BLOCK"
    assert repr(member) == "pycuda._driver.device_attribute.MAX_THREADS_PER_BLOCK"
    assert f"{member:3d}" == "  1"


def test_flags_combine():
    both = drv.ctx_flags.SCHED_SPIN | drv.ctx_flags.MAP_HOST
    assert both == 9
    assert isinstance(both, int)
    assert both & drv.ctx_flags.SCHED_MASK == drv.ctx_flags.SCHED_SPIN
    assert "SCHED_SPIN" in repr(both) and "MAP_HOST" in repr(both)


@pytest.mark.parametrize("cls", [value for value in vars(drv).values() if isinstance(value, enum.EnumMeta)])
def test_dir_lists_every_name(cls):
    assert set(cls.__members__) <= set(dir(cls))
    for name in cls.__members__:
        member = getattr(cls, name)
        assert cls(int(member)) == member
        assert repr(member).startswith("pycuda._driver." + cls.__name__)
        assert cls.names[name] is member


def test_documented_names():
    documented = {
        "ctx_flags": "SCHED_AUTO SCHED_SPIN SCHED_YIELD SCHED_MASK SCHED_BLOCKING_SYNC MAP_HOST LMEM_RESIZE_TO_MAX FLAGS_MASK",
        "event_flags": "DEFAULT BLOCKING_SYNC DISABLE_TIMING INTERPROCESS",
        "device_attribute": "MAX_BLOCK_DIM_Z TOTAL_CONSTANT_MEMORY CLOCK_RATE GPU_OVERLAP SHARED_MEMORY_PER_BLOCK MAX_PITCH "
                            "REGISTERS_PER_BLOCK COMPUTE_MODE MAXIMUM_TEXTURE2D_ARRAY_WIDTH PCI_DOMAIN_ID "
                            "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN MEMORY_POOLS_SUPPORTED",
        "function_attribute": "MAX_THREADS_PER_BLOCK SHARED_SIZE_BYTES CONST_SIZE_BYTES LOCAL_SIZE_BYTES NUM_REGS PTX_VERSION "
                              "BINARY_VERSION CACHE_MODE_CA MAX_DYNAMIC_SHARED_SIZE_BYTES PREFERRED_SHARED_MEMORY_CARVEOUT MAX",
        "func_cache": "PREFER_NONE PREFER_SHARED PREFER_L1 PREFER_EQUAL",
        "shared_config": "DEFAULT_BANK_SIZE FOUR_BYTE_BANK_SIZE EIGHT_BYTE_BANK_SIZE",
        "array_format": "UNSIGNED_INT8 UNSIGNED_INT16 UNSIGNED_INT32 SIGNED_INT8 SIGNED_INT16 SIGNED_INT32 HALF FLOAT",
        "address_mode": "WRAP CLAMP MIRROR BORDER",
        "filter_mode": "POINT LINEAR",
        "memory_type": "HOST DEVICE ARRAY",
        "compute_mode": "DEFAULT PROHIBITED EXCLUSIVE_PROCESS",
        "jit_option": "MAX_REGISTERS THREADS_PER_BLOCK WALL_TIME INFO_LOG_BUFFER ERROR_LOG_BUFFER_SIZE_BYTES OPTIMIZATION_LEVEL "
                      "TARGET_FROM_CUCONTEXT TARGET FALLBACK_STRATEGY",
        "jit_target": "COMPUTE_10 COMPUTE_20 COMPUTE_21",
        "jit_fallback": "PREFER_PTX PREFER_BINARY",
        "host_alloc_flags": "PORTABLE DEVICEMAP WRITECOMBINED",
        "mem_attach_flags": "GLOBAL HOST SINGLE",
        "limit": "STACK_SIZE PRINTF_FIFO_SIZE MALLOC_HEAP_SIZE",
    }
    for cls, names in documented.items():
        assert set(names.split()) <= set(dir(getattr(drv, cls))), cls


def test_plain_ints_are_accepted(context, device):
    assert device.get_attribute(10) == device.get_attribute(drv.device_attribute.WARP_SIZE)
    assert device.get_attribute(np.int32(10)) == device.warp_size
    drv.Context.set_cache_config(2)
    drv.Context.set_cache_config(drv.func_cache.PREFER_NONE)


def test_other_objects_are_rejected(device):
    with pytest.raises(TypeError, match="device_attribute"):
        device.get_attribute("WARP_SIZE")
    with pytest.raises(TypeError, match="device_attribute"):
        device.get_attribute(1.0)
