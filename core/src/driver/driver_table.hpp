#pragma once

#include <cuda.h>

#include <string>

#include "driver/driver_function.hpp"

namespace pycuda {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \
    "-Wdeprecated-declarations"  // functions that CUDA deprecates still work, and programs use them

/// The driver's functions, by the names of cuda.h: a name that cuda.h maps to a later version is that version here,
/// too.
struct DriverTable {
#define X(name, version) DriverFunction<std::remove_pointer_t<decltype(&::name)>> name{#name, version};
#define X_AS(name, version, ...) DriverFunction<__VA_ARGS__> name{#name, version};
#define X_DROPPED X_AS
#include "driver/driver_functions.def"
};

#pragma GCC diagnostic pop

/// One opened driver library. Never closed: driver threads and late destructors may still be in it.
struct DriverLibrary {
    DriverTable functions;
    std::string name;  ///< path or soname that was opened
    bool is_cpu_device = false;
};

/// The driver after init. Before init, calls go to the driver that PYCUDA_DRIVER names; while only init can choose one,
/// they return CUDA_ERROR_NOT_INITIALIZED.
const DriverTable& driver();

/// The driver that init chose; null before. Opens nothing.
const DriverTable* driver_if_initialised() noexcept;

/// Chooses the driver by PYCUDA_DRIVER and opens it; the choice is final. init and driver_info document it.
const DriverLibrary& choose_driver();

/// From here on, driver() is `library`, but in forked children every call returns CUDA_ERROR_NOT_INITIALIZED.
void use_driver(const DriverLibrary& library) noexcept;

}  // namespace pycuda
