#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "exec/running/queued_work.hpp"

namespace cpu::exec {

/// How much of one allocation a pool of the program has lent. Work may access what was lent when it was queued, or at
/// any time since: memory may be given back, and lent again, while earlier work is pending. Where it is unknown which
/// of several leases that was, the largest counts, so that no correct program is reported.
///
/// The pool calls begin() and end() in turn; other threads call the rest at any time.
class alignas(64) Lease {
public:
    /// `bytes` bytes are lent. If the former lease has not ended, the larger one counts from now on.
    void begin(std::size_t bytes) noexcept;
    enum class Ending : bool { Unreachable, Freed };
    /// The memory is given back. Freed: by a call of the program, while other threads may be inside a call that has
    /// read the address and has not queued its work yet. For some seconds, their work may still use the memory.
    void end(Ending ending) noexcept;

    /// How many bytes the work may access; 0 also if the memory is not lent.
    std::size_t limit(const QueuedAt& work) const noexcept;
    bool is_lent() const noexcept { return lent_.load(std::memory_order_acquire) != 0; }
    /// The size of a lease that has ended; not always of the last one.
    std::size_t former_limit() const noexcept { return former_limit_.load(std::memory_order_relaxed); }
    /// Before another allocation uses this object.
    void reset() noexcept;

private:
    void note_freed() noexcept;
    bool is_in_grace() const noexcept;
    bool may_have_begun_before_freed(const QueuedAt& work) const noexcept;

    std::atomic<std::size_t> lent_{0};  ///< bytes + 1; 0: nothing is lent
    /// Ended leases that pending work may still use: the largest size, and the last work queued before the last of them
    /// ended.
    std::atomic<std::size_t> former_limit_{0};
    std::atomic<std::uint64_t> former_end_{0};
    std::atomic<std::uintptr_t> freed_by_{0};  ///< a thread, or several_threads
    std::atomic<std::int64_t> freed_at_{0};    ///< nanoseconds of the steady clock
};

}  // namespace cpu::exec
