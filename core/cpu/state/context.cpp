#include "state/context.hpp"

#include "exec/interruption.hpp"
#include "state/core_dumps.hpp"
#include "state/device.hpp"
#include "state/external/external_memory.hpp"
#include "state/external/semaphore.hpp"
#include "state/fault_reports.hpp"
#include "state/graphics/resource.hpp"
#include "state/graphs/capture.hpp"
#include "state/graphs/graph_memory.hpp"
#include "state/initialization.hpp"
#include "state/memory/address_space.hpp"
#include "state/modules/module.hpp"
#include "state/streams/event.hpp"
#include "state/textures/array.hpp"
#include "state/textures/texture.hpp"
#include "state/textures/texture_reference.hpp"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

namespace cpu::state {

namespace {

std::uint64_t next_context_id() noexcept {
    static std::atomic<std::uint64_t> next{1};
    return next.fetch_add(1);
}

struct LastFault {
    CUresult code = CUDA_SUCCESS;
    const char* report = nullptr;
};
thread_local LastFault last_fault;

/// The calling thread's default streams, which are destroyed with the thread.
struct PerThreadStreams {
    std::unordered_map<std::uint64_t, std::weak_ptr<Stream>> by_context;
    ~PerThreadStreams() {
        if (is_forked_child()) return;
        for (const auto& [id, weak] : by_context)
            if (const auto stream = weak.lock()) stream->context()->drop_stream(stream);
    }
};
thread_local PerThreadStreams per_thread_streams;

constexpr std::size_t min_printf_fifo = 512 << 10, max_printf_fifo = std::size_t{1} << 31;
constexpr std::size_t min_heap = 4 << 20;
constexpr std::size_t largest_stack = 523264;
constexpr std::size_t min_pending_launches = 32;
constexpr std::size_t largest_fetch = 128;
constexpr std::chrono::seconds patience_of_destroy{10};

std::size_t round_up(std::size_t value, std::size_t unit) {
    return (value + unit - 1) / unit * unit;
}

/// The value that the driver sets when the program requests one.
std::size_t granted(CUlimit which, std::size_t value, const Device& device) {
    switch (which) {
        case CU_LIMIT_STACK_SIZE:
            require(value <= largest_stack);
            return round_up(value, 16);
        case CU_LIMIT_PRINTF_FIFO_SIZE:
            return round_up(std::clamp(value, min_printf_fifo, max_printf_fifo), 256);
        case CU_LIMIT_MALLOC_HEAP_SIZE:
            return round_up(std::clamp(value, min_heap, std::max(min_heap, device.total_memory())), 64 << 10);
        case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
            return std::max(value, min_pending_launches);
        case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
            require(value <= largest_fetch);
            return value;
        case CU_LIMIT_PERSISTING_L2_CACHE_SIZE:
            require(value <=
                    static_cast<std::size_t>(device.attribute(CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE)));
            return value;
        default:
            fail(CUDA_ERROR_NOT_PERMITTED);
    }
}

void check_limit(CUlimit which) {
    require(which >= 0 && which < CU_LIMIT_MAX);
    const bool unsupported = which == CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH || which == CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED;
    require(!unsupported, CUDA_ERROR_UNSUPPORTED_LIMIT);
}

}  // namespace

std::shared_ptr<Context> Context::create(Device& device, unsigned flags, unsigned api_version, CUcontext handle) {
    auto context = std::make_shared<Context>(device, flags, api_version);
    context->handle_ = handle ? handle : reinterpret_cast<CUcontext>(new_handle_value());
    AddressSpace::instance().attach(*context);
    contexts().add_as(context->handle_, context);
    return context;
}

Context::Context(Device& device, unsigned context_flags, unsigned api_version)
    : flags(context_flags), device_(device), api_version_(api_version), id_(next_context_id()) {
    limits_[CU_LIMIT_STACK_SIZE] = 1024;
    limits_[CU_LIMIT_PRINTF_FIFO_SIZE] = 7602176;
    limits_[CU_LIMIT_MALLOC_HEAP_SIZE] = 8388608;
    limits_[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048;
    limits_[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64;
    limits_[CU_LIMIT_SHMEM_SIZE] = limits::shared_per_block_optin;
}

std::shared_ptr<Stream> Context::legacy_stream() {
    std::unique_lock lock(submission_);
    if (legacy_) return legacy_;
    require(!is_destroyed(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    const auto made = std::make_shared<Stream>(shared_from_this(), Stream::Kind::Legacy, CU_STREAM_DEFAULT, 0);
    made->handle = CU_STREAM_LEGACY;
    streams_.push_back(made);
    legacy_ = made;
    lock.unlock();
    hold_back_new(*made);
    return made;
}

bool Context::has_legacy_stream() const {
    std::lock_guard lock(submission_);
    return legacy_ != nullptr;
}

std::shared_ptr<Stream> Context::per_thread_stream() {
    auto& own = per_thread_streams.by_context[id_];
    if (auto known = own.lock()) return known;
    auto stream = std::make_shared<Stream>(shared_from_this(), Stream::Kind::PerThread, CU_STREAM_DEFAULT, 0);
    stream->handle = CU_STREAM_PER_THREAD;
    {
        std::lock_guard lock(submission_);
        require(!is_destroyed(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
        streams_.push_back(stream);
    }
    own = stream;
    hold_back_new(*stream);
    return stream;
}

CUstream Context::create_stream(unsigned stream_flags, int priority, std::shared_ptr<GreenContext> green) {
    auto stream =
        std::make_shared<Stream>(shared_from_this(), Stream::Kind::Created, stream_flags, priority, std::move(green));
    stream->handle = reinterpret_cast<CUstream>(new_handle_value());
    {
        std::lock_guard lock(submission_);
        require(!is_destroyed(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
        streams_.push_back(stream);
    }
    hold_back_new(*stream);
    streams().add_as(stream->handle, stream);
    return stream->handle;
}

void Context::drop_stream(const std::shared_ptr<Stream>& stream) {
    graphs::abandon(*stream);
    const auto forget = [self = shared_from_this(), key = stream.get()] {
        std::lock_guard lock(self->submission_);
        std::erase_if(self->streams_, [&](const auto& other) { return other.get() == key; });
    };
    // Pending work must stay visible to the legacy stream: in that case the stream's worker removes it at the end.
    if (stream->idle())
        forget();
    else
        stream->enqueue(make_task(TaskKind::Bookkeeping, forget));
    stream->close();
}

std::vector<std::shared_ptr<Stream>> Context::take_streams() {
    std::lock_guard lock(submission_);
    legacy_.reset();
    return std::exchange(streams_, {});
}

std::vector<Fence> Context::pending() const {
    std::vector<Fence> fences;
    std::lock_guard lock(submission_);
    for (const auto& stream : streams_)
        if (!stream->timeline_->reached(stream->submitted_)) fences.push_back({stream->timeline_, stream->submitted_});
    return fences;
}

void Context::hold_back(const std::vector<Fence>& fences) {
    std::vector<std::shared_ptr<Stream>> held_back;
    {
        std::lock_guard lock(submission_);
        std::erase_if(held_back_by_, std::mem_fn(&Fence::reached));
        held_back_by_.insert(held_back_by_.end(), fences.begin(), fences.end());
        held_back = streams_;
    }
    for (const auto& stream : held_back) stream->enqueue_after(fences, make_task(TaskKind::Bookkeeping, [] {}));
}

void Context::hold_back_new(Stream& stream) {
    std::vector<Fence> fences;
    {
        std::lock_guard lock(submission_);
        std::erase_if(held_back_by_, std::mem_fn(&Fence::reached));
        fences = held_back_by_;
    }
    if (!fences.empty()) stream.enqueue_after(fences, make_task(TaskKind::Bookkeeping, [] {}));
}

void Context::synchronize() {
    std::vector<std::pair<std::shared_ptr<Stream>, std::uint64_t>> busy;
    {
        std::lock_guard lock(submission_);
        for (const auto& stream : streams_)
            if (!stream->timeline_->reached(stream->submitted_)) busy.emplace_back(stream, stream->submitted_);
    }
    for (const auto& [stream, last] : busy) stream->finish(last);
}

void Context::wait_for(const Fence& fence) {
    while (!wait_a_while_for(fence)) {
    }
}

bool Context::wait_a_while_for(const Fence& fence) {
    if (fence.wait_for(exec::time_between_questions)) return true;
    check_interruption();
    return fence.reached();
}

void Context::check_interruption() {
    const char* const why = exec::why_interrupted();
    if (!why) return;
    memory_.end_kernels(why);
    fail(CUDA_ERROR_NOT_READY);
}

void Context::note_wait(Fence fence) {
    const std::lock_guard lock(submission_);
    std::erase_if(waits_, std::mem_fn(&Fence::reached));
    waits_.push_back(std::move(fence));
}

void Context::wait_until_idle() {
    synchronize();
    for (;;) {
        std::vector<Fence> waits;
        {
            const std::lock_guard lock(submission_);
            std::erase_if(waits_, std::mem_fn(&Fence::reached));
            waits = waits_;
        }
        if (waits.empty()) return;
        for (const Fence& fence : waits) wait_for(fence);
    }
}

/// A kernel may never end, and after this nothing could stop it.
void Context::finish_or_end_work() {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    for (const Fence& fence : pending())
        while (!fence.wait_for(exec::time_between_questions)) {
            const char* why = exec::why_interrupted();
            if (!why && Clock::now() - begin > patience_of_destroy) why = "its context was destroyed 10 s before";
            if (why) memory_.end_kernels(why);
        }
}

void Context::destroy() {
    if (destroyed_.exchange(true)) return;
    finish_or_end_work();
    // Also under handles of green contexts.
    contexts().take_all([this](const Context& named) { return &named == this; });
    for (const auto& stream : take_streams()) {
        graphs::abandon(*stream);
        streams().take(stream->handle);
        stream->close();
    }
    events().take_all([this](const Event& event) { return event.context().get() == this; });
    Module::unload_all(*this);
    texture::destroy_all(*this);
    graphs::drop_graph_memory_of(*this);
    graphics_resources().take_all([this](const GraphicsResource& made) { return made.owner() == this; });
    texture_references().take_all([this](const TextureReference& made) { return made.context() == this; });
    external_semaphores().take_all([this](const ExternalSemaphore& made) { return made.context().get() == this; });
    external_memories().take_all([this](const ExternalMemory& made) { return &made.context() == this; });
    mipmapped_arrays().take_all([this](const MipmappedArray& array) { return array.owner() == this; });
    arrays().take_all([this](const Array& array) { return array.owner() == this; });
    AddressSpace::instance().detach(*this);
    core_dumps::forget(*this);
    if (has_fault()) fault_reports::tell(fault_report_);
}

std::size_t Context::limit(CUlimit which) const {
    check_limit(which);
    return limits_[which];
}

void Context::set_limit(CUlimit which, std::size_t value) {
    check_limit(which);
    require(!settled_[which].load(std::memory_order_relaxed));
    limits_[which] = granted(which, value, device_);
}

void Context::set_fault(CUresult code, const std::string& report) {
    {
        std::lock_guard lock(settings_);
        if (has_fault()) return;
        fault_report_ = fault_reports::add(report);
        fault_.store(code, std::memory_order_release);
    }
    core_dumps::write_after_fault(*this, code, report);
}

void Context::check_fault() const {
    const CUresult code = fault_.load(std::memory_order_acquire);
    if (code == CUDA_SUCCESS) return;
    last_fault = {code, fault_report_};
    fail(code);
}

const char* last_fault_report(CUresult code) noexcept {
    return last_fault.code == code ? last_fault.report : nullptr;
}

bool Context::is_peer(const Context* other) const {
    std::lock_guard lock(settings_);
    return peers_.contains(other);
}

void Context::set_peer(const Context* other, bool enabled) {
    std::lock_guard lock(settings_);
    if (enabled)
        peers_.insert(other);
    else
        peers_.erase(other);
}

}  // namespace cpu::state
