#pragma once

#include <memory>
#include <span>
#include <vector>

#include "exec/code.hpp"

namespace cpu::exec {

/// Where the variables of a module lie, by VariableId: host addresses in Global and Const; offsets in Shared, which
/// each kernel gives to those that it uses; of texture and surface variables the place in Image::references().
using Addresses = std::span<const std::uint64_t>;

class CallGraph;

/// Lowers the kernels of a module. Both arguments must outlive it.
class Lowering {
public:
    Lowering(const ptx::Program& program, Addresses addresses);
    ~Lowering();
    /// An entry and every function that it may call. Throws LoadError for an instruction that has no handler.
    void lower(ptx::FunctionId entry, Kernel& kernel) const;

private:
    const ptx::Program& program_;
    Addresses addresses_;
    std::unique_ptr<const CallGraph> calls_;
    std::vector<std::vector<ptx::VariableId>> owned_;  ///< local and parameter variables declared in each function
};

}  // namespace cpu::exec
