#pragma once

#include <functional>

namespace cpu::exec {

/// PYCUDA_CPU_THREADS, else the number of cores that this process may use; at least 1.
unsigned default_threads();

/// Calls `work` on the calling thread and `help` on up to `helpers` threads of the shared pool at the same time; returns
/// when all of them have returned. Threads are started when first needed and never joined: they hold nothing that a process
/// could not leave behind at its exit.
void run_on_pool(const std::function<void()>& work, const std::function<void()>& help, unsigned helpers);

}  // namespace cpu::exec
