#include "state/external/semaphore.hpp"

#include "state/context.hpp"
#include "state/streams/stream.hpp"

#include <chrono>
#include <thread>

namespace cpu::state {

ExternalSemaphore::ExternalSemaphore(const std::shared_ptr<Context>& context, int descriptor, bool is_timeline)
    : context_(context), is_timeline_(is_timeline) {
    const SharedFile file = SharedFile::copy_for_import(descriptor, sizeof(std::uint64_t));
    block_ = PageBlock::map_file(file, page_size());
}

void ExternalSemaphore::signal(std::uint64_t value) noexcept {
    word().store(is_timeline_ ? value : 1, std::memory_order_release);
}

bool ExternalSemaphore::arrived(std::uint64_t value) noexcept {
    if (is_timeline_) return word().load(std::memory_order_acquire) >= value;
    std::uint64_t signalled = 1;
    return word().compare_exchange_strong(signalled, 0, std::memory_order_acq_rel);
}

void ExternalSemaphore::wait(std::uint64_t value) noexcept {
    while (!arrived(value)) std::this_thread::sleep_for(std::chrono::microseconds(20));
}

void SemaphoreWork::run() const noexcept {
    for (const auto& [semaphore, value] : entries_)
        if (what_ == What::Signal)
            semaphore->signal(value);
        else
            semaphore->wait(value);
}

void SemaphoreWork::submit(Stream& stream) const {
    const auto work = [self = *this] { self.run(); };
    // A wait runs on the worker: the thread that waits for the stream may be the one that signals.
    if (what_ == What::Wait)
        stream.context()->note_wait(stream.enqueue(make_task(TaskKind::HostFunction, work)));
    else if (!stream.run_here_if_idle(work))
        stream.enqueue(make_task(TaskKind::Work, work));
}

}  // namespace cpu::state
