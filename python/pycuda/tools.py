"""Choosing a device."""

import os
import warnings

import pycuda.driver as cuda

__all__ = ["make_default_context", "get_default_device"]


def _configured_device_number():
    """The device number of the environment variable CUDA_DEVICE or of a file in the home directory, or None."""
    number = os.environ.get("CUDA_DEVICE")
    if number is None:
        for name in (".cuda_device", ".cuda-device"):
            try:
                with open(os.path.join(os.path.expanduser("~"), name)) as file:
                    number = file.read().strip()
                break
            except OSError:
                pass
    return None if number is None else int(number)


def make_default_context(ctx_maker=None):
    """A context, current on return, on the device that the user chose, else on the first that gives one.

    The choice is CUDA_DEVICE in the environment, or the number in ~/.cuda_device. pycuda.driver.init must have been called.
    ctx_maker(dev) creates the context; dev.make_context() by default.
    """
    if ctx_maker is None:
        def ctx_maker(dev):
            return dev.make_context()

    count = cuda.Device.count()
    if count == 0:
        raise cuda.RuntimeError("No CUDA-capable device was found on this system")
    number = _configured_device_number()
    if number is not None:
        return ctx_maker(cuda.Device(number))

    reasons = []
    for number in range(count):
        try:
            return ctx_maker(cuda.Device(number))
        except cuda.Error as error:
            reasons.append(f"device {number}: {error}")
    raise cuda.RuntimeError("make_default_context() wasn't able to create a context on any of the {} detected devices ({})".format(
        count, "; ".join(reasons)))


def get_default_device(default=0):
    """The Device that the user chose, else device number `default`. Deprecated: use make_default_context."""
    warnings.warn("get_default_device() is deprecated; use make_default_context() instead", DeprecationWarning, stacklevel=2)
    number = _configured_device_number()
    return cuda.Device(default if number is None else number)
