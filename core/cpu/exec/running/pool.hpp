#pragma once

#include <atomic>
#include <functional>

#include "exec/running/launch.hpp"

namespace cpu::exec {

/// PYCUDA_CPU_THREADS, else the number of cores that this process may use; at least 1. Determined once a process.
unsigned default_threads();

class Pool;

/// Work that threads of the shared pool help with. They are started on demand and never joined: they hold nothing that
/// must be released at the exit of the process.
class SharedWork {
public:
    /// From now on `help` is called on up to `helpers` threads concurrently. Of all shared work, that with the lowest
    /// `priority` gets helpers first.
    SharedWork(std::function<void()> help, unsigned helpers, int priority = 0);
    /// Waits for the helpers.
    ~SharedWork();
    SharedWork(const SharedWork&) = delete;
    SharedWork& operator=(const SharedWork&) = delete;

    /// No thread joins from now on. True if all helpers have returned; false if they have not by `leave_at`.
    bool finish(Time leave_at = never);

private:
    friend class Pool;

    const std::function<void()> help_;
    const int priority_;
    Pool& pool_;
    std::atomic<bool> is_open_{true};  ///< changed by the pool, under its mutex
    unsigned wanted_;                  ///< guarded by the pool's mutex
    std::atomic<unsigned> active_{0};
};

/// For `help`: true if work with a lower priority value waits for helpers. `help` should then return soon, even with
/// work left; it is called again when a helper is free.
bool wanted_elsewhere() noexcept;

}  // namespace cpu::exec
