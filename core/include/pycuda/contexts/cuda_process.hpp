#pragma once

#include "pycuda/constants/constants.hpp"

namespace pycuda {

/// A process that uses CUDA, as checkpoints see it: this one or another, by its number. Its device memory moves to the
/// host and its devices become free, until it is restored; a tool such as CRIU can save the process in between. Needs
/// Linux, an NVIDIA GPU and a driver of CUDA 12.8; the CPU device raises LogicError. A value: owns nothing.
class CudaProcess {
public:
    explicit CudaProcess(int pid) : pid_(pid) {}
    int pid() const noexcept { return pid_; }

    ProcessState state() const;  ///< cuCheckpointProcessGetState
    /// The thread of a checkpointed process that must run during the restore (cuCheckpointProcessGetRestoreThreadId).
    int restore_thread_id() const;
    /// Block its CUDA calls from now on, and complete its queued work
    /// (cuCheckpointProcessLock). LogicError after `timeout_ms` (0: no limit); the process then
    /// continues. Must be RUNNING.
    void lock(unsigned timeout_ms = 0) const;
    /// Move its device memory to the host, and release its devices (cuCheckpointProcessCheckpoint). Must be
    /// LOCKED.
    void checkpoint() const;
    /// Undo the checkpoint (cuCheckpointProcessRestore); it is LOCKED afterwards. Must be CHECKPOINTED.
    void restore() const;
    /// Let its CUDA calls continue (cuCheckpointProcessUnlock). Must be LOCKED.
    void unlock() const;

private:
    int pid_;
};

}  // namespace pycuda
