"""Devices, contexts, streams and events."""

import pycuda.driver as drv
from kinds import shared
from other_values import values
from table import Reads, row


def device():
    return drv.Device(0)


def context():
    return drv.Context.get_current()


@shared
def other_stream():
    """A stream that lives as long as the tests."""
    return drv.Stream()


row("driver.init", flags=0)
row("driver.set_debugging", flag=False, then=lambda *_: drv.set_debugging(False))
row("driver.Device", number=0)
row("driver.Device.get_attribute", on=device, attribute=drv.device_attribute.WARP_SIZE)
row("driver.Device.can_access_peer", on=device, peer=device)
row("driver.Device.make_context", on=device, flags=0, then=lambda made, _: made.pop())
row("driver.Context.attach", flags=0, then=lambda attached, _: attached.detach())
row("driver.Context.set_limit", on=context, limit=drv.limit.STACK_SIZE, value=2048)
row("driver.Context.get_limit", on=context, limit=drv.limit.STACK_SIZE)
row("driver.Context.set_cache_config", on=context, config=drv.func_cache.PREFER_NONE)
row("driver.Context.set_shared_config", on=context, config=drv.shared_config.DEFAULT_BANK_SIZE)
row("driver.Stream", flags=0, priority=0)
row("driver.Stream.from_handle", handle=lambda: other_stream().handle)
row("driver.Stream.add_callback", on=drv.Stream, function=lambda: print)
row("driver.Stream.wait_for_event", on=drv.Stream, event=lambda: drv.Event().record())
row("driver.Event", flags=0)
row("driver.Event.record", on=drv.Event, stream=drv.Stream)


def green():
    """A green context of the primary context, which is no longer current."""
    device().retain_primary_context().push()
    made = drv.GreenContext(sms())
    drv.Context.pop()
    return made


def sms():
    return drv.SMResource(device())


row("driver.SMResource", device=device)
row("driver.SMResource.split", on=sms, sm_count=1, groups=1, flags=0)
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
