#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ptx/program.hpp"

namespace cpu::exec {

/// The call graph of a module. An indirect call may reach every function whose address is taken. The implementation is
/// iterative, because call chains may be arbitrarily long.
class CallGraph {
public:
    /// The module must outlive the graph.
    explicit CallGraph(const ptx::Program& program);

    /// `id` and every function with a body that it may reach, callees before callers where there is no cycle.
    std::vector<ptx::FunctionId> order(ptx::FunctionId id) const;
    /// The functions that `id` calls, each once.
    std::span<const ptx::FunctionId> callees(ptx::FunctionId id) const { return callees_[id]; }
    /// By FunctionId: two functions are in the same component if each may reach the other.
    std::span<const std::uint32_t> components() const { return components_; }

private:
    void find_components();

    const ptx::Program& program_;
    std::vector<std::vector<ptx::FunctionId>> callees_;
    std::vector<std::uint32_t> components_;
};

}  // namespace cpu::exec
