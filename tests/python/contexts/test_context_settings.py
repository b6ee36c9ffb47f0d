"""Ids, flags and other settings of contexts, and of devices' primary contexts."""

import pycuda.driver as drv
import pytest


def test_ids_are_never_used_again(device):
    seen = set()
    for _ in range(3):
        context = device.make_context()
        assert context.id not in seen
        seen.add(context.id)
        context.detach()
    with pytest.raises(drv.LogicError):
        context.id


def test_flags(device):
    context = device.make_context(drv.ctx_flags.SCHED_YIELD)
    try:
        assert drv.Context.get_flags() & drv.ctx_flags.SCHED_MASK == drv.ctx_flags.SCHED_YIELD
        drv.Context.set_flags(drv.ctx_flags.SCHED_BLOCKING_SYNC)
        assert drv.Context.get_flags() & drv.ctx_flags.SCHED_MASK == drv.ctx_flags.SCHED_BLOCKING_SYNC
        with pytest.raises(drv.LogicError, match="flags 1048576"):
            drv.Context.set_flags(1 << 20)
        with pytest.raises(TypeError):
            drv.Context.set_flags("x")
        stream = drv.Stream()
        with stream.capture(), pytest.raises(drv.LogicError, match="before the capture"):
            drv.Context.set_flags(0)
    finally:
        context.detach()


def test_flags_of_the_primary_context(device):
    before = device.get_primary_context_flags()
    try:
        device.set_primary_context_flags(drv.ctx_flags.SCHED_YIELD)
        assert device.get_primary_context_flags() & drv.ctx_flags.SCHED_MASK == drv.ctx_flags.SCHED_YIELD
        with pytest.raises(drv.LogicError, match="flags 1048576"):
            device.set_primary_context_flags(1 << 20)
    finally:
        device.set_primary_context_flags(before & drv.ctx_flags.SCHED_MASK)


def test_persisting_l2_cache(context):
    drv.Context.reset_persisting_l2_cache()


def test_execution_affinity(device, context):
    assert isinstance(device.supports_execution_affinity(drv.exec_affinity_type.SM_COUNT), bool)
    if drv.driver_info().is_cpu_device:
        assert drv.Context.get_execution_affinity() == device.multiprocessor_count


def test_remote_writes(device, context):
    if drv.driver_info().is_cpu_device or device.gpu_direct_rdma_flush_writes_options & 1:
        drv.Context.flush_remote_writes(drv.remote_writes_scope.TO_OWNER)
    with pytest.raises(drv.LogicError):
        drv.Context.flush_remote_writes(77)


def test_without_a_context():
    if drv.Context.get_current():
        pytest.skip("a context is current")
    for call in (drv.Context.get_flags, lambda: drv.Context.set_flags(0), drv.Context.reset_persisting_l2_cache,
                 drv.Context.get_execution_affinity):
        with pytest.raises(drv.LogicError, match="no context is current"):
            call()
