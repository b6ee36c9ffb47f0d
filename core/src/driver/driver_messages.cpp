#include "driver/driver_messages.hpp"

#include "platform/environment.hpp"
#include "platform/host_platform.hpp"
#include "pycuda/errors/error.hpp"

namespace pycuda {

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string wanted_driver() {
    std::string wanted = environment("PYCUDA_DRIVER");
    if (wanted.empty()) wanted = "auto";
    if (wanted != "auto" && wanted != "cuda" && wanted != "cpu")
        throw LogicError("init", 0, "PYCUDA_DRIVER is '" + wanted + "', but must be auto, cuda or cpu");
    return wanted;
}

std::string init_failure_causes(CUresult result) {
    switch (result) {
        case CUDA_ERROR_NO_DEVICE:
            return "the driver sees no GPU: CUDA_VISIBLE_DEVICES may hide it, a container may have been started "
                   "without "
                   "access to it (docker run --gpus all), or the machine has none";
        case CUDA_ERROR_STUB_LIBRARY:
            return "the library found is the toolkit's stub for linking, not the driver: take its folder off " +
                   std::string(library_path_variable);
        case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
            return "driver library and kernel module are of different versions, as after an update without a reboot";
        case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
            return "the forward-compatibility libraries of this container do not work on this GPU: take them off " +
                   std::string(library_path_variable) + ", or update the driver of the host";
        case CUDA_ERROR_UNKNOWN:
        case CUDA_ERROR_OPERATING_SYSTEM:
            return "the kernel module is not loaded or out of reach: see whether nvidia-smi works, and whether "
                   "/dev/nvidia* are "
                   "there in this container";
        case CUDA_ERROR_SYSTEM_NOT_READY:
            return "a service that this system needs is not running (nvidia-fabricmanager, nvidia-persistenced)";
        default:
            return {};
    }
}

std::string init_failure_text(CUresult result) {
    const std::string causes = init_failure_causes(result);
    return std::string("cuInit failed: ") + result_info(result).text + (causes.empty() ? "" : " - " + causes);
}

std::string no_driver_text(const std::string& why) {
    return "the NVIDIA driver cannot be used: " + why +
           ". Usual causes: no driver is installed, or the container was started without access to the GPU (docker run "
           "--gpus all). PYCUDA_DRIVER=cpu runs on the CPU device instead";
}

std::string no_cpu_device_text(const std::string& tried) {
    return "the CPU device's library cannot be opened; tried, in this order:" + tried +
           "\nPYCUDA_CPU_LIBRARY can name its full path";
}

std::string fallback_text(const std::string& why) {
    return "no CUDA GPU can be used (" + why +
           "): running on the CPU device, which is slow. PYCUDA_DRIVER=cpu selects it without this warning; "
           "PYCUDA_DRIVER=cuda makes the lack of a GPU an error.";
}

}  // namespace pycuda
