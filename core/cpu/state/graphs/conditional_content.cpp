#include "state/graphs/conditional_content.hpp"

#include "state/error.hpp"
#include "state/graphs/graph.hpp"

namespace cpu::state::graphs {

namespace {

constexpr unsigned max_cases = 1 << 16;

bool is_good_size(CUgraphConditionalNodeType how, unsigned size) {
    switch (how) {
        case CU_GRAPH_COND_TYPE_IF:
            return size == 1 || size == 2;
        case CU_GRAPH_COND_TYPE_WHILE:
            return size == 1;
        case CU_GRAPH_COND_TYPE_SWITCH:
            return size >= 1 && size <= max_cases;
        default:
            return false;
    }
}

}  // namespace

std::shared_ptr<const ConditionalContent> ConditionalContent::of(const CUDA_CONDITIONAL_NODE_PARAMS& named) {
    const auto condition = conditions().get(named.handle, CUDA_ERROR_INVALID_VALUE);
    require(!condition->used && is_good_size(named.type, named.size));
    require(!named.ctx || named.ctx == condition->context());
    std::vector<std::shared_ptr<Graph>> bodies(named.size);
    for (auto& body : bodies) body = std::make_shared<Graph>();
    auto made = std::make_shared<ConditionalContent>(condition, named.type, std::move(bodies));
    condition->used = true;
    return made;
}

ConditionalContent::ConditionalContent(std::shared_ptr<Condition> condition, CUgraphConditionalNodeType how,
                                       std::vector<std::shared_ptr<Graph>> bodies)
    : condition_(std::move(condition)), how_(how), bodies_(std::move(bodies)) {
    for (const auto& body : bodies_) {
        body->embedded = body->conditional = true;
        reported_bodies_.push_back(body->handle());
    }
}

CUgraphNodeParams ConditionalContent::parameters() const {
    CUgraphNodeParams made = parameters_of(type());
    made.conditional.handle = condition_->handle();
    made.conditional.type = how_;
    made.conditional.size = static_cast<unsigned>(bodies_.size());
    made.conditional.phGraph_out = reported_bodies_.data();
    made.conditional.ctx = condition_->context();
    return made;
}

/// Two clones would be controlled by the same value.
std::shared_ptr<const Content> ConditionalContent::clone() const {
    fail(CUDA_ERROR_NOT_SUPPORTED);
}

std::shared_ptr<const Content> ConditionalContent::instantiate() const {
    std::vector<std::shared_ptr<Graph>> copies;
    for (const auto& body : bodies_) copies.push_back(body->instantiate());
    return std::make_shared<ConditionalContent>(condition_, how_, std::move(copies));
}

CUgraphExecUpdateResult ConditionalContent::check_update(const Content& later) const {
    const auto& other = static_cast<const ConditionalContent&>(later);
    const bool same = how_ == other.how_ && bodies_.size() == other.bodies_.size() &&
                      condition_->context() == other.condition_->context();
    return same ? CU_GRAPH_EXEC_UPDATE_SUCCESS : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
}

std::string ConditionalContent::label(bool) const {
    switch (how_) {
        case CU_GRAPH_COND_TYPE_WHILE:
            return "CONDITIONAL\nwhile";
        case CU_GRAPH_COND_TYPE_SWITCH:
            return "CONDITIONAL\nswitch";
        default:
            return "CONDITIONAL\nif";
    }
}

std::optional<std::size_t> ConditionalContent::chosen() const noexcept {
    const unsigned value = condition_->value();
    const std::size_t index = how_ == CU_GRAPH_COND_TYPE_SWITCH ? value : value == 0;
    return index < bodies_.size() ? std::optional(index) : std::nullopt;
}

}  // namespace cpu::state::graphs
