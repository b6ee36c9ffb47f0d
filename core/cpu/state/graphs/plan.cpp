#include "state/graphs/plan.hpp"

#include "state/context.hpp"

#include <algorithm>

namespace cpu::state::graphs {

namespace {

/// After this many steps, a thread that should leave the graph checks the time.
constexpr unsigned steps_between_looks = 16;

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
        conditions_ += conditional;
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
    progress.outer.reserve(conditions_);
    if (!needs_preparation_) return;
    for (const Step& step : steps) step.content->check_launch(frees_first);
    for (const Step& step : steps) step.content->prepare(progress);
}

bool Plan::run(Context& context, Progress& progress) const noexcept {
    if (!progress.has_begun) begin(progress);
    const auto is_time_to_leave = [&progress] {
        return progress.leave_at != exec::never && progress.turns++ % steps_between_looks == 0 &&
               exec::Time::clock::now() >= progress.leave_at;
    };
    while (!is_time_to_leave()) {
        if (progress.now.next != progress.now.end)
            run_step(context, progress);
        else if (progress.outer.empty())
            return true;
        else
            end_body(context, progress);
        if (progress.kernel) return false;
    }
    return false;
}

void Plan::begin(Progress& progress) const noexcept {
    if (conditions_ != 0)
        for (const Step& step : steps) step.content->start();
    progress.now = {0, steps.size()};
    progress.has_begun = true;
}

void Plan::run_step(Context& context, Progress& progress) const noexcept {
    const Step& step = steps[progress.now.next];
    const bool is_skipped = !step.enabled || (context.has_fault() && step.content->kind() != TaskKind::Bookkeeping);
    if (!is_skipped && !step.bodies.empty()) {
        // Counts as a kernel, which the program can end: the condition may never become false.
        context.memory().kernel_begins();
        if (begin_body(context, progress)) return;
    } else if (!is_skipped || progress.kernel) {
        step.content->run(progress);
        if (progress.kernel) return;
    }
    progress.now.next = step.next;
}

/// Begin the graph that the next node, a conditional one, selects. False if it selects none: the node then ends.
bool Plan::begin_body(Context& context, Progress& progress) const noexcept {
    const Step& step = steps[progress.now.next];
    const auto body = step.content->chosen();
    if (!body || context.has_fault()) {
        context.memory().kernel_ends();
        return false;
    }
    const bool last = *body + 1 == step.bodies.size();
    progress.outer.push_back(progress.now);
    progress.now = {step.bodies[*body], last ? step.next : step.bodies[*body + 1]};
    return true;
}

void Plan::end_body(Context& context, Progress& progress) const noexcept {
    progress.now = progress.outer.back();
    progress.outer.pop_back();
    const Step& step = steps[progress.now.next];
    if (step.content->repeats()) {
        if (const char* const why = context.memory().why_to_end())
            context.set_fault(CUDA_ERROR_LAUNCH_TIMEOUT, std::string("a graph's loop was ended: ") + why);
        if (begin_body(context, progress)) return;
    } else {
        context.memory().kernel_ends();
    }
    progress.now.next = step.next;
}

bool Plan::runs_anywhere() const noexcept {
    return std::ranges::none_of(steps, [](const Step& s) { return s.content->kind() == TaskKind::HostFunction; });
}

bool Plan::waits() const noexcept {
    return std::ranges::any_of(steps, [](const Step& s) { return s.content->waits(); });
}

}  // namespace cpu::state::graphs
