#pragma once

#include "pycuda/constants.hpp"

namespace pycuda {

/// A process that uses CUDA, as checkpoints see it: this one or another, by its number. Its device memory moves to the
/// host and its devices become free, until it is restored; a tool such as CRIU can save the process in between. Needs
/// Linux, an NVIDIA GPU and a driver of CUDA 12.8; the CPU device raises LogicError. A value: owns nothing.
class CudaProcess {
public:
    explicit CudaProcess(int pid) : pid_(pid) {}
    int pid() const noexcept { return pid_; }

    ProcessState state() const;  ///< cuCheckpointProcessGetState
    /// The thread of a checkpointed process that has to run for its restore (cuCheckpointProcessGetRestoreThreadId).
    int restore_thread_id() const;
    /// Its CUDA calls wait from now on, and what it has queued is completed (cuCheckpointProcessLock). `timeout_ms`:
    /// how long that may take, 0 for as long as it takes; LogicError after that, and the process goes on. Must be
    /// RUNNING.
    void lock(unsigned timeout_ms = 0) const;
    /// Its device memory moves to the host, and it lets go of its devices (cuCheckpointProcessCheckpoint). Must be
    /// LOCKED.
    void checkpoint() const;
    /// The opposite (cuCheckpointProcessRestore); it is LOCKED afterwards. Must be CHECKPOINTED.
    void restore() const;
    /// Its CUDA calls go on (cuCheckpointProcessUnlock). Must be LOCKED.
    void unlock() const;

private:
    int pid_;
};

}  // namespace pycuda
