#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cpu::exec {

/// Called on each thread after its share of a launch, with the kernel's name, and the begin and end of the share in
/// nanoseconds of the steady clock.
using WorkObserver = void (*)(const char* kernel, std::uint64_t begin, std::uint64_t end);
/// Null: no observer.
void set_work_observer(WorkObserver observer) noexcept;

/// Writes which lines of the program allocated, or freed, the memory at the address: a clause that begins with ", ", or
/// nothing. Called with locks held.
using MemoryLines = void (*)(std::uint64_t address, bool is_freed, char* text, std::size_t room);
void set_memory_lines(MemoryLines describe) noexcept;
/// Empty if nothing is known.
std::string memory_lines(std::uint64_t address, bool is_freed);

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
