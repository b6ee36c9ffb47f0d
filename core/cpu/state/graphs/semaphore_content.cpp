#include "state/graphs/semaphore_content.hpp"

#include "state/context.hpp"

namespace cpu::state::graphs {

template <SemaphoreWork::What what>
SemaphoreContent<what>::SemaphoreContent(const CUexternalSemaphore* semaphores, const Parameters* parameters,
                                         unsigned count)
    : work_(what, semaphore_entries(semaphores, parameters, count)),
      context_(work_.context()),
      handles_(semaphores, semaphores + count),
      parameters_(parameters, parameters + count) {}

template <SemaphoreWork::What what>
CUgraphNodeParams SemaphoreContent<what>::parameters() const {
    CUgraphNodeParams made = parameters_of(type());
    const auto count = static_cast<unsigned>(handles_.size());
    if constexpr (signals)
        made.extSemSignal = {handles_.data(), parameters_.data(), count};
    else
        made.extSemWait = {handles_.data(), parameters_.data(), count};
    return made;
}

template <SemaphoreWork::What what>
CUgraphExecUpdateResult SemaphoreContent<what>::check_update(const Content& later) const {
    const auto& other = static_cast<const SemaphoreContent&>(later);
    return handles_.size() == other.handles_.size() ? CU_GRAPH_EXEC_UPDATE_SUCCESS
                                                    : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
}

template <SemaphoreWork::What what>
std::string SemaphoreContent<what>::label(bool verbose) const {
    const std::string name = signals ? "EXT_SEMAS_SIGNAL" : "EXT_SEMAS_WAIT";
    return verbose ? name + "\n" + std::to_string(handles_.size()) + " semaphores" : name;
}

template <SemaphoreWork::What what>
void SemaphoreContent<what>::run(Progress&) const noexcept {
    if (!context_->has_fault()) work_.run();
}

template class SemaphoreContent<SemaphoreWork::What::Signal>;
template class SemaphoreContent<SemaphoreWork::What::Wait>;

}  // namespace cpu::state::graphs
