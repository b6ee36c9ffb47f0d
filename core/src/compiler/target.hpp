#pragma once

#include <string>

namespace pycuda {

/// The properties that the compiler needs of the current context's device.
struct TargetDevice {
    bool exists = false;  ///< false: no context is current, and `major` and `minor` are meaningless
    bool is_cpu_device = false;
    int major = 0;
    int minor = 0;
};

/// Opens no driver and creates no context. `names_arch`: the request names architectures, so its result does not depend
/// on the device, which a forked child cannot ask.
TargetDevice current_target_device(bool names_arch);

/// The number in "sm_90a", "compute_90" or "90"; 0 if there is none.
int arch_number(const std::string& arch);

/// True if a value of -arch names machine code ("sm_90"), or PTX ("compute_90"). "native" and "all" are neither.
bool is_real_arch(const std::string& arch);
bool is_virtual_arch(const std::string& arch);

/// The output to produce.
struct CompileTarget {
    std::string arch;          ///< -arch; empty: the compiler's default
    std::string kind;          ///< "cubin", "ptx", "fatbin"
    bool from_device = false;  ///< arch is the device's: a compiler that does not know it falls back to PTX
    std::string warning;       ///< for the user; usually empty
};

/// `arch`, `code` and `target` as in CompileRequest, except that -arch among the options replaces an empty `arch`.
/// `has_gencode`: the options themselves choose architectures. std::invalid_argument for an unknown target.
CompileTarget choose_target(const std::string& arch, const std::string& code, bool has_gencode,
                            const std::string& target, const TargetDevice& device);

}  // namespace pycuda
