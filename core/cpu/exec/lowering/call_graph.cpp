#include "exec/lowering/call_graph.hpp"

#include <algorithm>

namespace cpu::exec {

using ptx::FunctionId;
using ptx::OperandKind;

namespace {

void sort_unique(std::vector<FunctionId>& ids) {
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

std::vector<FunctionId> functions_whose_address_is_taken(const ptx::Program& program) {
    std::vector<FunctionId> taken;
    const auto look = [&](const std::vector<ptx::Operand>& operands) {
        for (const ptx::Operand& o : operands)
            if (o.kind == OperandKind::FunctionAddress) taken.push_back(o.index);
    };
    for (const ptx::Function& f : program.functions) {
        look(f.operands);
        look(f.elements);
    }
    for (const ptx::Variable& v : program.variables)
        for (const ptx::Relocation& r : v.relocations)
            if (r.is_function) taken.push_back(r.symbol);
    sort_unique(taken);
    return taken;
}

/// A function on the path of a walk, and its next callee to visit.
struct Visit {
    FunctionId id;
    std::size_t next = 0;
};

}  // namespace

CallGraph::CallGraph(const ptx::Program& program) : program_(program), callees_(program.functions.size()) {
    const std::vector<FunctionId> taken = functions_whose_address_is_taken(program);
    for (FunctionId id = 0; id < program.functions.size(); ++id) {
        bool indirect = false;
        for (const ptx::Call& call : program.functions[id].calls) {
            if (call.callee.kind == OperandKind::FunctionAddress)
                callees_[id].push_back(call.callee.index);
            else
                indirect = true;
        }
        if (indirect) callees_[id].insert(callees_[id].end(), taken.begin(), taken.end());
        sort_unique(callees_[id]);
    }
    find_components();
}

std::vector<FunctionId> CallGraph::order(FunctionId id) const {
    std::vector<bool> seen(callees_.size());
    std::vector<FunctionId> result;
    std::vector<Visit> path;
    const auto enter = [&](FunctionId f) {
        if (seen[f] || !program_.functions[f].defined) return;
        seen[f] = true;
        path.push_back({f});
    };
    enter(id);
    while (!path.empty()) {
        Visit& step = path.back();
        if (step.next < callees_[step.id].size()) {
            enter(callees_[step.id][step.next++]);
        } else {
            result.push_back(step.id);
            path.pop_back();
        }
    }
    return result;
}

/// Tarjan's strongly connected components.
void CallGraph::find_components() {
    components_.assign(callees_.size(), ptx::none);
    std::vector<std::uint32_t> number(callees_.size()), low(callees_.size());
    std::vector<FunctionId> open;
    std::vector<Visit> path;
    std::uint32_t numbered = 0, components = 0;
    const auto enter = [&](FunctionId f) {
        number[f] = low[f] = ++numbered;
        open.push_back(f);
        path.push_back({f});
    };
    const auto close = [&](FunctionId root) {
        for (FunctionId member = ptx::none; member != root; open.pop_back()) {
            member = open.back();
            components_[member] = components;
        }
        ++components;
    };
    for (FunctionId start = 0; start < callees_.size(); ++start) {
        if (!number[start]) enter(start);
        while (!path.empty()) {
            Visit& step = path.back();
            const FunctionId id = step.id;
            if (step.next < callees_[id].size()) {
                const FunctionId callee = callees_[id][step.next++];
                if (!number[callee])
                    enter(callee);
                else if (components_[callee] == ptx::none)
                    low[id] = std::min(low[id], number[callee]);
                continue;
            }
            path.pop_back();
            if (!path.empty()) low[path.back().id] = std::min(low[path.back().id], low[id]);
            if (low[id] == number[id]) close(id);
        }
    }
}

}  // namespace cpu::exec
