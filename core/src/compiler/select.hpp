#pragma once

#include <string>
#include <vector>

#include "compiler/backend.hpp"

namespace pycuda {

/// Which backends a job may use, by the rules of PYCUDA_COMPILER.
enum class BackendChoice { Auto, Nvcc, Nvrtc };

/// `backend` as in CompileRequest. std::invalid_argument for an unknown one.
BackendChoice choose_backend(const std::string& backend);

/// Why NVRTC cannot compile the job ("option -Xcompiler"); empty if it can.
std::string reason_for_nvcc(const CompileJob& job, const std::string& nvcc);

/// The installed compilers that may compile the job, best first. `memo_folder`: see nvcc_identity.
std::vector<Compiler> select_compilers(const CompileJob& job, BackendChoice choice, const std::string& nvcc,
                                       const std::string& memo_folder);

/// Throws CompileError, which names the missing compiler, why it is needed, the places that were searched, and how to
/// install it.
[[noreturn]] void raise_no_compiler(const CompileJob& job, BackendChoice choice, const std::string& nvcc);

/// A compiler and its task.
struct Attempt {
    Compiler compiler;
    CompileTarget target;
};

/// Puts compilers that know the job's architecture first. If none does, and the architecture is the device's own, plans
/// the newest PTX that one of them knows, with a warning in the target. CompileError if the device is too old for all.
std::vector<Attempt> plan_attempts(const CompileJob& job, const std::vector<Compiler>& compilers);

}  // namespace pycuda
