#include "state/green_context.hpp"

#include "exec/running/pool.hpp"
#include "state/device.hpp"
#include "state/primary_context.hpp"
#include "state/streams/event.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

namespace cpu::state {

namespace sm_resource {

namespace {

/// The driver's private data in a resource.
struct Share {
    static constexpr std::uint64_t magic = 0x736d73206f662061;
    std::uint64_t mark = magic;
    std::uint64_t split = 0;  ///< the split that it is a part of; 0: none, so it can be split
    int device = 0;
    unsigned first = 0;  ///< of the SMs that were split
};

struct Description {
    int device;
    unsigned sms;
};

Registry<Description, CUdevResourceDesc>& descriptions() {
    return registry<Description, CUdevResourceDesc>();
}

std::uint64_t next_split() noexcept {
    static std::atomic<std::uint64_t> next{1};
    return next.fetch_add(1);
}

CUdevResource make(int device, unsigned sms, std::uint64_t split, unsigned first = 0) {
    CUdevResource made{};
    if (sms == 0) return made;
    const Share share{.split = split, .device = device, .first = first};
    static_assert(sizeof share <= sizeof made._internal_padding);
    made.type = CU_DEV_RESOURCE_TYPE_SM;
    std::memcpy(made._internal_padding, &share, sizeof share);
    made.sm.smCount = sms;
    made.sm.minSmPartitionSize = made.sm.smCoscheduledAlignment = 1;
    return made;
}

Share share_of(const CUdevResource& resource) {
    require(resource.type == CU_DEV_RESOURCE_TYPE_SM, CUDA_ERROR_INVALID_RESOURCE_TYPE);
    Share share;
    std::memcpy(&share, resource._internal_padding, sizeof share);
    require(share.mark == Share::magic);
    return share;
}

}  // namespace

CUdevResource of(const Device& device) {
    return make(device.ordinal(), static_cast<unsigned>(device.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)), 0);
}

std::vector<CUdevResource> split(const CUdevResource& resource, unsigned groups, unsigned size) {
    const Share share = share_of(resource);
    require(share.split == 0, CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    const unsigned all = resource.sm.smCount, each = std::max(size, 1u);
    require(each <= all);
    const unsigned count = std::min(groups, all / each);
    const std::uint64_t number = next_split();
    std::vector<CUdevResource> made;
    for (unsigned k = 0; k < count; ++k) made.push_back(make(share.device, each, number, k * each));
    made.push_back(make(share.device, all - count * each, number, count * each));
    return made;
}

std::vector<CUdevResource> split(const CUdevResource& resource, std::span<Group> groups) {
    constexpr unsigned backfill = 1, largest_cluster = 32;
    const Share share = share_of(resource);
    require(share.split == 0, CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    const std::uint64_t number = next_split();
    unsigned left = resource.sm.smCount;
    std::vector<CUdevResource> made;
    for (Group& group : groups) {
        require((group.flags & ~backfill) == 0 &&
                std::ranges::all_of(group.reserved, [](unsigned r) { return r == 0; }));
        require(group.coscheduled <= largest_cluster && group.preferred_coscheduled <= largest_cluster);
        const unsigned step = group.flags & backfill ? 1 : std::max(group.coscheduled, 1u);
        if (group.size == 0) group.size = left / step * step;
        require(group.size != 0 && group.size <= left && group.size % step == 0 && group.size >= group.coscheduled,
                CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
        made.push_back(make(share.device, group.size, number, resource.sm.smCount - left));
        left -= group.size;
    }
    made.push_back(make(share.device, left, number, resource.sm.smCount - left));
    return made;
}

CUdevResourceDesc describe(std::span<const CUdevResource> resources) {
    require(!resources.empty());
    const Share first = share_of(resources.front());
    for (const CUdevResource& resource : resources.subspan(1)) {
        const Share share = share_of(resource);
        require(share.split != 0 && share.split == first.split, CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    }
    const unsigned sms = std::accumulate(resources.begin(), resources.end(), 0u,
                                         [](unsigned sum, const CUdevResource& r) { return sum + r.sm.smCount; });
    return descriptions().add(std::make_shared<Description>(Description{first.device, sms}));
}

}  // namespace sm_resource

namespace {

std::uint64_t next_green_id() noexcept {
    static std::atomic<std::uint64_t> next{1};
    return next.fetch_add(1);
}

unsigned all_sms(const Device& device) {
    return static_cast<unsigned>(device.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
}

/// The share of the threads that corresponds to `sms` of all SMs.
unsigned share_of_threads(const Device& device, unsigned sms) {
    const std::uint64_t threads = std::uint64_t{exec::default_threads()} * sms / all_sms(device);
    return static_cast<unsigned>(std::max<std::uint64_t>(threads, 1));
}

}  // namespace

GreenContext::GreenContext(Device& device, unsigned sms)
    : handle_(reinterpret_cast<CUgreenCtx>(new_handle_value())),
      converted_(reinterpret_cast<CUcontext>(new_handle_value())),
      primary_(contexts().get(primary_context::retain(device.ordinal()))),
      id_(next_green_id()),
      sms_(sms),
      threads_(share_of_threads(device, sms)) {}

std::shared_ptr<GreenContext> GreenContext::create(Device& device, CUdevResourceDesc description) {
    const auto found = sm_resource::descriptions().get(description, CUDA_ERROR_INVALID_VALUE);
    require(found->device == device.ordinal() && found->sms <= all_sms(device));
    auto green = std::make_shared<GreenContext>(device, found->sms);
    contexts().add_as(green->converted_, green->primary_);
    green_contexts().add_as(green->handle_, green);
    return green;
}

void GreenContext::destroy() {
    if (destroyed_.exchange(true)) return;
    green_contexts().take(handle_);
    contexts().take(converted_);
    for (const auto& stream : streams()) primary_->drop_stream(stream);
    {
        std::lock_guard lock(mutex_);
        if (default_) state::streams().take(default_->handle);  // no program can destroy it
        default_.reset();
    }
    primary_context::release(primary_->device().ordinal());
}

CUdevResource GreenContext::resource() const {
    return sm_resource::make(primary_->device().ordinal(), sms_, 0);
}

std::shared_ptr<Stream> GreenContext::create_stream(int priority) {
    const CUstream made = primary_->create_stream(CU_STREAM_NON_BLOCKING, priority, shared_from_this());
    const auto stream = state::streams().get(made);
    std::vector<Fence> fences;
    {
        std::lock_guard lock(mutex_);
        std::erase_if(streams_, [](const auto& known) { return known.expired(); });
        streams_.push_back(stream);
        std::erase_if(held_back_by_, std::mem_fn(&Fence::reached));
        fences = held_back_by_;
    }
    if (!fences.empty()) stream->enqueue_after(fences, make_task(TaskKind::Bookkeeping, [] {}));
    return stream;
}

std::shared_ptr<Stream> GreenContext::default_stream() {
    {
        std::lock_guard lock(mutex_);
        if (default_) return default_;
    }
    const auto made = create_stream(0);
    std::lock_guard lock(mutex_);
    if (!default_) default_ = made;
    return default_;
}

std::vector<std::shared_ptr<Stream>> GreenContext::streams() const {
    std::vector<std::shared_ptr<Stream>> all;
    std::lock_guard lock(mutex_);
    for (const auto& known : streams_)
        if (auto stream = known.lock()) all.push_back(std::move(stream));
    return all;
}

void GreenContext::synchronize() {
    for (const auto& stream : streams()) stream->synchronize();
}

void GreenContext::record(Event& event) {
    const auto stream = default_stream();
    std::vector<Fence> fences;
    for (const auto& other : streams())
        for (Fence& fence : other->pending()) fences.push_back(std::move(fence));
    if (!fences.empty()) stream->enqueue_after(fences, make_task(TaskKind::Bookkeeping, [] {}));
    event.record(*stream);
}

void GreenContext::hold_back(const Event& event) {
    const std::vector<Fence> fences = event.fences();
    {
        std::lock_guard lock(mutex_);
        held_back_by_.insert(held_back_by_.end(), fences.begin(), fences.end());
    }
    for (const auto& stream : streams()) event.hold_back(*stream);
}

std::shared_ptr<GreenContext> green_of(CUcontext handle) {
    for (const auto& green : green_contexts().all())
        if (green->converted() == handle) return green;
    return nullptr;
}

}  // namespace cpu::state
