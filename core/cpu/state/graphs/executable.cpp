#include "state/graphs/executable.hpp"

#include "state/context.hpp"
#include "state/graphs/pairing.hpp"

#include <atomic>

namespace cpu::state::graphs {

namespace {

class GraphTask final : public Task {
public:
    GraphTask(std::shared_ptr<const Plan> plan, std::shared_ptr<Context> context, bool anywhere, bool frees_first)
        : plan_(std::move(plan)), context_(std::move(context)), anywhere_(anywhere) {
        progress_.context = context_.get();
        plan_->prepare(progress_, frees_first);
    }
    std::vector<std::function<void()>> take_publications() { return std::move(progress_.publications); }
    bool run(exec::Time leave_at) noexcept override {
        progress_.leave_at = leave_at;
        return plan_->run(*context_, progress_);
    }
    bool runs_after_fault() const noexcept override { return true; }
    bool runs_anywhere() const noexcept override { return anywhere_; }

private:
    std::shared_ptr<const Plan> plan_;
    std::shared_ptr<Context> context_;
    bool anywhere_;
    Progress progress_;
};

bool can_be_disabled(CUgraphNodeType type) noexcept {
    return type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY || type == CU_GRAPH_NODE_TYPE_MEMSET;
}

}  // namespace

Executable::Executable(Graph& graph, cuuint64_t flags)
    : flags_(flags),
      graph_(graph.instantiate()),
      plan_(std::make_shared<Plan>(*graph_)),
      runs_anywhere_(plan_->runs_anywhere()),
      waits_(plan_->waits()) {
    index(*graph_);
    plan_->users = graph.all_users();
    graph_->forget_users();
    if (!graph.is_unique()) return;
    require(graph.only_executable.expired(), CUDA_ERROR_NOT_SUPPORTED);
    graph.only_executable = alive_;
}

void Executable::index(const Graph& graph) {
    for (const auto& node : graph.nodes()) {
        nodes_[node->origin()] = node.get();
        has_conditions_ = has_conditions_ || node->type() == CU_GRAPH_NODE_TYPE_CONDITIONAL;
        for (const auto& embedded : node->content().graphs()) index(*embedded);
    }
}

const Node& Executable::own(const Node& node) const {
    const auto found = nodes_.find(node.handle());
    require(found != nodes_.end());
    return *found->second;
}

Plan& Executable::changeable() {
    if (plan_.use_count() > 1)
        plan_ = std::make_shared<Plan>(*plan_);
    else
        std::atomic_thread_fence(std::memory_order_acquire);  // the launch that used it has ended on another thread
    return *plan_;
}

void Executable::launch(Stream& stream) {
    std::lock_guard lock(mutex_);
    const bool frees_first = (flags_ & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0;
    auto task = std::make_unique<GraphTask>(plan_, stream.context(), runs_anywhere_, frees_first);
    const auto publications = task->take_publications();
    last_launch_ = stream.enqueue_after({last_launch_}, std::move(task));
    if (waits_) stream.context()->note_wait(last_launch_);
    for (const auto& publish : publications) publish();
}

/// Nothing needs uploading; only the order is kept.
void Executable::upload(Stream& stream) {
    std::lock_guard lock(mutex_);
    last_launch_ = stream.enqueue_after({last_launch_}, make_task(TaskKind::Bookkeeping, [] {}));
}

void Executable::wait_if_conditional() {
    if (!has_conditions_) return;
    Fence last;
    {
        std::lock_guard lock(mutex_);
        last = last_launch_;
    }
    last.wait();
}

std::shared_ptr<const Content> Executable::content(const Node& node) {
    const std::size_t step = own(node).step;
    std::lock_guard lock(mutex_);
    return plan_->steps[step].content;
}

void Executable::set_content(const Node& node, std::shared_ptr<const Content> content) {
    const Node& mine = own(node);
    require(mine.type() == content->type());
    std::lock_guard lock(mutex_);
    require(plan_->steps[mine.step].content->check_update(*content) == CU_GRAPH_EXEC_UPDATE_SUCCESS);
    changeable().steps[mine.step].content = std::move(content);
}

void Executable::set_enabled(const Node& node, bool enabled) {
    const Node& mine = own(node);
    require(can_be_disabled(mine.type()));
    std::lock_guard lock(mutex_);
    changeable().steps[mine.step].enabled = enabled;
}

bool Executable::is_enabled(const Node& node) {
    const Node& mine = own(node);
    require(can_be_disabled(mine.type()));
    std::lock_guard lock(mutex_);
    return plan_->steps[mine.step].enabled;
}

void Executable::apply(const Pairing& pairing) {
    Plan& plan = changeable();
    for (const auto& [mine, other] : pairing.pairs) plan.steps[mine->step].content = other->shared_content();
}

CUgraphExecUpdateResultInfo Executable::check(const Pairing& pairing) const {
    for (const auto& [mine, other] : pairing.pairs) {
        const auto result = plan_->steps[mine->step].content->check_update(other->content());
        if (result != CU_GRAPH_EXEC_UPDATE_SUCCESS) return {result, other->handle(), nullptr};
    }
    return {CU_GRAPH_EXEC_UPDATE_SUCCESS, nullptr, nullptr};
}

CUgraphExecUpdateResultInfo Executable::update_part(const Graph& mine, const Graph& other) {
    Pairing pairing;
    if (!pairing.pair(mine, other)) return pairing.result;
    std::lock_guard lock(mutex_);
    const auto result = check(pairing);
    if (result.result != CU_GRAPH_EXEC_UPDATE_SUCCESS) return result;
    apply(pairing);
    if (&mine == graph_.get()) changeable().users = other.all_users();
    return result;
}

CUgraphExecUpdateResultInfo Executable::update(const Graph& graph) {
    return update_part(*graph_, graph);
}

void Executable::set_child(const Node& node, const Graph& graph) {
    const Node& mine = own(node);
    require(mine.type() == CU_GRAPH_NODE_TYPE_GRAPH);
    const auto result = update_part(*mine.content().graphs()[0], graph).result;
    require(result == CU_GRAPH_EXEC_UPDATE_SUCCESS, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
}

}  // namespace cpu::state::graphs
