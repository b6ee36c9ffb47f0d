#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ptx/program.hpp"

namespace cpu::exec {

/// The call graph of a module. An indirect call may reach every function whose address is taken. The code does not
/// recurse, because call chains may be arbitrarily long.
class CallGraph {
public:
    /// The module must outlive the graph.
    explicit CallGraph(const ptx::Program& program);

    /// `id` and all it may lead to that has a body, callees before callers where calls have no cycle.
    std::vector<ptx::FunctionId> order(ptx::FunctionId id) const;
    /// The functions that `id` calls, each once.
    std::span<const ptx::FunctionId> callees(ptx::FunctionId id) const { return callees_[id]; }
    /// By FunctionId: functions have the same component when each may lead to the other.
    std::span<const std::uint32_t> components() const { return components_; }

private:
    void find_components();

    const ptx::Program& program_;
    std::vector<std::vector<ptx::FunctionId>> callees_;
    std::vector<std::uint32_t> components_;
};

}  // namespace cpu::exec
