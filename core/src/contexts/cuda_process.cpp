#include "pycuda/contexts/cuda_process.hpp"

#include <string>

#include "driver/driver_table.hpp"

namespace pycuda {
namespace {

/// `needed`: the state that the call needs, for the message.
template <class Function, class... Arguments>
void call(const Function& function, int pid, const char* needed, Arguments... arguments) {
    const CUresult result = function.try_call(pid, arguments...);
    if (result == CUDA_SUCCESS) return;
    std::string detail = "process " + std::to_string(pid);
    if (result == CUDA_ERROR_ILLEGAL_STATE) detail += std::string(" must be ") + needed;
    if (result == CUDA_ERROR_NOT_READY) detail += " had work that was not done in time";
    function.fail(result, detail);
}

}  // namespace

ProcessState CudaProcess::state() const {
    CUprocessState state{};
    call(driver().cuCheckpointProcessGetState, pid_, "a process that uses CUDA", &state);
    return static_cast<ProcessState>(state);
}

int CudaProcess::restore_thread_id() const {
    int thread = 0;
    call(driver().cuCheckpointProcessGetRestoreThreadId, pid_, "a process that uses CUDA", &thread);
    return thread;
}

void CudaProcess::lock(unsigned timeout_ms) const {
    CUcheckpointLockArgs arguments{};
    arguments.timeoutMs = timeout_ms;
    call(driver().cuCheckpointProcessLock, pid_, "RUNNING", &arguments);
}

void CudaProcess::checkpoint() const {
    CUcheckpointCheckpointArgs arguments{};
    call(driver().cuCheckpointProcessCheckpoint, pid_, "LOCKED", &arguments);
}

void CudaProcess::restore() const {
    CUcheckpointRestoreArgs arguments{};
    call(driver().cuCheckpointProcessRestore, pid_, "CHECKPOINTED", &arguments);
}

void CudaProcess::unlock() const {
    CUcheckpointUnlockArgs arguments{};
    call(driver().cuCheckpointProcessUnlock, pid_, "LOCKED", &arguments);
}

}  // namespace pycuda
