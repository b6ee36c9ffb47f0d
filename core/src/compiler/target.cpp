#include "compiler/target.hpp"

#include <cctype>
#include <cstdlib>
#include <stdexcept>

#include "driver/driver_table.hpp"
#include "pycuda/driver/driver.hpp"
#include "pycuda/threads/waiting.hpp"

namespace pycuda {

TargetDevice current_target_device(bool names_arch) {
    const DriverTable* table = driver_if_initialised();
    TargetDevice target;
    CUdevice device = 0;
    if (!table) return target;
    if (is_forked_child() && names_arch) {
        target.is_cpu_device = driver_info().is_cpu_device;
        return target;
    }
    const CUresult result = table->cuCtxGetDevice.try_call(&device);
    if (result == CUDA_ERROR_INVALID_CONTEXT) return target;
    if (result != CUDA_SUCCESS) table->cuCtxGetDevice.fail(result, "");
    table->cuDeviceGetAttribute(&target.major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    table->cuDeviceGetAttribute(&target.minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    target.is_cpu_device = driver_info().is_cpu_device;
    target.exists = true;
    return target;
}

int arch_number(const std::string& arch) {
    std::size_t begin = 0;
    while (begin < arch.size() && !std::isdigit(static_cast<unsigned char>(arch[begin]))) ++begin;
    return std::atoi(arch.c_str() + begin);
}

bool is_real_arch(const std::string& arch) {
    return arch.starts_with("sm_");
}

bool is_virtual_arch(const std::string& arch) {
    return arch.starts_with("compute_");
}

namespace {

/// The kind of image for `device` if architectures were given: several need a fatbin, a virtual one PTX.
std::string loadable_kind(const std::string& arch, const std::string& code, bool has_gencode,
                          const TargetDevice& device) {
    if (device.is_cpu_device) return "ptx";
    if (has_gencode || code.find(',') != std::string::npos) return "fatbin";
    const std::string& made = code.empty() ? arch : code;
    if (made.starts_with("all")) return "fatbin";
    return is_virtual_arch(made) ? "ptx" : "cubin";
}

}  // namespace

CompileTarget choose_target(const std::string& arch, const std::string& code, bool has_gencode,
                            const std::string& target, const TargetDevice& device) {
    if (target != "" && target != "cubin" && target != "ptx" && target != "fatbin" && target != "ltoir")
        throw std::invalid_argument("target must be 'cubin', 'ptx', 'fatbin' or 'ltoir', not '" + target + "'");
    CompileTarget chosen;
    chosen.arch = arch;
    chosen.kind = target.empty() ? "cubin" : target;
    const int device_number = 10 * device.major + device.minor;
    if (arch.empty() && !has_gencode && device.exists) {
        chosen.arch = (device.is_cpu_device ? "compute_" : "sm_") + std::to_string(device_number);
        chosen.from_device = true;
        if (device.is_cpu_device && chosen.kind == "cubin") chosen.kind = "ptx";
    } else if (target.empty()) {
        chosen.kind = loadable_kind(arch, code, has_gencode, device);
    }
    if (device.exists && !chosen.from_device && arch_number(arch) > device_number)
        chosen.warning = "the code is compiled for " + arch + ", but the current device has compute capability " +
                         std::to_string(device.major) + "." + std::to_string(device.minor) + " and cannot run it";
    return chosen;
}

}  // namespace pycuda
