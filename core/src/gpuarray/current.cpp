#include "pycuda/gpuarray/current.hpp"

#include <atomic>
#include <utility>
#include <vector>

#include "graphs/captures.hpp"
#include "pycuda/context.hpp"
#include "pycuda/per_thread.hpp"
#include "pycuda/pointer_info.hpp"
#include "pycuda/streams/ordering.hpp"

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
    std::shared_ptr<Context> context;
    PoolHold hold;
    Handle<StreamTraits>::Use stream;
    std::shared_ptr<GraphResources> graph;  ///< the graph into which the stream was captured
};

/// This thread's cache, or null. Not destroyed when the thread ends: its hazard pointers may belong to another thread
/// by then.
constinit thread_local std::vector<StreamUse>* uses = nullptr;

void forget() noexcept {
    if (mine) mine->last.handle = nullptr;
}

/// Sets the stream and pool of operations in `found`'s context.
void apply_uses(const std::shared_ptr<Context>& context, Current& found) {
    if (!uses) return;
    for (auto use = uses->rbegin(); use != uses->rend(); ++use) {
        if (use->context != context) continue;
        found.stream = use->stream;
        if (use->graph) found.pool = use->graph->pool(*context);
        return;
    }
}

[[gnu::noinline, gnu::cold]] const Current& look_up() {
    const std::shared_ptr<Context> context = Context::current();
    Current& last = (mine ? *mine : first_of_this_thread(all, mine, &Memory::taken, &Memory::next)).last;
    // We are not notified when an adopted context is destroyed, so its handle is never cached.
    const bool notified_of_end = context->origin() != Context::Origin::Adopted;
    const bool held_elsewhere = context.use_count() > (last.kept == context ? 2 : 1);
    Current found{notified_of_end ? context->handle() : nullptr, Kernels::of(*context), default_device_pool(*context),
                  held_elsewhere ? nullptr : context};
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
    if (const Memory* const known = mine; known && handle && handle == known->last.handle) [[likely]]
        if (known->last.kernels->is_alive()) [[likely]]
            return known->last;
    return look_up();
}

void begin_stream_use(const Stream& stream) {
    follow_stream_in_use(stream);
    auto context = stream.context();
    auto in_use = stream.use();
    auto graph = any_capture_is_open() ? captures::resources_of(in_use) : nullptr;
    if (!uses) uses = new std::vector<StreamUse>;
    PoolHold hold(default_device_pool(*context));
    uses->push_back({std::move(context), std::move(hold), std::move(in_use), std::move(graph)});
    forget();
}

void end_stream_use() {
    if (!uses) throw LogicError("end_stream_use", 0, "no stream is in use on this thread");
    uses->pop_back();
    if (uses->empty()) {
        delete uses;
        uses = nullptr;
    }
    forget();
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
