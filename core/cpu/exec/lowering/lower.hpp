#pragma once

#include <memory>
#include <span>
#include <vector>

#include "exec/code.hpp"

namespace cpu::exec {

/// The addresses of a module's variables, by VariableId: host addresses in Global and Const; offsets in Shared, which
/// each kernel assigns to the variables that it uses; for texture and surface variables the index in
/// Image::references().
using Addresses = std::span<const std::uint64_t>;

class CallGraph;

/// Lowers the kernels of a module. Both arguments must outlive it.
class Lowering {
public:
    Lowering(const ptx::Program& program, Addresses addresses);
    ~Lowering();
    /// Lowers an entry and every function that it may call. Throws LoadError for an unsupported instruction.
    void lower(ptx::FunctionId entry, Kernel& kernel) const;

private:
    const ptx::Program& program_;
    Addresses addresses_;
    std::unique_ptr<const CallGraph> calls_;
    std::vector<std::vector<ptx::VariableId>> owned_;  ///< local and parameter variables declared in each function
};

}  // namespace cpu::exec
