#pragma once

#include <string>

#include "pycuda/compiler/compiler.hpp"

namespace pycuda {

/// The device of the context current on this thread, as far as the compiler cares.
struct TargetDevice {
    bool exists = false;  ///< false: no context is current; the rest says nothing
    bool is_cpu_device = false;
    int major = 0;
    int minor = 0;
};

/// Opens no driver and makes no context.
TargetDevice current_target_device();

/// The number in "sm_90a", "compute_90", "90"; 0 when there is none.
int arch_number(const std::string& arch);

/// Whether a value of -arch names machine code ("sm_90"), or PTX ("compute_90"); "native" and "all" are neither.
bool is_real_arch(const std::string& arch);
bool is_virtual_arch(const std::string& arch);

/// The output to produce.
struct CompileTarget {
    std::string arch;          ///< -arch; empty: the compiler's default
    std::string kind;          ///< "cubin", "ptx", "fatbin"
    bool from_device = false;  ///< arch follows from the device: a compiler that does not know it falls back to PTX
    std::string warning;       ///< something to tell the user; mostly empty
};

/// `arch`, `code` and `target` as in CompileRequest, where -arch among the options stands for an empty `arch`.
/// `has_gencode`: the options choose architectures by themselves. std::invalid_argument for an unknown target.
CompileTarget choose_target(const std::string& arch, const std::string& code, bool has_gencode,
                            const std::string& target, const TargetDevice& device);

}  // namespace pycuda
