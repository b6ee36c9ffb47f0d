#pragma once

#include <string>

namespace pycuda {

// Which device a program gets that does not say: for the languages' make_default_context, which call back for each
// context.

/// The number of the device that the user chose: the environment variable CUDA_DEVICE, else the content of
/// ~/.cuda_device, else that of ~/.cuda-device; -1 when there is none of these (a file that cannot be read counts as
/// none). Whether there is such a device is not looked at. std::invalid_argument when it is not a number.
int chosen_device();

/// How many devices there are to try, in order of their numbers, when the user chose none. RuntimeError when there are
/// none. (cuDeviceGetCount)
int devices_to_try();

/// RuntimeError for when none of them gave a context. `reasons` says why, device by device.
void raise_no_default_context(const std::string& reasons);

}  // namespace pycuda
