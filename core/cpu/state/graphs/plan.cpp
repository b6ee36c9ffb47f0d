#include "state/graphs/plan.hpp"

#include "state/context.hpp"

#include <algorithm>

namespace cpu::state::graphs {

void Plan::add(const Graph& graph) {
    for (Node* const node : graph.in_order()) {
        node->step = steps.size();
        steps.push_back({node->shared_content()});
        for (const auto& embedded : node->content().graphs()) add(*embedded);
    }
}

void Plan::prepare(Progress& progress) const {
    for (const Step& step : steps) step.content->prepare(progress);
}

void Plan::run(const Context& context, Progress& progress) const noexcept {
    for (const Step& step : steps) {
        if (!step.enabled) continue;
        if (context.has_fault() && step.content->kind() != TaskKind::Bookkeeping) continue;
        step.content->run(progress);
    }
}

bool Plan::runs_anywhere() const noexcept {
    return std::ranges::none_of(steps, [](const Step& s) { return s.content->kind() == TaskKind::HostFunction; });
}

}  // namespace cpu::state::graphs
