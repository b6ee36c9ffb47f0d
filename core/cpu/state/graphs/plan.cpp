#include "state/graphs/plan.hpp"

#include "exec/interruption.hpp"
#include "state/context.hpp"

#include <algorithm>

namespace cpu::state::graphs {

namespace {

bool is_prepared(CUgraphNodeType type) noexcept {
    return type == CU_GRAPH_NODE_TYPE_EVENT_RECORD || type == CU_GRAPH_NODE_TYPE_WAIT_EVENT ||
           type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || type == CU_GRAPH_NODE_TYPE_MEM_FREE;
}

}  // namespace

void Plan::add(const Graph& graph) {
    for (Node* const node : graph.in_order()) {
        const std::size_t at = node->step = steps.size();
        steps.push_back({node->shared_content(), at + 1, {}});
        const auto embedded = node->content().graphs();
        const bool conditional = node->type() == CU_GRAPH_NODE_TYPE_CONDITIONAL;
        has_conditions_ = has_conditions_ || conditional;
        const Context* const context = node->content().context();
        if (context && std::ranges::find(contexts_, context) == contexts_.end()) contexts_.push_back(context);
        needs_preparation_ = needs_preparation_ || is_prepared(node->type());
        for (const auto& inner : embedded) {
            if (conditional) steps[at].bodies.push_back(steps.size());
            add(*inner);
        }
        if (conditional) steps[at].next = steps.size();
    }
}

void Plan::prepare(Progress& progress, bool frees_first) const {
    for (const Context* const context : contexts_) {
        require(!context->is_destroyed(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
        context->check_fault();
    }
    if (!needs_preparation_) return;
    for (const Step& step : steps) step.content->check_launch(frees_first);
    for (const Step& step : steps) step.content->prepare(progress);
}

void Plan::run(Context& context, Progress& progress) const noexcept {
    if (has_conditions_)
        for (const Step& step : steps) step.content->start();
    run(0, steps.size(), context, progress);
}

void Plan::run(std::size_t begin, std::size_t end, Context& context, Progress& progress) const noexcept {
    for (std::size_t i = begin; i < end; i = steps[i].next) {
        const Step& step = steps[i];
        if (!step.enabled) continue;
        if (context.has_fault() && step.content->kind() != TaskKind::Bookkeeping) continue;
        if (step.bodies.empty())
            step.content->run(progress);
        else
            run_bodies(step, context, progress);
    }
}

void Plan::run_bodies(const Step& step, Context& context, Progress& progress) const noexcept {
    // Counts as a kernel, which the program can end: the condition may never become false.
    exec::Memory& memory = context.memory();
    memory.kernel_begins();
    for (auto body = step.content->chosen(); body && !context.has_fault(); body = step.content->chosen()) {
        const bool last = *body + 1 == step.bodies.size();
        run(step.bodies[*body], last ? step.next : step.bodies[*body + 1], context, progress);
        if (!step.content->repeats()) break;
        if (const char* const why = exec::why_interrupted()) memory.end_kernels(why);
        if (const char* const why = memory.why_to_end())
            context.set_fault(CUDA_ERROR_LAUNCH_TIMEOUT, std::string("a graph's loop was ended: ") + why);
    }
    memory.kernel_ends();
}

bool Plan::runs_anywhere() const noexcept {
    return std::ranges::none_of(steps, [](const Step& s) { return s.content->kind() == TaskKind::HostFunction; });
}

}  // namespace cpu::state::graphs
