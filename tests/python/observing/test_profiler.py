"""Profiler control."""

import pycuda.driver as drv
import pytest


def test_starts_and_stops_in_a_context(context):
    drv.start_profiler()
    drv.stop_profiler()


def test_initialize(context, is_cpu_device):
    try:
        drv.initialize_profiler("", "", drv.profiler_output_mode.CSV)
    except drv.Error as error:  # current drivers do not support it
        assert not is_cpu_device and "cuProfilerInitialize failed" in str(error)


def test_initialize_requires_a_mode(context):
    with pytest.raises((TypeError, ValueError, drv.Error)):
        drv.initialize_profiler("", "", 7)
    with pytest.raises(TypeError):
        drv.initialize_profiler("", "", "csv")
    with pytest.raises(TypeError):
        drv.initialize_profiler("", "")


def test_needs_a_context():
    with pytest.raises(drv.LogicError):
        drv.start_profiler()
