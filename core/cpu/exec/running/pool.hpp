#pragma once

#include <functional>

namespace cpu::exec {

/// PYCUDA_CPU_THREADS, else the number of cores that this process may use; at least 1. Determined once a process.
unsigned default_threads();

/// Calls `work` on the calling thread and `help` on up to `helpers` threads of the shared pool concurrently; returns
/// when all of them have returned. Threads are started on demand and never joined: they hold nothing that must be
/// released at the exit of the process. Of several concurrent calls, those with the lowest `priority` get helpers
/// first. While the calling thread waits for the others, it calls `meanwhile`, if given, now and then.
void run_on_pool(const std::function<void()>& work, const std::function<void()>& help, unsigned helpers,
                 int priority = 0, const std::function<void()>& meanwhile = nullptr);

/// For `help`: true if a call with a lower priority value waits for helpers. `help` should then return soon, even with
/// work left; it is called again when a helper is free.
bool wanted_elsewhere() noexcept;

}  // namespace cpu::exec
