#include "state/graphs/batch_content.hpp"

#include "state/context.hpp"
#include "state/graphs/memory_contents.hpp"
#include "state/streams/memory_operation.hpp"

#include <algorithm>

namespace cpu::state::graphs {

BatchContent::BatchContent(std::shared_ptr<Context> context, std::vector<CUstreamBatchMemOpParams> operations)
    : context_(std::move(context)), operations_(std::move(operations)) {
    for (const auto& operation : operations_) waits_ = MemoryOperation(operation).waits() || waits_;
}

std::shared_ptr<const BatchContent> BatchContent::of(const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2& named) {
    require(named.count > 0 && named.count <= 256 && named.paramArray != nullptr && named.flags == 0);
    return std::make_shared<BatchContent>(
        context_named(named.ctx),
        std::vector<CUstreamBatchMemOpParams>(named.paramArray, named.paramArray + named.count));
}

CUgraphNodeParams BatchContent::parameters() const {
    CUgraphNodeParams made = parameters_of(type());
    made.memOp.ctx = context_->handle();
    made.memOp.count = static_cast<unsigned>(operations_.size());
    made.memOp.paramArray = operations_.data();
    return made;
}

CUgraphExecUpdateResult BatchContent::check_update(const Content& later) const {
    const auto& other = static_cast<const BatchContent&>(later);
    const auto same = [](const CUstreamBatchMemOpParams& a, const CUstreamBatchMemOpParams& b) {
        return a.operation == b.operation;
    };
    const bool fits = context_ == other.context_ && std::ranges::equal(operations_, other.operations_, same);
    return fits ? CU_GRAPH_EXEC_UPDATE_SUCCESS : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
}

std::string BatchContent::label(bool verbose) const {
    return verbose ? "BATCH_MEM_OP\n" + std::to_string(operations_.size()) + " operations" : "BATCH_MEM_OP";
}

void BatchContent::run(Progress&) const noexcept {
    if (context_->has_fault()) return;
    try {
        for (const auto& operation : operations_) MemoryOperation(operation).run();
    } catch (const DriverError&) {
        context_->set_fault(
            CUDA_ERROR_ILLEGAL_ADDRESS,
            "a graph's memory operation node names memory that was freed before the graph was launched");
    }
}

}  // namespace cpu::state::graphs
