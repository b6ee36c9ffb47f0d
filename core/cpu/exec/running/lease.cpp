#include "exec/running/lease.hpp"

#include <algorithm>
#include <chrono>

namespace cpu::exec {
namespace {

/// Longer than a call takes from reading an address to queuing work, even if it compiles a kernel in between.
constexpr std::int64_t grace = 10'000'000'000;
/// No thread has this number.
constexpr std::uintptr_t several_threads = 1;

std::int64_t nanoseconds() noexcept {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

}  // namespace

void Lease::begin(std::size_t bytes) noexcept {
    lent_.store(std::max(lent_.load(std::memory_order_relaxed), bytes + 1), std::memory_order_release);
}

// Another thread that reads that nothing is lent (an acquiring load) also sees the former lease, which is stored first.
void Lease::end(Ending ending) noexcept {
    const std::size_t lent = lent_.load(std::memory_order_relaxed);
    if (lent == 0) return;
    const std::size_t bytes = lent - 1, former = former_limit_.load(std::memory_order_relaxed);
    const auto may_shrink = [&] {
        return QueuedWork::is_over(former_end_.load(std::memory_order_relaxed)) && !is_in_grace();
    };
    if (bytes > former || (bytes < former && may_shrink())) former_limit_.store(bytes, std::memory_order_relaxed);
    former_end_.store(QueuedWork::last(), std::memory_order_relaxed);
    if (ending == Ending::Freed) note_freed();
    lent_.store(0, std::memory_order_release);
}

void Lease::note_freed() noexcept {
    const std::uintptr_t before = is_in_grace() ? freed_by_.load(std::memory_order_relaxed) : 0;
    const std::uintptr_t thread = this_thread();
    freed_by_.store(before == 0 || before == thread ? thread : several_threads, std::memory_order_relaxed);
    freed_at_.store(nanoseconds(), std::memory_order_relaxed);
}

bool Lease::is_in_grace() const noexcept {
    const std::int64_t at = freed_at_.load(std::memory_order_relaxed);
    return at != 0 && nanoseconds() - at < grace;
}

bool Lease::may_have_begun_before_freed(const QueuedAt& work) const noexcept {
    const std::uintptr_t by = freed_by_.load(std::memory_order_relaxed);
    return by != 0 && by != work.thread && is_in_grace();
}

std::size_t Lease::limit(const QueuedAt& work) const noexcept {
    const std::size_t lent = lent_.load(std::memory_order_acquire);
    const std::size_t now = lent == 0 ? 0 : lent - 1;
    const std::size_t former = former_limit_.load(std::memory_order_relaxed);
    if (former <= now) return now;
    const bool counts = work.number <= former_end_.load(std::memory_order_relaxed) || may_have_begun_before_freed(work);
    return counts ? former : now;
}

void Lease::reset() noexcept {
    freed_at_.store(0, std::memory_order_relaxed);
    freed_by_.store(0, std::memory_order_relaxed);
    former_end_.store(0, std::memory_order_relaxed);
    former_limit_.store(0, std::memory_order_relaxed);
    lent_.store(0, std::memory_order_release);
}

}  // namespace cpu::exec
