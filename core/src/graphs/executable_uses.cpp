#include "graphs/executable_uses.hpp"

#include <algorithm>
#include <utility>

#include "captures/used_by_graphs.hpp"
#include "contexts/run_at_end.hpp"
#include "driver/driver_table.hpp"
#include "pycuda/streams/stream.hpp"
#include "streams/kept_objects.hpp"

namespace pycuda {

namespace {

bool any_works_in_others(const SharedResources& graph) {
    return std::any_of(graph.begin(), graph.end(), [](const auto& used) { return used->works_in_others(); });
}

}  // namespace

ExecutableUses::ExecutableUses(const std::shared_ptr<Context>& context, SharedResources graph, Kinds kinds)
    : context_(context),
      kinds_(kinds),
      own_(context.get()),
      works_in_others_(any_works_in_others(graph)),
      graph_(std::move(graph)) {
    if (kinds.has_conditions) launched_.emplace(EventFlags::DISABLE_TIMING);
}

void ExecutableUses::replace(SharedResources graph) noexcept {
    decltype(parts_) parts;
    works_in_others_ = any_works_in_others(graph);
    {
        const std::lock_guard lock(mutex_);
        graph_.swap(graph);
        parts_.swap(parts);
    }
    try {
        for (const auto& [part, uses] : parts)
            for (const auto& used : {uses.memory, uses.objects})
                if (used) graph.push_back(used);
        keep_until_all_done(std::make_shared<SharedResources>(std::move(graph)));
    } catch (const std::bad_alloc&) {
        // Out of memory: nothing can be kept alive.
    }
}

std::shared_ptr<GraphResources> ExecutableUses::prepare(const Part& part) {
    auto prepared = std::make_shared<GraphResources>();
    const std::lock_guard lock(mutex_);
    parts_.try_emplace(part);
    return prepared;
}

void ExecutableUses::replace(const Part& part, const std::vector<std::uint64_t>& addresses,
                             std::shared_ptr<GraphResources> prepared) {
    std::vector<std::shared_ptr<void>> before;  // destroyed after the lock is released
    std::shared_ptr<GraphResources> used_elsewhere;
    std::unique_lock lock(mutex_);
    const auto found = parts_.find(part);
    if (found == parts_.end() && addresses.empty()) return;
    NodeUses& uses = found == parts_.end() ? parts_[part] : found->second;
    uses.objects.swap(prepared);
    const std::uint64_t changes = used_by_graphs::changes();
    const bool same = uses.memory ? uses.addresses == addresses : addresses.empty();
    if (!same) {
        auto resources = std::make_shared<GraphResources>();
        if (!launched_in_.empty())
            used_elsewhere = std::move(uses.memory);
        else if (uses.memory)
            before = uses.memory->take_kept();
        uses.memory = std::move(resources);
        uses.addresses = addresses;
    }
    if (!same || uses.changes != changes) {
        for (const std::uint64_t address : addresses) used_by_graphs::add(address, uses.memory);
        uses.changes = changes;
    }
    lock.unlock();
    for (auto* const kept : {&used_elsewhere, &prepared})
        if (*kept) keep_until_all_done(std::move(*kept));
}

bool ExecutableUses::leave_to_launches(Context& owner, const std::function<void()>& destroy) const noexcept {
    if (!kinds_.has_conditions) return false;
    try {
        {
            const auto lock = lock_over_calls(launched_mutex_);
            if (!launched_ || launched_->query()) return false;
        }
        keep_until_all_done(run_at_end(owner, destroy));
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

bool ExecutableUses::has_lost_a_context() const noexcept {
    if (!works_in_others_.load(std::memory_order_relaxed)) return false;
    const std::lock_guard lock(mutex_);
    return std::any_of(graph_.begin(), graph_.end(), [](const auto& used) { return used->has_lost_a_context(); });
}

void ExecutableUses::note_launch(const Stream* stream) {
    const auto context = stream ? stream->context() : Context::current_or_null();
    if (!context || context.get() == own_) [[likely]]
        return;
    const std::lock_guard lock(mutex_);
    for (const auto& known : launched_in_)
        if (known.lock() == context) return;
    std::erase_if(launched_in_, [](const auto& known) { return known.expired(); });
    launched_in_.push_back(context);
}

void ExecutableUses::note_launched(CUstream stream) noexcept {
    if (!kinds_.has_conditions) return;
    const auto lock = lock_over_calls(launched_mutex_);
    if (!launched_) return;
    try {
        driver().cuEventRecord(launched_->handle(), stream);
    } catch (const std::exception&) {
        launched_.reset();  // unknown: the driver waits
    }
}

void ExecutableUses::keep_until_all_done(std::shared_ptr<void> kept) const {
    std::vector<std::shared_ptr<Context>> contexts{context_.lock()};
    {
        const std::lock_guard lock(mutex_);
        for (const auto& known : launched_in_) contexts.push_back(known.lock());
    }
    for (const auto& context : contexts) {
        if (!context) continue;
        try {
            context->attachment<KeptObjects>()->keep_until_all_done(kept);
        } catch (const Error&) {
            // The context has ended, and its work with it.
        }
    }
}

}  // namespace pycuda
