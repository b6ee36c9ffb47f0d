#include "api/abi.hpp"
#include "state/context.hpp"
#include "state/external/semaphore.hpp"
#include "state/graphs/capture.hpp"
#include "state/graphs/semaphore_content.hpp"

using namespace cpu::api;
using namespace cpu::state;

namespace {

/// Queues one signal or wait; `Node`: what it becomes in a capture.
template <class Node>
CUresult queue(const char* name, SemaphoreWork::What what, const CUexternalSemaphore* semaphores,
               const typename Node::Parameters* parameters, unsigned count, CUstream stream) {
    return entry(name, [&] {
        const auto queue = stream_of(stream);
        if (queue->is_captured()) return graphs::capture(*queue, std::make_shared<Node>(semaphores, parameters, count));
        SemaphoreWork(what, semaphore_entries(semaphores, parameters, count)).submit(*queue);
    });
}

}  // namespace

CUresult cuImportExternalSemaphore(CUexternalSemaphore* extSem_out,
                                   const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC* semHandleDesc) {
    return entry_unseen_by_captures("cuImportExternalSemaphore", [&] {
        const auto& context = current_context();
        require(extSem_out != nullptr && semHandleDesc != nullptr && semHandleDesc->flags == 0);
        require(semHandleDesc->type >= CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD &&
                semHandleDesc->type <= CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32);
        const bool is_timeline = semHandleDesc->type == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
        require(is_timeline || semHandleDesc->type == CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD,
                CUDA_ERROR_NOT_SUPPORTED);
        const int descriptor = semHandleDesc->handle.fd;
        *extSem_out = external_semaphores().add(std::make_shared<ExternalSemaphore>(context, descriptor, is_timeline));
        SharedFile::close_imported(descriptor);
    });
}

CUresult cuSignalExternalSemaphoresAsync(const CUexternalSemaphore* extSemArray,
                                         const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS* paramsArray,
                                         unsigned int numExtSems, CUstream stream) {
    return queue<graphs::SignalContent>("cuSignalExternalSemaphoresAsync", SemaphoreWork::What::Signal, extSemArray,
                                        paramsArray, numExtSems, stream);
}

CUresult cuWaitExternalSemaphoresAsync(const CUexternalSemaphore* extSemArray,
                                       const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS* paramsArray, unsigned int numExtSems,
                                       CUstream stream) {
    return queue<graphs::WaitContent>("cuWaitExternalSemaphoresAsync", SemaphoreWork::What::Wait, extSemArray,
                                      paramsArray, numExtSems, stream);
}

CUresult cuDestroyExternalSemaphore(CUexternalSemaphore extSem) {
    return entry("cuDestroyExternalSemaphore",
                 [&] { require(external_semaphores().take(extSem) != nullptr, CUDA_ERROR_INVALID_HANDLE); });
}
