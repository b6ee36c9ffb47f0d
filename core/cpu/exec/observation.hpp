#pragma once

#include <cstdint>

namespace cpu::exec {

/// Called on each thread after its share of a launch, with the kernel's name, and the begin and end of the share in
/// nanoseconds of the steady clock.
using WorkObserver = void (*)(const char* kernel, std::uint64_t begin, std::uint64_t end);
/// Null: no observer.
void set_work_observer(WorkObserver observer) noexcept;

/// Observes one thread's share of a launch of `kernel`, from construction to destruction.
class ObservedWork {
public:
    explicit ObservedWork(const char* kernel) noexcept;
    ~ObservedWork();
    ObservedWork(const ObservedWork&) = delete;
    ObservedWork& operator=(const ObservedWork&) = delete;

private:
    const char* const kernel_;
    const WorkObserver observer_;
    const std::uint64_t begun_;
};

}  // namespace cpu::exec
