#pragma once

#include <cstdint>

namespace cpu::exec {

/// Called on a thread after its share of a launch: the kernel's name, and when the share began and ended, in
/// nanoseconds of the steady clock.
using WorkObserver = void (*)(const char* kernel, std::uint64_t begin, std::uint64_t end);
/// Null: no observer.
void set_work_observer(WorkObserver observer) noexcept;

/// One thread's share of a launch of `kernel`, from its construction to its end.
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
