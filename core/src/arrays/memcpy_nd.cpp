#include "pycuda/arrays/memcpy_nd.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "arrays/copy_ends.hpp"
#include "captures/used_by_graphs.hpp"
#include "contexts/interruptible_wait.hpp"
#include "driver/driver_table.hpp"
#include "memory/captured_copy.hpp"
#include "pycuda/captures/captured_work.hpp"
#include "pycuda/streams/stream.hpp"

namespace pycuda {
namespace {

/// a * b + c, or the largest number on overflow.
std::size_t saturating_fma(std::size_t a, std::size_t b, std::size_t c) {
    std::size_t product = 0, sum = 0;
    return __builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(product, c, &sum) ? SIZE_MAX : sum;
}

std::size_t saturating_add(std::size_t a, std::size_t b) {
    return saturating_fma(a, 1, b);
}

/// True if the driver knows the memory. It treats every address that it does not know as host memory, unchecked.
bool is_known(DevicePtr address) noexcept {
    unsigned type = 0;
    CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE};
    void* values[] = {&type};
    return driver().cuPointerGetAttributes.try_call(1, which, values, address) == CUDA_SUCCESS && type != 0;
}

CUmemorytype memory_type(const CopyEnd& end, const char* side) {
    switch (end.kind()) {
        case CopyEnd::Kind::Host:
            return CU_MEMORYTYPE_HOST;
        case CopyEnd::Kind::Array:
            return CU_MEMORYTYPE_ARRAY;
        case CopyEnd::Kind::Device:
            return CU_MEMORYTYPE_DEVICE;
        case CopyEnd::Kind::Unified:
            return CU_MEMORYTYPE_UNIFIED;
        case CopyEnd::Kind::None:
            break;
    }
    throw LogicError("memcpy", CUDA_ERROR_INVALID_VALUE,
                     std::string("the copy's ") + side + " is not set: give it host memory, device memory or an array");
}

/// The members that CUDA_MEMCPY2D, CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER have in common.
template <class Description>
Description common_part(const StructuredCopy& copy, const CopyEnd& src, const CopyEnd& dst) {
    Description to{};
    to.srcMemoryType = memory_type(src, "source");
    to.dstMemoryType = memory_type(dst, "destination");
    to.srcXInBytes = copy.src_x_in_bytes;
    to.srcY = copy.src_y;
    to.srcPitch = copy.src_pitch;
    to.srcHost = reinterpret_cast<const void*>(src.address());
    to.srcDevice = src.address();
    to.srcArray = src.array() ? src.array()->handle() : nullptr;
    to.dstXInBytes = copy.dst_x_in_bytes;
    to.dstY = copy.dst_y;
    to.dstPitch = copy.dst_pitch;
    to.dstHost = reinterpret_cast<void*>(dst.address());
    to.dstDevice = dst.address();
    to.dstArray = dst.array() ? dst.array()->handle() : nullptr;
    to.WidthInBytes = copy.width_in_bytes;
    to.Height = copy.height;
    return to;
}

CUDA_MEMCPY2D rectangle(const Memcpy2D& copy, const CopyEnd& src, const CopyEnd& dst) {
    src.check_room("source", copy.src_x_in_bytes, copy.src_y, 0, copy.src_pitch, 0, copy.width_in_bytes, copy.height,
                   1);
    dst.check_room("destination", copy.dst_x_in_bytes, copy.dst_y, 0, copy.dst_pitch, 0, copy.width_in_bytes,
                   copy.height, 1);
    return common_part<CUDA_MEMCPY2D>(copy, src, dst);
}

template <class Description>
Description box(const StructuredCopy3D& copy, const CopyEnd& src, const CopyEnd& dst) {
    src.check_room("source", copy.src_x_in_bytes, copy.src_y, copy.src_z, copy.src_pitch, copy.src_height,
                   copy.width_in_bytes, copy.height, copy.depth);
    dst.check_room("destination", copy.dst_x_in_bytes, copy.dst_y, copy.dst_z, copy.dst_pitch, copy.dst_height,
                   copy.width_in_bytes, copy.height, copy.depth);
    auto to = common_part<Description>(copy, src, dst);
    to.srcZ = copy.src_z;
    to.srcHeight = copy.src_height;
    to.dstZ = copy.dst_z;
    to.dstHeight = copy.dst_height;
    to.Depth = copy.depth;
    return to;
}

std::string box_text(const StructuredCopy& copy, std::size_t depth) {
    return std::to_string(copy.width_in_bytes) + " bytes x " + std::to_string(copy.height) + " x " +
           std::to_string(depth) + ", pitches " + std::to_string(copy.src_pitch) + " and " +
           std::to_string(copy.dst_pitch);
}

/// `description` describes `src` and `dst`.
template <class Function, class Description, class... Arguments>
void call(const Function& function, const StructuredCopy& copy, const CopyEnd& src, const CopyEnd& dst,
          std::size_t depth, const Description& description, Arguments... arguments) {
    const auto src_in_use = src.use(), dst_in_use = dst.use();
    if (const CUresult result = function.try_call(&description, arguments...)) [[unlikely]]
        function.fail(result, box_text(copy, depth));
}

/// The same for a copy that waits for its end, unless the language interrupts.
template <class Function, class Description>
void call_and_wait(const Function& function, const StructuredCopy& copy, const CopyEnd& src, const CopyEnd& dst,
                   std::size_t depth, const Description& description) {
    const auto src_in_use = src.use(), dst_in_use = dst.use();
    InterruptibleWait wait;
    wait.until_default_stream_is_done();
    const CUresult result = function.try_call(&description);
    wait.check();
    if (result != CUDA_SUCCESS) [[unlikely]]
        function.fail(result, box_text(copy, depth));
}

CUcontext context_of(const std::shared_ptr<Context>& given, const CopyEnd& end, const Context& current) {
    if (given) return given->handle();
    if (end.array()) return end.array()->context()->handle();
    return current.handle();
}

CUDA_MEMCPY3D_PEER describe_peer(const StructuredCopy3D& copy, const CopyEnd& src, const CopyEnd& dst,
                                 const std::shared_ptr<Context>& src_context,
                                 const std::shared_ptr<Context>& dst_context) {
    auto description = box<CUDA_MEMCPY3D_PEER>(copy, src, dst);
    const auto current = Context::current();
    description.srcContext = context_of(src_context, src, *current);
    description.dstContext = context_of(dst_context, dst, *current);
    return description;
}

}  // namespace

void note_in_captures(CUstream stream, const CopyEnd& src, const CopyEnd& dst) {
    if (!any_capture_is_open()) [[likely]]
        return;
    for (const CopyEnd* const end : {&src, &dst})
        if (end->kind() == CopyEnd::Kind::Host)
            require_page_locked_if_captured(stream, "memcpy", reinterpret_cast<const void*>(end->address()), 1);
    for (const CopyEnd* const end : {&src, &dst}) {
        if (!end->is_set()) continue;
        note_memory_of_graph(stream, end->key());
        if (end->owner()) note_owner_of_graph(stream, end->owner().get(), [end] { return end->owner(); });
    }
}

void keep_until_done(const Stream& stream, CUstream in_use, const CopyEnd& src, const CopyEnd& dst) {
    if (!src.owner() && !dst.owner()) return;
    try {
        stream.keep_until_done(
            std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>>(src.owner(), dst.owner()));
    } catch (...) {
        driver().cuStreamSynchronize(in_use);  // the copy is running: its memory must not be released before it ends
        throw;
    }
}

CopyEnd CopyEnd::host(void* memory, std::size_t nbytes, std::shared_ptr<void> owner) {
    CopyEnd end = unified(memory, nbytes, std::move(owner));
    end.kind_ = Kind::Host;
    return end;
}

CopyEnd CopyEnd::of_array(std::shared_ptr<Array> array) {
    if (!array) throw std::invalid_argument("array must not be null");
    CopyEnd end;
    end.kind_ = Kind::Array;
    end.array_ = array.get();
    end.owner_ = std::move(array);
    return end;
}

CopyEnd CopyEnd::device(DevicePtr pointer, std::shared_ptr<void> owner) {
    CopyEnd end = unified(pointer, std::move(owner));
    end.kind_ = Kind::Device;
    return end;
}

CopyEnd CopyEnd::unified(void* memory, std::size_t nbytes, std::shared_ptr<void> owner) {
    CopyEnd end = unified(reinterpret_cast<DevicePtr>(memory), std::move(owner));
    end.nbytes_ = nbytes;
    end.is_bounded_ = true;
    return end;
}

CopyEnd CopyEnd::unified(DevicePtr pointer, std::shared_ptr<void> owner) {
    CopyEnd end;
    end.kind_ = Kind::Unified;
    end.address_ = pointer;
    end.owner_ = std::move(owner);
    return end;
}

void CopyEnd::check_room(const char* side, std::size_t x, std::size_t y, std::size_t z, std::size_t pitch,
                         std::size_t slice_height, std::size_t width, std::size_t height, std::size_t depth) const {
    const bool is_asked_for = kind_ == Kind::Unified && !is_bounded_;
    if ((!is_bounded_ && !is_asked_for) || width == 0 || height == 0 || depth == 0) return;
    const std::size_t row = pitch ? pitch : saturating_add(x, width);
    const std::size_t rows = slice_height ? slice_height : saturating_add(y, height);
    const auto reach = [&](std::size_t slices, std::size_t more_rows, std::size_t more_bytes) {
        return saturating_fma(saturating_fma(slices, rows, more_rows), row, more_bytes);
    };
    const std::size_t end =
        reach(saturating_add(z, depth - 1), saturating_add(y, height - 1), saturating_add(x, width));
    if (is_asked_for) return check_known(side, reach(z, y, x), end);
    if (end <= nbytes_) return;
    throw std::invalid_argument(
        "the copy needs " +
        (end == SIZE_MAX ? std::string("more bytes than there can be") : std::to_string(end) + " bytes") + " of its " +
        side + ", which has " + std::to_string(nbytes_));
}

/// Checks the first and the last byte only: several mappings of virtual memory may lie between them.
void CopyEnd::check_known(const char* side, std::size_t begin, std::size_t end) const {
    if (is_known(address_) && end <= SIZE_MAX - address_ && is_known(address_ + begin) && is_known(address_ + end - 1))
        return;
    throw LogicError("memcpy", CUDA_ERROR_INVALID_VALUE,
                     "the copy takes bytes " + std::to_string(begin) + " to " + std::to_string(end) + " of its " +
                         side + ", which are not memory of the driver, or were freed");
}

std::uint64_t CopyEnd::key() const {
    if (kind_ != Kind::Array) return used_by_graphs::start_of(reinterpret_cast<const void*>(address_));
    const auto in_use = array_->use();
    const CUmipmappedArray whole = in_use.whole;
    return reinterpret_cast<std::uintptr_t>(whole ? static_cast<const void*>(whole) : static_cast<CUarray>(in_use));
}

void StructuredCopy::set_src_host(const void* src, std::size_t nbytes, std::shared_ptr<void> owner) {
    src_ = CopyEnd::host(const_cast<void*>(src), nbytes, std::move(owner));
}
void StructuredCopy::set_src_array(std::shared_ptr<Array> array) {
    src_ = CopyEnd::of_array(std::move(array));
}
void StructuredCopy::set_src_device(DevicePtr devptr, std::shared_ptr<void> owner) {
    src_ = CopyEnd::device(devptr, std::move(owner));
}
void StructuredCopy::set_src_unified(const void* src, std::size_t nbytes, std::shared_ptr<void> owner) {
    src_ = CopyEnd::unified(const_cast<void*>(src), nbytes, std::move(owner));
}
void StructuredCopy::set_src_unified(DevicePtr devptr, std::shared_ptr<void> owner) {
    src_ = CopyEnd::unified(devptr, std::move(owner));
}
void StructuredCopy::set_dst_host(void* dest, std::size_t nbytes, std::shared_ptr<void> owner) {
    dst_ = CopyEnd::host(dest, nbytes, std::move(owner));
}
void StructuredCopy::set_dst_array(std::shared_ptr<Array> array) {
    dst_ = CopyEnd::of_array(std::move(array));
}
void StructuredCopy::set_dst_device(DevicePtr devptr, std::shared_ptr<void> owner) {
    dst_ = CopyEnd::device(devptr, std::move(owner));
}
void StructuredCopy::set_dst_unified(void* dest, std::size_t nbytes, std::shared_ptr<void> owner) {
    dst_ = CopyEnd::unified(dest, nbytes, std::move(owner));
}
void StructuredCopy::set_dst_unified(DevicePtr devptr, std::shared_ptr<void> owner) {
    dst_ = CopyEnd::unified(devptr, std::move(owner));
}

ArraysInUse StructuredCopy::describe(CUDA_MEMCPY3D&) const {
    throw LogicError("Graph", CUDA_ERROR_NOT_SUPPORTED,
                     "a node cannot copy between contexts: add a Memcpy2D or a Memcpy3D, whose ends may be memory of "
                     "other devices");
}

std::vector<const CopyEnd*> StructuredCopy::ends() const {
    std::vector<const CopyEnd*> set;
    for (const CopyEnd* const end : {&src_, &dst_})
        if (end->is_set()) set.push_back(end);
    return set;
}

ArraysInUse Memcpy2D::describe(CUDA_MEMCPY3D& node) const {
    Memcpy3D box;
    static_cast<StructuredCopy&>(box) = *this;
    box.depth = 1;
    return box.describe(node);
}

void Memcpy2D::execute(bool aligned) const {
    const CUDA_MEMCPY2D description = rectangle(*this, src_, dst_);
    if (aligned)
        call_and_wait(driver().cuMemcpy2D, *this, src_, dst_, 1, description);
    else
        call_and_wait(driver().cuMemcpy2DUnaligned, *this, src_, dst_, 1, description);
}

void Memcpy2D::execute_async(const Stream& stream) const {
    const auto queue = stream.use();
    note_in_captures(queue, src_, dst_);
    call(driver().cuMemcpy2DAsync, *this, src_, dst_, 1, rectangle(*this, src_, dst_), static_cast<CUstream>(queue));
    keep_until_done(stream, queue, src_, dst_);
}

void Memcpy3D::execute() const {
    call_and_wait(driver().cuMemcpy3D, *this, src_, dst_, depth, box<CUDA_MEMCPY3D>(*this, src_, dst_));
}

void Memcpy3D::execute_async(const Stream& stream) const {
    const auto queue = stream.use();
    note_in_captures(queue, src_, dst_);
    call(driver().cuMemcpy3DAsync, *this, src_, dst_, depth, box<CUDA_MEMCPY3D>(*this, src_, dst_),
         static_cast<CUstream>(queue));
    keep_until_done(stream, queue, src_, dst_);
}

ArraysInUse Memcpy3D::describe(CUDA_MEMCPY3D& node) const {
    ArraysInUse in_use(src_.use(), dst_.use());
    node = box<CUDA_MEMCPY3D>(*this, src_, dst_);
    return in_use;
}

ArraysInUse Memcpy3D::set_ends(CUDA_MEMCPY3D& to) const {
    if (src_.kind() != CopyEnd::Kind::None) {
        to.srcMemoryType = memory_type(src_, "source");
        to.srcHost = reinterpret_cast<const void*>(src_.address());
        to.srcDevice = src_.address();
        src_.check_room("source", to.srcXInBytes, to.srcY, to.srcZ, to.srcPitch, to.srcHeight, to.WidthInBytes,
                        to.Height, to.Depth);
    }
    if (dst_.kind() != CopyEnd::Kind::None) {
        to.dstMemoryType = memory_type(dst_, "destination");
        to.dstHost = reinterpret_cast<void*>(dst_.address());
        to.dstDevice = dst_.address();
        dst_.check_room("destination", to.dstXInBytes, to.dstY, to.dstZ, to.dstPitch, to.dstHeight, to.WidthInBytes,
                        to.Height, to.Depth);
    }
    ArraysInUse in_use(src_.use(), dst_.use());
    if (src_.array()) to.srcArray = in_use.first;
    if (dst_.array()) to.dstArray = in_use.second;
    return in_use;
}

void Memcpy3DPeer::execute() const {
    call_and_wait(driver().cuMemcpy3DPeer, *this, src_, dst_, depth,
                  describe_peer(*this, src_, dst_, src_context_, dst_context_));
}

void Memcpy3DPeer::execute_async(const Stream& stream) const {
    const auto queue = stream.use();
    call(driver().cuMemcpy3DPeerAsync, *this, src_, dst_, depth,
         describe_peer(*this, src_, dst_, src_context_, dst_context_), static_cast<CUstream>(queue));
    keep_until_done(stream, queue, src_, dst_);
}

}  // namespace pycuda
