#pragma once

#include <string>

namespace pycuda {

// The device for programs that do not choose one. For make_default_context of both
// languages.

/// The device number that the user chose: the environment variable CUDA_DEVICE, else the
/// content of ~/.cuda_device, else of ~/.cuda-device; -1 if none of these exists or is
/// readable. Does not check whether the device exists. std::invalid_argument if it is not a number.
int chosen_device();

/// The number of devices to try, in order, if the user chose none. RuntimeError if there are none
/// (cuDeviceGetCount).
int devices_to_try();

/// Throw the RuntimeError that no device gave a context. `reasons` has the reason of each device.
void raise_no_default_context(const std::string& reasons);

}  // namespace pycuda
