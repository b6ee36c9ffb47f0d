#include "state/graphs/memory_contents.hpp"

#include "state/context.hpp"
#include "state/current_context.hpp"
#include "state/graphs/progress.hpp"
#include "state/memory/address_space.hpp"
#include "state/memory/copy_box.hpp"
#include "state/textures/array.hpp"

#include <cstdio>
#include <utility>

namespace cpu::state::graphs {

std::shared_ptr<Context> context_named(CUcontext handle) {
    auto context = contexts().get(handle, CUDA_ERROR_INVALID_CONTEXT);
    context->check_fault();
    return context;
}

NamedPlace::NamedPlace(copy::Place place) : place_(std::move(place)) {
    const auto held = std::exchange(place_.held, nullptr);
    if (place_.array)
        array_ = held;
    else if (held)
        owner_ = std::static_pointer_cast<const Allocation>(held)->named_context();
}

bool NamedPlace::hold(copy::Place& out, const Progress& launch) const noexcept {
    out = place_;
    if (place_.pageable) return true;
    if (place_.array)
        out.held = array_.lock();
    else
        out.held = AddressSpace::instance().find(reinterpret_cast<std::uintptr_t>(place_.data), place_.bytes,
                                                 launch.queued.at);
    return out.held != nullptr;
}

CUmemorytype NamedPlace::memory_type() const noexcept {
    if (place_.array) return CU_MEMORYTYPE_ARRAY;
    return place_.host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

namespace {

void report_freed(Context& context, const char* what, const NamedPlace& named) {
    char text[160];
    std::snprintf(text, sizeof text, "a graph's %s node names %s at %p that was freed before the graph was launched",
                  what, named.place().array ? "an array" : "memory", static_cast<void*>(named.place().data));
    context.set_fault(CUDA_ERROR_ILLEGAL_ADDRESS, text);
}

/// One side of a copy, as in CUDA_MEMCPY3D.
struct Side {
    CUmemorytype type{};
    void* host = nullptr;
    CUdeviceptr device = 0;
    CUarray array = nullptr;
    std::size_t x = 0, y = 0, z = 0, pitch = 0, height = 0;
};

Side side_of(const NamedPlace& named, const copy::Extent& extent) {
    const copy::Place& place = named.place();
    Side side;
    side.type = named.memory_type();
    side.pitch = place.row_pitch ? place.row_pitch : extent.width;
    side.height = place.slice_pitch ? place.slice_pitch / side.pitch : extent.height;
    if (side.type == CU_MEMORYTYPE_ARRAY) {
        side.array = place.array;
        const auto array = arrays().find(place.array);
        std::size_t offset = array ? static_cast<std::size_t>(place.data - array->data()) : 0;
        side.z = offset / place.slice_pitch;
        side.y = (offset %= place.slice_pitch) / place.row_pitch;
        side.x = offset % place.row_pitch;
        side.pitch = side.height = 0;
    } else if (side.type == CU_MEMORYTYPE_HOST) {
        side.host = place.data;
    } else {
        side.device = reinterpret_cast<CUdeviceptr>(place.data);
    }
    return side;
}

CUDA_MEMCPY3D describe(const NamedPlace& to_place, const NamedPlace& from_place, const copy::Extent& extent) {
    const Side to = side_of(to_place, extent), from = side_of(from_place, extent);
    CUDA_MEMCPY3D made{};
    made.srcMemoryType = from.type;
    made.srcHost = from.host;
    made.srcDevice = from.device;
    made.srcArray = from.array;
    made.srcXInBytes = from.x;
    made.srcY = from.y;
    made.srcZ = from.z;
    made.srcPitch = from.pitch;
    made.srcHeight = from.height;
    made.dstMemoryType = to.type;
    made.dstHost = to.host;
    made.dstDevice = to.device;
    made.dstArray = to.array;
    made.dstXInBytes = to.x;
    made.dstY = to.y;
    made.dstZ = to.z;
    made.dstPitch = to.pitch;
    made.dstHeight = to.height;
    made.WidthInBytes = extent.width;
    made.Height = extent.height;
    made.Depth = extent.depth;
    return made;
}

}  // namespace

CopyContent::CopyContent(std::shared_ptr<Context> context, copy::Place to, copy::Place from, const copy::Extent& extent)
    : context_(std::move(context)),
      to_(std::move(to)),
      from_(std::move(from)),
      extent_(extent),
      described_(describe(to_, from_, extent)) {}

std::shared_ptr<const CopyContent> CopyContent::of(const CUDA_MEMCPY3D& copy, CUcontext context) {
    const copy::Extent extent = copy::extent(copy);
    require(!extent.empty());
    auto made = std::make_shared<CopyContent>(context_named(context), copy::place_of(copy::target(copy), extent),
                                              copy::place_of(copy::source(copy), extent), extent);
    made->described_ = copy;
    return made;
}

CUgraphNodeParams CopyContent::parameters() const {
    CUgraphNodeParams made = parameters_of(type());
    made.memcpy.copyCtx = context_->handle();
    made.memcpy.copyParams = described_;
    return made;
}

CUgraphExecUpdateResult CopyContent::check_update(const Content& later) const {
    const auto& other = static_cast<const CopyContent&>(later);
    const auto agrees = [](const NamedPlace& a, const NamedPlace& b) {
        return a.place().pageable == b.place().pageable && a.owner() == b.owner();
    };
    const bool same_types = described_.dstMemoryType == other.described_.dstMemoryType &&
                            described_.srcMemoryType == other.described_.srcMemoryType;
    if (context_ != other.context_ || !same_types || !agrees(to_, other.to_) || !agrees(from_, other.from_))
        return CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
    const auto is_row = [](const copy::Extent& extent) { return extent.height == 1 && extent.depth == 1; };
    if (is_row(extent_) && is_row(other.extent_)) return CU_GRAPH_EXEC_UPDATE_SUCCESS;
    // A copy of several rows cannot be changed, as with the driver of CUDA 13.0.
    const bool same = extent_ == other.extent_ && to_.place().is_same_box(other.to_.place(), extent_) &&
                      from_.place().is_same_box(other.from_.place(), extent_);
    return same ? CU_GRAPH_EXEC_UPDATE_SUCCESS : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
}

std::string CopyContent::label(bool verbose) const {
    const auto side = [](const NamedPlace& named) {
        return named.memory_type() == CU_MEMORYTYPE_ARRAY ? "array" : named.place().host ? "host" : "device";
    };
    std::string text = std::string("MEMCPY\n") + side(from_) + " to " + side(to_);
    if (verbose)
        text += "\n" + std::to_string(extent_.width) + " x " + std::to_string(extent_.height) + " x " +
                std::to_string(extent_.depth) + " bytes";
    return text;
}

void CopyContent::run(Progress& launch) const noexcept {
    if (context_->has_fault()) return;
    copy::Place to, from;
    if (!to_.hold(to, launch)) return report_freed(*context_, "memcpy", to_);
    if (!from_.hold(from, launch)) return report_freed(*context_, "memcpy", from_);
    copy::run(to, from, extent_);
}

FillContent::FillContent(std::shared_ptr<Context> context, copy::Fill fill)
    : context_(std::move(context)), to_(std::exchange(fill.to, {})), fill_(std::move(fill)) {}

std::shared_ptr<const FillContent> FillContent::of(const CUDA_MEMSET_NODE_PARAMS& fill, CUcontext context) {
    require(fill.elementSize == 1 || fill.elementSize == 2 || fill.elementSize == 4);
    auto made = copy::fill(fill.dst, fill.pitch, fill.value, fill.elementSize, fill.width, fill.height);
    require(!made.empty());
    return std::make_shared<FillContent>(context_named(context), std::move(made));
}

CUgraphNodeParams FillContent::parameters() const {
    CUgraphNodeParams made = parameters_of(type());
    made.memset.dst = reinterpret_cast<CUdeviceptr>(to_.place().data);
    made.memset.pitch = fill_.pitch;
    made.memset.value = fill_.value;
    made.memset.elementSize = static_cast<unsigned>(fill_.element_size);
    made.memset.width = fill_.width;
    made.memset.height = fill_.height;
    made.memset.ctx = context_->handle();
    return made;
}

CUgraphExecUpdateResult FillContent::check_update(const Content& later) const {
    const auto& other = static_cast<const FillContent&>(later);
    const bool same_shape = fill_.width == other.fill_.width && fill_.element_size == other.fill_.element_size &&
                            fill_.pitch == other.fill_.pitch;
    const bool fits = fill_.height == other.fill_.height && (fill_.height == 1 || same_shape);
    return context_ == other.context_ && fits ? CU_GRAPH_EXEC_UPDATE_SUCCESS
                                              : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
}

std::string FillContent::label(bool verbose) const {
    if (!verbose) return "MEMSET";
    return "MEMSET\n" + std::to_string(fill_.width) + " x " + std::to_string(fill_.height) + " elements of " +
           std::to_string(fill_.element_size) + " bytes = " + std::to_string(fill_.value);
}

void FillContent::run(Progress& launch) const noexcept {
    if (context_->has_fault()) return;
    copy::Fill fill = fill_;
    if (!to_.hold(fill.to, launch)) return report_freed(*context_, "memset", to_);
    copy::run(fill);
}

}  // namespace cpu::state::graphs
