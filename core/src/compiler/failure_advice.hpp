#pragma once

#include <string>

#include "compiler/backend.hpp"

namespace pycuda {

/// What to do about the failure that `messages` of `compiler` report: how to compile without extern "C", or how to get
/// a missing header. In the terms of the language in use; empty if the messages suffice.
std::string failure_advice(const CompileJob& job, const Compiler& compiler, const std::string& messages);

}  // namespace pycuda
