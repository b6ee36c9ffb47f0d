import gc
import threading

import pycuda.driver as drv
import pytest
from pycuda import _driver


def test_make_context_makes_the_context_current(device):
    context = device.make_context()
    assert drv.Context.get_current() == context
    drv.Context.pop()
    assert drv.Context.get_current() is None


def test_flags(device):
    device.make_context(drv.ctx_flags.SCHED_YIELD | drv.ctx_flags.MAP_HOST).pop()
    device.make_context(flags=drv.ctx_flags.SCHED_AUTO).pop()
    with pytest.raises(drv.LogicError):
        device.make_context(1 << 20)


def test_stack(device):
    first = device.make_context()
    second = device.make_context()
    assert drv.Context.get_current() == second != first
    second.pop()
    assert drv.Context.get_current() == first
    second.push()
    assert drv.Context.get_current() == second
    drv.Context.pop()
    drv.Context.pop()
    with pytest.raises(drv.LogicError):
        drv.Context.pop()


def test_equality_and_hash(context):
    current = drv.Context.get_current()
    assert current == context and current is not context and not current != context
    assert hash(current) == hash(context)
    assert context != 7
    assert {context: "it"}[current] == "it"


def test_detach_ends_the_context(device):
    context = device.make_context()
    memory = drv.mem_alloc(16)
    context.detach()
    assert drv.Context.get_current() is None
    with pytest.raises(drv.LogicError):
        context.push()
    with pytest.raises(drv.LogicError):
        context.detach()
    del memory  # its memory was freed with the context: no message


def test_objects_keep_their_context(device, contexts_to_share):
    contexts_to_share.clear()
    device.make_context()
    stream = drv.Stream()
    drv.Context.pop()
    gc.collect()
    assert _driver._live_handles("context") == 1
    stream.synchronize()
    del stream
    gc.collect()
    assert _driver._live_handles("context") == 0


def test_get_device(context, device):
    assert drv.Context.get_device() == device
    assert context.get_device() == device


def test_synchronize(context):
    assert context.synchronize() is None
    drv.Context.synchronize()


def test_limits(context):
    drv.Context.set_limit(drv.limit.STACK_SIZE, 4096)
    assert context.get_limit(drv.limit.STACK_SIZE) >= 4096
    assert drv.Context.get_limit(drv.limit.PRINTF_FIFO_SIZE) > 0
    with pytest.raises(drv.Error):
        drv.Context.get_limit(999)


def test_cache_and_shared_config(context):
    context.set_cache_config(drv.func_cache.PREFER_L1)
    assert isinstance(context.get_cache_config(), drv.func_cache)
    context.set_shared_config(drv.shared_config.FOUR_BYTE_BANK_SIZE)
    assert isinstance(context.get_shared_config(), drv.shared_config)


def test_api_version(context):
    assert context.get_api_version() >= 3020


def test_primary_context(device):
    primary = device.retain_primary_context()
    assert drv.Context.get_current() is None
    primary.push()
    assert drv.Context.get_current() == primary
    assert device.retain_primary_context().handle == primary.handle
    drv.mem_alloc(16).free()
    drv.Context.pop()


def test_each_thread_has_its_own_stack(context):
    seen = []

    def look():
        seen.append(drv.Context.get_current())
        context.push()
        seen.append(drv.Context.get_current())
        drv.mem_alloc(64).free()
        drv.Context.pop()

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [None, context]
    seen.clear()


def test_cannot_be_constructed_directly():
    with pytest.raises(AttributeError):
        drv.Context()


def test_repr(device):
    context = device.make_context()
    assert hex(context.handle) in repr(context)
    context.detach()
    assert "context has ended" in repr(context)


def test_block(device):
    context = device.make_context()
    drv.Context.pop()
    with context as entered:
        assert entered == context == drv.Context.get_current()
    assert drv.Context.get_current() is None
    with pytest.raises(drv.LogicError, match="another context is current"):
        with context:
            device.make_context()
    drv.Context.pop()
    drv.Context.pop()


def test_repr_of_objects_of_an_ended_context(device):
    context = device.make_context()
    memory, stream, event = drv.mem_alloc(64), drv.Stream(), drv.Event()
    context.detach()
    for left in (memory, stream, event, context):
        assert type(left).__name__ in repr(left)


def test_every_retain_of_the_primary_context_is_counted(device):
    first, second = device.retain_primary_context(), device.retain_primary_context()
    first.push()
    memory = drv.mem_alloc(16)
    second.detach()
    assert drv.Context.get_current() == first and int(memory)
    drv.mem_alloc(16).free()
    first.detach()
    assert drv.Context.get_current() is None
    with pytest.raises(drv.LogicError, match="context that is gone"):
        int(memory)
    with pytest.raises(drv.LogicError, match="context has ended"):
        second.detach()


def test_a_context_that_ended_below_another_is_not_current(device):
    below = device.make_context()
    lower, upper = device.make_context(), device.make_context()
    lower.detach()
    drv.Context.pop()
    assert drv.Context.get_current() == below
    drv.mem_alloc(16).free()
    drv.Context.synchronize()
    drv.Context.pop()
    assert drv.Context.get_current() is None and upper is not None


def test_the_error_without_a_context_suggests_the_one_to_push(context):
    messages = []

    def work():
        with pytest.raises(drv.LogicError) as caught:
            drv.mem_alloc(16)
        messages.append(str(caught.value))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert "no context is current on this thread: each thread has its own. A context of device 0 exists: call its push()" in messages[0]
    assert "pycuda.autoinit.context" in messages[0]
