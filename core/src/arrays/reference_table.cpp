#include "arrays/reference_table.hpp"

#include <algorithm>
#include <utility>

#include "captures/captures.hpp"
#include "driver/driver_table.hpp"
#include "pycuda/threads/waiting.hpp"

namespace pycuda {
namespace {

constexpr unsigned no_timing = EventFlags::DISABLE_TIMING;

/// A number that no later stream gets, unlike the handle, which the driver reuses. Drivers before CUDA 12 only have
/// the handle, and asking for the number of a captured stream would end the capture.
std::uint64_t identity_of(CUstream stream) {
    unsigned long long id = 0;
    const auto& get = driver().cuStreamGetId;
    const bool is_captured = any_capture_is_open() && captures::resources_of(stream);
    if (!is_captured && get.is_available() && get.try_call(stream, &id) == CUDA_SUCCESS) return id;
    return reinterpret_cast<std::uint64_t>(stream);
}

std::shared_ptr<Event> marker(CUstream stream) {
    auto event = std::make_shared<Event>(no_timing);
    driver().cuEventRecord(event->use(), stream);
    return event;
}

}  // namespace

ReferenceTable::~ReferenceTable() {
    const CleanupScope scope(*context_);
    if (!scope) return;  // the context has ended, so nothing reads them
    for (auto& [id, use] : uses_) {
        try {
            use.last_launch.synchronize();
        } catch (...) {
            // The context has failed, so nothing reads them either.
        }
    }
}

std::shared_ptr<BoundReference> ReferenceTable::find(const std::string& name) const {
    const auto lock = lock_over_calls(mutex_);
    for (const Entry& entry : entries_)
        if (entry.name == name) return entry.reference;
    return nullptr;
}

std::shared_ptr<BoundReference> ReferenceTable::add(const std::string& name, DevicePtr variable,
                                                    std::shared_ptr<BoundReference> reference) {
    const auto lock = lock_over_calls(mutex_);
    for (const Entry& entry : entries_)
        if (entry.name == name) return entry.reference;
    entries_.push_back({name, variable, reference, {}});
    has_variables_ |= variable != 0;
    return reference;
}

void ReferenceTable::before_launch(CUstream stream) {
    auto lock = lock_over_calls(mutex_);
    if (has_variables_) prepare(stream);
    lock.release();
}

/// Also called after failed launches, because the write has been queued.
void ReferenceTable::after_launch(CUstream stream) noexcept {
    const std::lock_guard lock(mutex_, std::adopt_lock);
    try {
        const auto use = uses_.find(identity_of(stream));
        if (use != uses_.end()) driver().cuEventRecord(use->second.last_launch.use(), stream);
    } catch (...) {
        // The context has failed: every later call reports it.
    }
}

void ReferenceTable::prepare(CUstream stream) {
    std::vector<std::pair<Entry*, Binding>> changes;
    for (Entry& entry : entries_) {
        if (!entry.variable) continue;
        Binding binding = entry.reference->bind();
        if (binding.handle != entry.written.handle) changes.emplace_back(&entry, std::move(binding));
    }
    const std::uint64_t id = identity_of(stream);
    if (!uses_.contains(id)) {
        forget_finished();
        uses_.emplace(id, Use{Event(no_timing), 0});
    }
    if (!changes.empty()) {
        wait_for_others(stream, id);
        const auto launches_done = marker(stream);
        for (auto& [entry, binding] : changes) write(*entry, std::move(binding), stream, launches_done);
        written_ = marker(stream);
        ++writes_;
    } else if (uses_.at(id).seen != writes_ && written_) {
        driver().cuStreamWaitEvent(stream, written_->use(), 0);
    }
    uses_.at(id).seen = writes_;
    destroy_retired();
}

/// We are not notified when streams end. Completed launches need no wait, and the stream's next launch, if any, waits
/// for the last write as a new stream does. Called when the number of streams has doubled.
void ReferenceTable::forget_finished() {
    if (uses_.size() < max_uses_) return;
    const RelaxedCapture relaxed;  // asking for an event would invalidate another thread's capture
    std::erase_if(uses_, [](const auto& use) {
        return driver().cuEventQuery.try_call(use.second.last_launch.use()) != CUDA_ERROR_NOT_READY;
    });
    max_uses_ = std::max(fewest_uses_asked, 2 * uses_.size());
}

/// Launches on other streams may still read what is about to be overwritten.
void ReferenceTable::wait_for_others(CUstream stream, std::uint64_t id) {
    for (auto at = uses_.begin(); at != uses_.end();) {
        if (at->first == id) {
            ++at;
            continue;
        }
        driver().cuStreamWaitEvent(stream, at->second.last_launch.use(), 0);
        at = uses_.erase(at);
    }
}

void ReferenceTable::write(Entry& entry, Binding binding, CUstream stream,
                           const std::shared_ptr<Event>& launches_done) {
    retired_.push_back({entry.written.owner, launches_done});
    const auto& copy = driver().cuMemcpyHtoDAsync;
    // From pageable memory: the driver has read the bytes when this returns.
    if (const CUresult result = copy.try_call(entry.variable, &binding.handle, sizeof binding.handle, stream)) {
        retired_.pop_back();
        copy.fail(result, "the variable of reference '" + entry.name + "'");
    }
    entry.written = std::move(binding);
}

void ReferenceTable::destroy_retired() {
    if (retired_.empty()) return;
    const RelaxedCapture relaxed;  // as above
    while (!retired_.empty()) {
        const CUresult result = driver().cuEventQuery.try_call(retired_.front().done->use());
        if (result == CUDA_ERROR_NOT_READY) return;
        retired_.pop_front();
    }
}

}  // namespace pycuda
