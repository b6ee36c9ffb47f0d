"""The driver's own log: in messages, in traces, and by itself."""

import subprocess
import sys
import threading

import pycuda.driver as drv
import pytest

pytestmark = pytest.mark.skipif(drv.get_driver_version() < 12090, reason="the driver has no log")


def fail():
    """A call whose failure the driver explains."""
    drv.Device(0).get_attribute(99999)


def test_a_message_has_the_drivers_explanation(context):
    with pytest.raises(drv.LogicError, match="attribute 99999 - the driver's log: Invalid device attribute enum value$"):
        fail()


def test_a_message_has_nothing_of_other_calls(context):
    with pytest.raises(drv.LogicError):
        fail()
    with pytest.raises(drv.LogicError) as raised:
        drv.Device(4096)
    assert "attribute" not in str(raised.value)
    fail_on_another_thread = threading.Thread(target=lambda: pytest.raises(drv.LogicError, fail))
    fail_on_another_thread.start()
    fail_on_another_thread.join()
    with pytest.raises(drv.LogicError) as raised:
        drv.Device(4096)
    assert "attribute" not in str(raised.value)


def test_messages_of_threads_do_not_mix(context):
    """The explanation may be missing: other threads can fill the log before this one reads it."""
    of_attributes, of_devices = [], []

    def look():
        for _ in range(50):
            with pytest.raises(drv.LogicError) as raised:
                fail()
            of_attributes.append(str(raised.value).count("Invalid device attribute"))
            with pytest.raises(drv.LogicError) as raised:
                drv.Device(4096)
            of_devices.append(str(raised.value).count("Invalid device attribute"))

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(of_attributes) == len(of_devices) == 200
    assert 1 in of_attributes and set(of_attributes) <= {0, 1} and set(of_devices) == {0}


def test_the_log(context, tmp_path):
    before = drv.driver_log_position()
    assert drv.driver_log(before) == []
    with pytest.raises(drv.LogicError):
        fail()
    lines = drv.driver_log(before)
    assert lines[-2].endswith("Invalid device attribute enum value") and "from cuDeviceGetAttribute" in lines[-1]
    assert drv.driver_log()[-2:] == lines[-2:]
    file = tmp_path / "log"
    drv.write_driver_log(file, before)
    assert file.read_text(encoding="utf-8").splitlines() == lines
    with pytest.raises(drv.Error, match="no such folder"):
        drv.write_driver_log(tmp_path / "no such folder" / "log")
    with pytest.raises(TypeError):
        drv.driver_log("x")


def test_only_the_last_lines_are_kept(context):
    for _ in range(150):
        with pytest.raises(drv.LogicError):
            fail()
    assert len(drv.driver_log()) <= 101  # a GPU's driver says first that there were more


def test_traces_show_it():
    program = "import pycuda.driver as drv\ndrv.init()\ntry:\n    drv.Device(0).get_attribute(99999)\nexcept drv.LogicError:\n    pass\n"
    import os

    shown = subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYCUDA_TRACE": "1"}, capture_output=True, text=True,
                           timeout=120, check=True).stderr
    assert "[pycuda] the driver's log: " in shown and "Invalid device attribute enum value" in shown
    assert "cuLogs" not in shown
