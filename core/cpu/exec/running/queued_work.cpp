#include "exec/running/queued_work.hpp"

#include <atomic>

namespace cpu::exec {
namespace {

// In cache lines of their own: one thread queues, others complete.
alignas(64) constinit std::atomic<std::uint64_t> queued{0};
alignas(64) constinit std::atomic<std::uint64_t> ended{0};
/// All work up to this number is over. It may lag behind.
alignas(64) constinit std::atomic<std::uint64_t> known_over{0};

}  // namespace

QueuedAt QueuedAt::now() noexcept {
    return {queued.load(std::memory_order_relaxed) + 1, this_thread()};
}

QueuedWork::QueuedWork() noexcept : at{queued.fetch_add(1, std::memory_order_relaxed) + 1, this_thread()} {}

QueuedWork::~QueuedWork() {
    ended.fetch_add(1, std::memory_order_release);
}

std::uint64_t QueuedWork::last() noexcept {
    return queued.load(std::memory_order_relaxed);
}

bool QueuedWork::is_over(std::uint64_t number) noexcept {
    if (number <= known_over.load(std::memory_order_relaxed)) return true;
    // In this order: if the two are equal, nothing was under way when the first was read.
    const std::uint64_t all_ended = ended.load(std::memory_order_acquire);
    if (all_ended != queued.load(std::memory_order_relaxed)) return false;
    known_over.store(all_ended, std::memory_order_relaxed);
    return number <= all_ended;
}

}  // namespace cpu::exec
