"""Devices, contexts, streams and events."""

import ctypes
import os

import external
import pycuda.driver as drv
from kinds import shared
from other_values import NO_OBJECT, made, values
from table import Reads, Writes, pattern, row


def device():
    return drv.Device(0)


def context():
    return drv.Context.get_current()


@shared
def other_stream():
    """A stream that lives as long as the tests."""
    return drv.Stream()


@shared
def word():
    """Operations hold addresses: the program keeps the memory."""
    return drv.mem_alloc(4)


def queued(operations, _):
    operations.queue()
    drv.Context.synchronize()


def met(present, nbytes):
    """Ends a wait for another value than the word has: the host writes it. On a GPU, a write of another stream may be behind the wait."""

    def write(operations, given):
        if operations is not None:
            operations.queue()
        if given.value != present:
            ctypes.memmove(given.word, (int(given.value) % 2**(8 * nbytes)).to_bytes(nbytes, "little"), nbytes)
        drv.Context.synchronize()

    return write


@shared
def semaphore():
    return external.semaphore()[0]


def semaphore_values():
    return drv.SemaphoreValues().add(semaphore(), 0)


def signalled(_, given):
    """Ends a wait for any value."""
    other = drv.Stream(drv.stream_flags.NON_BLOCKING)
    other.signal_semaphore(given.semaphore, given.value)
    drv.Context.synchronize()


row("driver.init", flags=0)
row("driver.driver_log", since=0)
row("driver.write_driver_log", path=os.devnull, since=0)
row("driver.set_debugging", flag=False, then=lambda *_: drv.set_debugging(False))
row("driver.Device", number=0)
row("driver.Device.get_attribute", on=device, attribute=drv.device_attribute.WARP_SIZE)
row("driver.Device.can_access_peer", on=device, peer=device)
row("driver.Device.max_linear_texture_width", on=device, format=drv.array_format.FLOAT, num_channels=1)
row("driver.Device.get_p2p_attribute", on=device, attribute=drv.device_p2p_attribute.ACCESS_SUPPORTED, peer=device, fails=drv.LogicError)
row("driver.Device.get_p2p_atomic_capabilities", on=device, operation=drv.atomic_operation.CAS, peer=device, fails=drv.Error)
row("driver.Device.get_host_atomic_capabilities", on=device, operation=drv.atomic_operation.CAS)
row("driver.Device.get_graph_memory", on=device, attribute=drv.graph_mem_attribute.USED_MEM_HIGH)
row("driver.Device.reset_graph_memory", on=device, attribute=drv.graph_mem_attribute.USED_MEM_HIGH)
row("driver.Device.supports_execution_affinity", on=device, type=drv.exec_affinity_type.SM_COUNT)
row("driver.Device.set_primary_context_flags", on=device, flags=0)
row("driver.Device.make_context", on=device, flags=0, then=lambda made, _: made.pop())
row("driver.Context.attach", flags=0, then=lambda attached, _: attached.detach())
row("driver.Context.set_limit", on=context, limit=drv.limit.STACK_SIZE, value=2048)
row("driver.Context.get_limit", on=context, limit=drv.limit.STACK_SIZE)
row("driver.Context.set_cache_config", on=context, config=drv.func_cache.PREFER_NONE)
row("driver.Context.set_shared_config", on=context, config=drv.shared_config.DEFAULT_BANK_SIZE)
row("driver.Context.set_flags", flags=0)
row("driver.Context.flush_remote_writes", scope=drv.remote_writes_scope.TO_OWNER)
row("driver.Stream", flags=0, priority=0)
row("driver.Stream.from_handle", handle=lambda: other_stream().handle)
row("driver.Stream.add_callback", on=drv.Stream, function=lambda: print)
row("driver.Stream.wait_for_event", on=drv.Stream, event=lambda: drv.Event().record())
STREAM_ATTRIBUTES = {"attribute": values(None, 1.5, "no such", [1]), "value": [*values("x", [], may_be_taken=True), *made(an_object=object)]}
row("driver.Stream.get_attribute", on=drv.Stream, attribute="priority", wrong=STREAM_ATTRIBUTES)
row("driver.Stream.set_attribute", on=drv.Stream, attribute="priority", value=0, wrong=STREAM_ATTRIBUTES)
row("driver.Stream.copy_attributes", on=drv.Stream, source=other_stream)
row("driver.Event", flags=0)
row("driver.Event.record", on=drv.Event, stream=drv.Stream)
row("driver.Event.record_external", on=drv.Event, stream=drv.Stream)
row("driver.Stream.wait_for_external_event", on=drv.Stream, event=lambda: drv.Event().record())
#: As an H200's driver refuses them.
NO_WORDS = dict.fromkeys((
    "managed allocation", "managed array", "managed array of two axes", "view of a managed array", "stream ordered allocation"), drv.LogicError)
for nbytes in (4, 8):
    bits, present = 8 * nbytes, int.from_bytes(pattern("word", nbytes), "little")
    waited = {"word": Reads(nbytes, default="mapped page locked address"), "value": present, "flags": 0}
    written = {"word": Writes(bytes(nbytes), nbytes), "value": 0, "flags": 0}
    row(f"driver.Stream.wait_value{bits}", on=drv.Stream, then=met(present, nbytes), but={"word": NO_WORDS}, **waited)
    row(f"driver.Stream.write_value{bits}", on=drv.Stream, then=lambda _, given: given.self.synchronize(), but={"word": NO_WORDS}, **written)
    row(f"driver.MemoryOperations.wait_value{bits}", on=drv.MemoryOperations, then=met(present, nbytes), but={"word": NO_WORDS}, **waited)
    row(f"driver.MemoryOperations.write_value{bits}", on=drv.MemoryOperations, then=queued, but={"word": NO_WORDS}, **written)
row("driver.MemoryOperations.barrier", on=drv.MemoryOperations, flags=0)
SEMAPHORE = {"semaphore": semaphore, "value": 1}
row("driver.Stream.signal_semaphore", on=drv.Stream, then=lambda _, given: given.self.synchronize(), **SEMAPHORE)
row("driver.Stream.wait_for_semaphore", on=drv.Stream, then=signalled, **SEMAPHORE)
row("driver.Stream.signal_semaphores", on=drv.Stream, semaphores=semaphore_values)
row("driver.Stream.wait_for_semaphores", on=drv.Stream, semaphores=semaphore_values)
row("driver.SemaphoreValues.add", on=drv.SemaphoreValues, **SEMAPHORE)
row("driver.ExternalSemaphore", descriptor=-1, handle_type=drv.external_semaphore_handle_type.OPAQUE_FD, fails=ValueError)
row("driver.MemoryOperations.queue", on=lambda: drv.MemoryOperations().write_value32(word(), 1), stream=drv.Stream)


def green():
    """A green context of the primary context, which is no longer current."""
    device().retain_primary_context().push()
    made = drv.GreenContext(sms())
    drv.Context.pop()
    return made


def sms():
    return drv.SMResource(device())


row("driver.SMResource", device=device)
row("driver.SMResource.of_context", context=context)
row("driver.SMResource.split", on=sms, sm_count=1, groups=1, flags=0)
row("driver.SMResource.of_stream", stream=drv.Stream, wrong={"stream": [*values("x", 3, 1.5, None), *made(an_object=object)]})
row("driver.SMResource.split_into", on=sms, groups=lambda: drv.SMGroups().add(1), wrong={"groups": [*NO_OBJECT, *values(None)]})
row("driver.SMGroups.add", on=drv.SMGroups, sm_count=1, coscheduled=0, preferred_coscheduled=0, backfill=False)


def undone(_, given):
    given.self.restore()


PATHS = [*values(3, None, 1.5), *made(an_object=object), *values("a\0b", may_be_taken=True)]
row("driver.CoreDumps", context=context, wrong={"context": [*NO_OBJECT, *values(None)]})
for setting, value in (("enabled", False), ("flags", 16), ("user_trigger", False)):
    row(f"driver.CoreDumps.{setting}", on=drv.CoreDumps, then=undone, **{"=": value})
for setting in ("file", "pipe"):
    row(f"driver.CoreDumps.{setting}", on=drv.CoreDumps, then=undone, wrong={"=": PATHS}, **{"=": "a file"})
for moment in ("start", "complete"):
    row(f"driver.CoreDumps.on_{moment}", listener=lambda: lambda pid, device: None)
row("driver.Device.on_over_budget", on=device, listener=lambda: lambda nbytes: None)
row("driver.GreenContext", resources=sms, fails=drv.LogicError,  # the primary context is not current
    wrong={"resources": values(5, None, "x", 1.5, [1])})
row("driver.GreenContext.create_stream", on=green, priority=0)
row("driver.GreenContext.record_event", on=green, event=drv.Event, fails=drv.LogicError)  # the event belongs to another context
row("driver.GreenContext.wait_for_event", on=green, event=drv.Event)
row("driver.CudaProcess", pid=1)
row("driver.CudaProcess.lock", on=lambda: drv.CudaProcess(-1), timeout_ms=10, fails=drv.Error)


def timed():
    return drv.Event().record().synchronize()


row("driver.Event.time_since", on=timed, start=timed)
row("driver.Event.time_till", on=timed, end=timed)
row("driver.Event.from_ipc_handle", handle=Reads(), fails=drv.Error)
row("driver.Context.enable_peer_access", on=context, peer=context, flags=0, fails=drv.Error)
row("driver.Context.disable_peer_access", on=context, peer=context, flags=0, fails=drv.Error)
