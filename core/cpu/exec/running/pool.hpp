#pragma once

#include <functional>

namespace cpu::exec {

/// PYCUDA_CPU_THREADS, else the number of cores that this process may use; at least 1. Asked once a
/// process.
unsigned default_threads();

/// Calls `work` on the calling thread and `help` on up to `helpers` threads of the shared pool at the same time;
/// returns when all of them have returned. Threads are started when first needed and never joined: they hold nothing
/// that a process could not leave behind at its exit. Of several calls at once, those whose `priority` is the lowest
/// get helpers first. While the calling thread waits for the others, it calls `meanwhile`, if given, now and then.
void run_on_pool(const std::function<void()>& work, const std::function<void()>& help, unsigned helpers,
                 int priority = 0, const std::function<void()>& meanwhile = nullptr);

/// For `help`: true if a call of lower priority waits for helpers. It is to return soon, though there is more to do;
/// then it is called again when a helper has time.
bool wanted_elsewhere() noexcept;

}  // namespace cpu::exec
