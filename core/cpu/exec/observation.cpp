#include "exec/observation.hpp"

#include <atomic>
#include <chrono>

namespace cpu::exec {
namespace {

std::atomic<WorkObserver> work_observer{nullptr};
std::atomic<MemoryLines> lines_of_memory{nullptr};

std::uint64_t steady_nanoseconds() noexcept {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

}  // namespace

void set_work_observer(WorkObserver observer) noexcept {
    work_observer.store(observer, std::memory_order_release);
}

void set_memory_lines(MemoryLines describe) noexcept {
    lines_of_memory.store(describe, std::memory_order_release);
}

std::string memory_lines(std::uint64_t address, bool is_freed) {
    char text[1024] = "";
    if (const MemoryLines describe = lines_of_memory.load(std::memory_order_acquire))
        describe(address, is_freed, text, sizeof text);
    return text;
}

ObservedWork::ObservedWork(const char* kernel) noexcept
    : kernel_(kernel),
      observer_(work_observer.load(std::memory_order_acquire)),
      begun_(observer_ ? steady_nanoseconds() : 0) {}

ObservedWork::~ObservedWork() {
    if (observer_) [[unlikely]]
        observer_(kernel_, begun_, steady_nanoseconds());
}

}  // namespace cpu::exec
