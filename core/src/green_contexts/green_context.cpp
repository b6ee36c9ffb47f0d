#include "pycuda/green_contexts/green_context.hpp"

#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "contexts/converted_contexts.hpp"
#include "driver/driver_table.hpp"
#include "green_contexts/default_stream_order.hpp"
#include "pycuda/driver/open_captures.hpp"
#include "pycuda/streams/stream.hpp"
#include "pycuda/threads/waiting.hpp"

namespace pycuda {
namespace {

std::string sms(unsigned count) {
    return std::to_string(count) + (count == 1 ? " SM" : " SMs");
}

/// NVIDIA's driver takes the same SMs twice, and counts them twice.
void check_disjoint(const std::vector<CUdevResource>& resources, const Device& device) {
    unsigned sum = 0;
    for (std::size_t k = 0; k < resources.size(); ++k) {
        sum += resources[k].sm.smCount;
        for (std::size_t other = 0; other < k; ++other)
            if (std::memcmp(&resources[k], &resources[other], sizeof resources[k]) == 0)
                throw std::invalid_argument("expected different SMs for a green context, given resource " +
                                            std::to_string(k) + ", counted from 0, twice");
    }
    if (const unsigned all = SMResource(device).sm_count(); sum > all)
        throw std::invalid_argument("expected different SMs for a green context, given " + sms(sum) +
                                    " of a device that has " + std::to_string(all));
}

/// The primary context, which must be current.
std::shared_ptr<Context> current_primary(const Device& device) {
    auto context = Context::current_or_null();
    if (context && context->origin() == Context::Origin::Primary && Context::get_device() == device) return context;
    throw LogicError("cuGreenCtxCreate", CUDA_ERROR_INVALID_CONTEXT,
                     "a green context is a part of its device's primary context, which must be current: retain and "
                     "push it first");
}

}  // namespace

// ---- resources

SMResource::SMResource(const Device& device) : device_(device) {
    driver().cuDeviceGetDevResource(device.handle(), &resource_, CU_DEV_RESOURCE_TYPE_SM);
}

SMResource SMResource::of_context(const Context& context) {
    CUdevResource resource{};
    const ContextScope scope(context);
    driver().cuCtxGetDevResource(context.handle(), &resource, CU_DEV_RESOURCE_TYPE_SM);
    return {resource, Context::get_device()};
}

SMResource SMResource::of_stream(const Stream& stream) {
    CUdevResource resource{};
    const ContextScope scope(*stream.context());
    driver().cuStreamGetDevResource(stream.use(), &resource, CU_DEV_RESOURCE_TYPE_SM);
    return {resource, Context::get_device()};
}

void SMGroups::add(unsigned sm_count, unsigned coscheduled, unsigned preferred_coscheduled, bool backfill) {
    constexpr unsigned backfills = 1;  // CU_DEV_SM_RESOURCE_GROUP_BACKFILL
    groups_.push_back({sm_count, coscheduled, preferred_coscheduled, backfill ? backfills : 0, {}});
}

std::vector<SMResource> SMResource::split_into(const SMGroups& groups) const {
    if (groups.count() == 0) throw std::invalid_argument("SMs are split into at least one group, given none");
    std::vector<SMGroups::Group> wanted = groups.groups();
    std::vector<CUdevResource> made(wanted.size());
    CUdevResource rest{};
    const auto& call = driver().cuDevSmResourceSplit;
    if (const CUresult result =
            call.try_call(made.data(), static_cast<unsigned>(made.size()), &resource_, &rest, 0, wanted.data())) {
        std::string text;
        for (const SMGroups::Group& group : groups.groups())
            text += (text.empty() ? "" : ", ") + std::to_string(group.sm_count);
        call.fail(result, "groups of " + text + " SMs from " + sms(sm_count()));
    }
    std::vector<SMResource> all;
    for (const CUdevResource& group : made) all.emplace_back(group, device_);
    if (rest.sm.smCount != 0) all.emplace_back(rest, device_);
    return all;
}

std::vector<SMResource> SMResource::split(unsigned sm_count, unsigned groups, unsigned flags) const {
    const auto& call = driver().cuDevSmResourceSplitByCount;
    const auto check = [&](CUresult result) {
        if (result != CUDA_SUCCESS)
            call.fail(result, "groups of " + sms(sm_count) + " from " + sms(this->sm_count()) +
                                  "; to split a group or the remainder of a split again, make a green context of it");
    };
    unsigned max = 0;
    check(call.try_call(nullptr, &max, &resource_, nullptr, flags, sm_count));
    unsigned count = groups == 0 ? max : groups;
    if (count == 0 || count > max)
        throw LogicError(call.name(), CUDA_ERROR_INVALID_VALUE,
                         "asked for " + std::to_string(count) + (count == 1 ? " group of " : " groups of ") +
                             sms(sm_count) + ", but " + sms(this->sm_count()) + " give " + std::to_string(max));
    std::vector<CUdevResource> made(count);
    CUdevResource rest{};
    check(call.try_call(made.data(), &count, &resource_, &rest, flags, sm_count));
    std::vector<SMResource> all;
    for (unsigned k = 0; k < count; ++k) all.emplace_back(made[k], device_);
    if (rest.sm.smCount != 0) all.emplace_back(rest, device_);
    return all;
}

// ---- green contexts

void GreenContextTraits::destroy(CUgreenCtx green) noexcept {
    driver().cuGreenCtxDestroy.clean_up(green);
}

/// The driver's green context. Whatever uses it keeps this: streams, as the owner of their primary context, and the
/// converted context. So it is destroyed last.
struct GreenContext::Part {
    Handle<GreenContextTraits> green;
    Device device;
    std::mutex calls;  ///< the driver takes one call with a green context at a time

    Part(CUgreenCtx made, std::shared_ptr<Context> primary, const Device& of)
        : green(made, std::move(primary)), device(of) {}
    std::shared_ptr<Context> primary() const { return green.live_owner(); }
    /// call(green)
    template <class Call>
    void with(Call&& call) {
        const auto in_use = green.use();
        const auto lock = lock_over_calls(calls);
        call(static_cast<CUgreenCtx>(in_use));
    }
};

GreenContext::GreenContext(const std::vector<SMResource>& resources) {
    if (resources.empty()) throw std::invalid_argument("a green context needs at least one resource");
    const Device device = resources.front().device();
    std::vector<CUdevResource> raw;
    for (const SMResource& resource : resources) {
        if (resource.sm_count() == 0) throw std::invalid_argument("a resource without SMs cannot make a green context");
        raw.push_back(resource.raw());
    }
    check_disjoint(raw, device);
    auto primary = current_primary(device);
    const RelaxedCapture relaxed;
    CUdevResourceDesc description = nullptr;
    const auto& describe = driver().cuDevResourceGenerateDesc;
    if (const CUresult result = describe.try_call(&description, raw.data(), static_cast<unsigned>(raw.size())))
        describe.fail(result, "several resources must come from one split of one device");
    CUgreenCtx green = nullptr;
    driver().cuGreenCtxCreate(&green, description, device.handle(), CU_GREEN_CTX_DEFAULT_STREAM);
    part_ = std::make_shared<Part>(green, std::move(primary), device);
}

GreenContext::~GreenContext() {
    close();
}

std::shared_ptr<GreenContext::Part> GreenContext::part() const {
    const std::lock_guard lock(mutex_);
    if (!part_) raise_closed(GreenContextTraits::what);
    return part_;
}

Stream GreenContext::create_stream(int priority) const {
    auto part = this->part();
    const auto primary = part->primary();
    CUstream stream = nullptr;
    part->with(
        [&](CUgreenCtx green) { driver().cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, priority); });
    return Stream::adopt(stream, {std::move(part), primary.get()}, CU_STREAM_NON_BLOCKING);
}

SMResource GreenContext::sm_resource() const {
    const auto part = this->part();
    CUdevResource resource{};
    part->with([&](CUgreenCtx green) { driver().cuGreenCtxGetDevResource(green, &resource, CU_DEV_RESOURCE_TYPE_SM); });
    return SMResource(resource, part->device);
}

std::shared_ptr<Context> GreenContext::as_context() const {
    const auto part = this->part();
    CUcontext converted = nullptr;
    part->with([&](CUgreenCtx green) { driver().cuCtxFromGreenCtx(&converted, green); });
    auto context = Context::wrap(converted, part->device.handle(), Context::Origin::Green);
    context->attachment<ConvertedFrom>()->keep(part, part->primary());
    context->attachment<DefaultStreamOrder>();
    return context;
}

void GreenContext::synchronize() const {
    if (any_capture_is_open()) require_no_capture("GreenContext.synchronize", "end it first");
    const auto primary = part()->primary();
    const ContextScope scope(*primary);
    const Event done(CU_EVENT_DISABLE_TIMING);
    record_event(done);
    done.synchronize();
}

void GreenContext::record_event(const Event& event) const {
    if (any_capture_is_open()) require_no_capture("GreenContext.record_event", "end it first");
    const auto recorded = event.use();
    part()->with([&](CUgreenCtx green) { driver().cuGreenCtxRecordEvent(green, recorded); });
}

void GreenContext::wait_for_event(const Event& event) const {
    if (any_capture_is_open()) require_no_capture("GreenContext.wait_for_event", "end it first");
    const auto awaited = event.use();
    part()->with([&](CUgreenCtx green) { driver().cuGreenCtxWaitEvent(green, awaited); });
}

std::uint64_t GreenContext::id() const {
    unsigned long long id = 0;
    part()->with([&](CUgreenCtx green) { driver().cuGreenCtxGetId(green, &id); });
    return id;
}

CUgreenCtx GreenContext::handle() const {
    return part()->green.get();
}

void GreenContext::close() noexcept {
    std::shared_ptr<Part> last;
    const std::lock_guard lock(mutex_);
    last.swap(part_);
}

}  // namespace pycuda
