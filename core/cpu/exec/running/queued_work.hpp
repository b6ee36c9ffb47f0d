#pragma once

#include <cstdint>
#include <limits>

namespace cpu::exec {

/// When the program queued a piece of work, in the order of all work of the process, and on which thread.
struct QueuedAt {
    std::uint64_t number = std::numeric_limits<std::uint64_t>::max();  ///< by default after everything
    std::uintptr_t thread = 0;                                         ///< 0: none in particular

    /// For what happens during the call.
    static QueuedAt now() noexcept;
};

/// Identifies the calling thread. One instruction: a thread_local variable of a shared library in ELF costs a call,
/// elsewhere it does not.
inline std::uintptr_t this_thread() noexcept {
#ifdef __ELF__
    return reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
#else
    thread_local char own;
    return reinterpret_cast<std::uintptr_t>(&own);
#endif
}

/// Work that is queued, and may run, as long as this exists.
class QueuedWork {
public:
    QueuedWork() noexcept;
    ~QueuedWork();
    QueuedWork(const QueuedWork&) = delete;
    QueuedWork& operator=(const QueuedWork&) = delete;

    const QueuedAt at;

    /// The number of the work that was queued last.
    static std::uint64_t last() noexcept;
    /// True if all work up to this number is known to be over.
    static bool is_over(std::uint64_t number) noexcept;
};

}  // namespace cpu::exec
