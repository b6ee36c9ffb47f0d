#pragma once

#include <span>

#include "exec/code.hpp"

namespace cpu::exec {

/// Where the variables of a module lie, by VariableId: host addresses in Global and Const; offsets in Shared, which
/// lower() gives to those that the kernel uses.
using Addresses = std::span<const std::uint64_t>;

/// Lowers one entry and every function that it may call. Throws LoadError for an instruction that has no handler.
void lower(const ptx::Module& module, ptx::FunctionId entry, Addresses addresses, Kernel& kernel);

}  // namespace cpu::exec
