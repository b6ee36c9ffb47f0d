#pragma once

#include "state/external/semaphore.hpp"
#include "state/graphs/content.hpp"

#include <type_traits>
#include <vector>

namespace cpu::state::graphs {

/// Signals semaphores of other interfaces, or waits for them: see SemaphoreWork.
template <SemaphoreWork::What what>
class SemaphoreContent final : public Content {
public:
    static constexpr bool signals = what == SemaphoreWork::What::Signal;
    using Parameters =
        std::conditional_t<signals, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>;

    /// Runs in the context of the first semaphore. Throws what semaphore_entries throws.
    SemaphoreContent(const CUexternalSemaphore* semaphores, const Parameters* parameters, unsigned count);

    CUgraphNodeType type() const noexcept override {
        return signals ? CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL : CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT;
    }
    CUgraphNodeParams parameters() const override;
    CUgraphExecUpdateResult check_update(const Content& later) const override;
    std::string label(bool verbose) const override;
    const Context* context() const noexcept override { return context_.get(); }
    bool waits() const noexcept override { return !signals; }
    TaskKind kind() const noexcept override { return signals ? TaskKind::Work : TaskKind::HostFunction; }
    void run(Progress& progress) const noexcept override;

private:
    SemaphoreWork work_;
    std::shared_ptr<Context> context_;
    mutable std::vector<CUexternalSemaphore> handles_;  ///< parameters() points to them, without const
    std::vector<Parameters> parameters_;
};

using SignalContent = SemaphoreContent<SemaphoreWork::What::Signal>;
using WaitContent = SemaphoreContent<SemaphoreWork::What::Wait>;

}  // namespace cpu::state::graphs
