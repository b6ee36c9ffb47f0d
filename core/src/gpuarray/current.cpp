#include "pycuda/gpuarray/current.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "captures/captures.hpp"
#include "pools/graph_pools.hpp"
#include "pycuda/contexts/context.hpp"
#include "pycuda/memory/pointer_info.hpp"
#include "pycuda/streams/ordering.hpp"
#include "pycuda/streams/stream.hpp"
#include "pycuda/threads/per_thread.hpp"
#include "pycuda/threads/waiting.hpp"
#include "streams/stream_marker.hpp"
#include "streams/stream_order.hpp"

namespace pycuda::gpuarray {
namespace {

/// The state cached for one thread.
struct Memory {
    Current last;
    std::atomic<bool> taken{true};
    Memory* next = nullptr;
};

std::atomic<Memory*> all{nullptr};
constinit thread_local Memory* mine = nullptr;

/// While this lives, threads with only one block in use do not count references to their pool.
struct PoolHold {
    explicit PoolHold(std::shared_ptr<MemoryPool> of) noexcept : pool(std::move(of)) { pool->hold(); }
    PoolHold(PoolHold&&) = default;
    PoolHold& operator=(PoolHold&&) = delete;
    ~PoolHold() {
        if (pool) pool->release_hold();
    }
    std::shared_ptr<MemoryPool> pool;
};

struct StreamUse {
    std::shared_ptr<void> owner;  ///< destroyed last: it may own the stream
    std::shared_ptr<Context> context;
    PoolHold hold;
    Handle<StreamTraits>::Use stream;
    std::shared_ptr<GraphResources> graph{};  ///< the graph into which the stream was captured
    CUstream joined = nullptr;                ///< the captured stream whose capture it joined when the use began
    bool ended = false;                       ///< on another thread: its own has to destroy it
};
using StreamUses = std::vector<std::unique_ptr<StreamUse>>;

/// This thread's, or null. Not destroyed when the thread ends: its hazard pointers may belong to another thread by
/// then.
constinit thread_local StreamUses* uses = nullptr;

/// The uses of all threads. Leaked: they may end during process exit.
struct AllUses {
    /// Guards the uses, and the caches of threads while they are replaced. Held over driver calls.
    std::mutex mutex;
    std::vector<StreamUses*> threads;
};
AllUses& all_uses() {
    static auto* const instance = new AllUses;
    return *instance;
}

/// Another thread may forget the cache meanwhile.
CUcontext cached_handle(Memory& memory) noexcept {
    return std::atomic_ref(memory.last.handle).load(std::memory_order_relaxed);
}
void forget(Memory& memory) noexcept {
    std::atomic_ref(memory.last.handle).store(nullptr, std::memory_order_relaxed);
}
void forget() noexcept {
    if (mine) forget(*mine);
}

/// The innermost use in the context; null if there is none. The lock is held.
StreamUse* use_in(const Context* context) {
    if (!uses) return nullptr;
    for (auto use = uses->rbegin(); use != uses->rend(); ++use)
        if ((*use)->context.get() == context && !(*use)->ended) return use->get();
    return nullptr;
}

/// Sets the stream and pool of operations in `found`'s context. The lock is held.
void apply_uses(const std::shared_ptr<Context>& context, Current& found) {
    StreamUse* const use = use_in(context.get());
    if (!use) return;
    found.stream = use->stream;
    if (use->graph) found.pool = use->graph->part<GraphPools>()->pool(*context);
}

/// Removes the uses of this thread that have ended, for the caller to destroy without the lock, which is held.
StreamUses take_ended() {
    StreamUses ended;
    if (!uses) return ended;
    ended.reserve(uses->size());
    for (auto& use : *uses)
        if (use->ended) ended.push_back(std::move(use));
    std::erase(*uses, nullptr);
    if (!uses->empty()) return ended;
    std::erase(all_uses().threads, uses);
    delete std::exchange(uses, nullptr);
    return ended;
}

/// `stream`, which is about to be used after `before`, joins its capture. Returns `before` if so, else null.
CUstream join_capture(CUstream handle, CUstream before) {
    if (!any_capture_is_open()) return nullptr;
    const WaitScope unlocked;
    const auto capture = captures::id_of(before);
    if (capture == 0 || handle == before || is_default_stream(handle)) return nullptr;
    if (const auto theirs = captures::id_of(handle); theirs != 0 && theirs != capture) return nullptr;
    StreamMarker(Context::current(), before).order(handle);
    return before;
}

/// The use ends: the stream whose capture it joined, which is still in use, waits for it. The lock is held.
void leave_capture(const StreamUse& use, const StreamUses& thread) {
    const auto is_before = [&use](const auto& known) { return !known->ended && CUstream(known->stream) == use.joined; };
    if (!use.joined || std::none_of(thread.begin(), thread.end(), is_before)) return;
    const WaitScope unlocked;
    const auto capture = captures::id_of(use.joined);
    if (capture == 0 || captures::id_of(use.stream) != capture) return;
    try {
        StreamMarker(use.context, use.stream).order(use.joined);
    } catch (const Error&) {
        // The end of the capture says why it is invalid.
    }
}

void end_use(StreamUses& thread, StreamUse& use) {
    use.ended = true;
    leave_capture(use, thread);
}

[[gnu::noinline, gnu::cold]] const Current& look_up() {
    const std::shared_ptr<Context> context = Context::current();
    Current& last = (mine ? *mine : first_of_this_thread(all, mine, &Memory::taken, &Memory::next)).last;
    // We are not notified when an adopted context is destroyed, so its handle is never cached.
    const bool notified_of_end = context->origin() != Context::Origin::Adopted;
    const bool held_elsewhere = context.use_count() > (last.kept == context ? 2 : 1);
    Current found{notified_of_end ? context->handle() : nullptr, Kernels::of(*context), default_device_pool(*context),
                  held_elsewhere ? nullptr : context};
    StreamUses ended;
    const auto lock = lock_over_calls(all_uses().mutex);
    ended = take_ended();
    apply_uses(context, found);
    std::swap(last, found);
    return last;
}

/// Contexts of one device share memory if they are its primary context and its green contexts. Managed memory, host
/// memory and memory of the driver's pools are shared by all contexts.
bool shares_memory(const Context& one, const Context& other, std::uint64_t address) {
    const auto memory = pointer_info(address);
    if (!memory || memory->managed || memory->on_host || !memory->context) return true;
    if (memory->device != Context::get_device().handle()) return memory->device_pointer != 0;  // peer access
    return one.origin() != Context::Origin::Created && other.origin() != Context::Origin::Created;
}

}  // namespace

void require_access(const Context& owner, std::uint64_t address) {
    const bool notified_of_end = owner.origin() != Context::Origin::Adopted;
    if (notified_of_end && owner.handle_or_null() == Context::current_handle_or_null()) [[likely]]
        return;
    const std::shared_ptr<Context> now = Context::current();
    if (now.get() != &owner && !shares_memory(*now, owner, address)) [[unlikely]]
        throw LogicError("GPUArray", 0,
                         "expected an array of the current context, given one of another context, whose memory kernels "
                         "cannot use here: make its context current, or copy it between the contexts");
}

const Current& current() {
    const CUcontext handle = Context::current_handle_or_null();
    if (Memory* const known = mine; known && handle && handle == cached_handle(*known)) [[likely]]
        if (known->last.kernels->is_alive()) [[likely]]
            return known->last;
    return look_up();
}

void begin_stream_use(const Stream& stream, std::shared_ptr<void> owner) {
    auto use = std::make_unique<StreamUse>(StreamUse{.owner = std::move(owner),
                                                     .context = stream.context(),
                                                     .hold = PoolHold(default_device_pool(*stream.context())),
                                                     .stream = stream.use()});
    use->joined = join_capture(use->stream, stream_in_use());
    if (!use->joined) follow_stream_in_use(stream);
    if (any_capture_is_open()) {
        const ContextScope scope(*use->context);  // where the graph's nodes work
        use->graph = captures::resources_of(use->stream);
    }
    {
        const auto lock = lock_over_calls(all_uses().mutex);
        if (!uses) {
            auto made = std::make_unique<StreamUses>();
            all_uses().threads.push_back(made.get());
            uses = made.release();
        }
        uses->push_back(std::move(use));
    }
    forget();
}

void end_stream_use() {
    StreamUses ended;
    const auto lock = lock_over_calls(all_uses().mutex);
    ended = take_ended();
    if (!uses) throw LogicError("end_stream_use", 0, "no stream is in use on this thread");
    end_use(*uses, *uses->back());
    forget();
    auto last = take_ended();
    ended.push_back(std::move(last.front()));
}

void end_stream_use(const void* owner) {
    StreamUses ended;
    const auto lock = lock_over_calls(all_uses().mutex);
    std::vector<StreamUses*> threads;
    if (uses) threads.push_back(uses);
    threads.insert(threads.end(), all_uses().threads.begin(), all_uses().threads.end());
    for (StreamUses* const thread : threads)
        for (auto use = thread->rbegin(); use != thread->rend(); ++use) {
            if ((*use)->owner.get() != owner || (*use)->ended) continue;
            end_use(*thread, **use);
            for (Memory* memory = all.load(); memory; memory = memory->next) forget(*memory);
            ended = take_ended();
            return;
        }
    throw LogicError("end_stream_use", 0, "the stream is not in use");
}

std::shared_ptr<void> owner_of_stream_in_use() {
    if (!uses) return nullptr;
    const auto context = Context::current_or_null();
    const auto lock = lock_over_calls(all_uses().mutex);
    const StreamUse* const use = use_in(context.get());
    return use ? use->owner : nullptr;
}

CUstream stream_in_use() {
    return uses ? current().stream : nullptr;
}

void follow_stream_in_use(const Stream& stream) {
    if (stream.context()->handle() != Context::current_handle_or_null()) return;
    const CUstream handle = stream_in_use();
    const Stream before = Stream::from_handle(handle);
    if (stream.is_capturing() || (handle && before.is_capturing())) return;
    order_streams(&stream, &before);
}

}  // namespace pycuda::gpuarray
