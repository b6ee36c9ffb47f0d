#include "pycuda/arrays/copy_batch.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "arrays/copy_ends.hpp"
#include "driver/driver_table.hpp"
#include "memory/copy_text.hpp"
#include "pycuda/captures/captured_work.hpp"
#include "pycuda/streams/stream.hpp"

namespace pycuda {
namespace {

CUmemcpyAttributes attributes(MemcpySrcAccessOrder order, unsigned flags) {
    CUmemcpyAttributes made{};
    made.srcAccessOrder = static_cast<CUmemcpySrcAccessOrder>(order);
    made.flags = flags;
    return made;
}

bool are_equal(const CUmemcpyAttributes& one, const CUmemcpyAttributes& other) {
    return one.srcAccessOrder == other.srcAccessOrder && one.flags == other.flags;
}

std::size_t element_size(CUarray array) {
    CUDA_ARRAY3D_DESCRIPTOR shape;
    driver().cuArray3DGetDescriptor(&shape, array);
    switch (shape.Format) {
        case CU_AD_FORMAT_UNSIGNED_INT8:
        case CU_AD_FORMAT_SIGNED_INT8:
            return shape.NumChannels;
        case CU_AD_FORMAT_UNSIGNED_INT16:
        case CU_AD_FORMAT_SIGNED_INT16:
        case CU_AD_FORMAT_HALF:
            return std::size_t{2} * shape.NumChannels;
        case CU_AD_FORMAT_UNSIGNED_INT32:
        case CU_AD_FORMAT_SIGNED_INT32:
        case CU_AD_FORMAT_FLOAT:
            return std::size_t{4} * shape.NumChannels;
        default:
            throw LogicError("cuMemcpy3DBatchAsync", CUDA_ERROR_NOT_SUPPORTED,
                             "a batch copies arrays of integers, half and float only, not of format " +
                                 std::to_string(static_cast<int>(shape.Format)) + ": use Memcpy3D for them");
    }
}

/// One side of a box; the driver counts bytes in what is memory at both ends, and texels where one is an array.
struct Side {
    CUmemorytype type;
    CUdeviceptr address;
    CUarray array;
    std::size_t x, y, z, pitch, height;

    std::size_t unit() const { return type == CU_MEMORYTYPE_ARRAY ? element_size(array) : 1; }
    CUmemcpy3DOperand operand(std::size_t unit) const {
        CUmemcpy3DOperand to{};
        if (type == CU_MEMORYTYPE_ARRAY) {
            to.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
            to.op.array.array = array;
            to.op.array.offset = {x / unit, y, z};
        } else {
            to.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
            to.op.ptr.ptr = address + x + pitch * (y + height * z);
            to.op.ptr.rowLength = pitch / unit;
            to.op.ptr.layerHeight = height;
        }
        return to;
    }
};

/// `from` is host, device or unified memory, which are at the same place in all three fields.
Side source_of(const CUDA_MEMCPY3D& from) {
    return {from.srcMemoryType,
            from.srcDevice,
            from.srcArray,
            from.srcXInBytes,
            from.srcY,
            from.srcZ,
            from.srcPitch ? from.srcPitch : from.srcXInBytes + from.WidthInBytes,
            from.srcHeight ? from.srcHeight : from.srcY + from.Height};
}

Side destination_of(const CUDA_MEMCPY3D& from) {
    return {from.dstMemoryType,
            from.dstDevice,
            from.dstArray,
            from.dstXInBytes,
            from.dstY,
            from.dstZ,
            from.dstPitch ? from.dstPitch : from.dstXInBytes + from.WidthInBytes,
            from.dstHeight ? from.dstHeight : from.dstY + from.Height};
}

CUDA_MEMCPY3D_BATCH_OP operation(const CUDA_MEMCPY3D& copy, const CUmemcpyAttributes& attributes) {
    const Side from = source_of(copy), to = destination_of(copy);
    const std::size_t unit = std::max(from.unit(), to.unit());
    for (const Side* const side : {&from, &to})
        if (copy.WidthInBytes % unit || side->x % unit || side->pitch % unit)
            throw LogicError("cuMemcpy3DBatchAsync", CUDA_ERROR_INVALID_VALUE,
                             "a width of " + std::to_string(copy.WidthInBytes) + " bytes, an offset of " +
                                 std::to_string(side->x) + " and a pitch of " + std::to_string(side->pitch) +
                                 "; with an array, a batch copies whole texels, here of " + std::to_string(unit) +
                                 " bytes");
    CUDA_MEMCPY3D_BATCH_OP made{};
    made.src = from.operand(unit);
    made.dst = to.operand(unit);
    made.extent = {copy.WidthInBytes / unit, copy.Height, copy.Depth};
    made.srcAccessOrder = attributes.srcAccessOrder;
    made.flags = attributes.flags;
    return made;
}

}  // namespace

void CopyBatch::add(const HeldAddress& destination, const HeldAddress& source, std::size_t nbytes,
                    MemcpySrcAccessOrder order, unsigned flags) {
    lines_.push_back({destination.address, source.address, nbytes, attributes(order, flags)});
    owners_.add(destination.owner);
    owners_.add(source.owner);
}

void CopyBatch::add_box(const StructuredCopy& copy, MemcpySrcAccessOrder order, unsigned flags) {
    Box box{{}, copy.source(), copy.destination(), attributes(order, flags)};
    const ArraysInUse in_use = copy.describe(box.description);
    boxes_.push_back(std::move(box));
}

void CopyBatch::note_in_captures(CUstream stream) const {
    if (!any_capture_is_open()) [[likely]]
        return;
    for (const Line& line : lines_)
        for (const CUdeviceptr address : {line.destination, line.source}) note_memory_of_graph(stream, address);
    for (const Box& box : boxes_) pycuda::note_in_captures(stream, box.source, box.destination);
}

/// The first line that cannot be copied, as far as the driver knows its memory.
std::string CopyBatch::why_refused(CUresult result) const {
    for (std::size_t k = 0; k < lines_.size(); ++k) {
        const Line& line = lines_[k];
        const auto is_short = [&](CUdeviceptr address) { return room_at(address).value_or(line.nbytes) < line.nbytes; };
        if (line.nbytes == 0 || is_short(line.destination) || is_short(line.source))
            return "copy " + std::to_string(k + 1) + " of " + std::to_string(count()) + ": " +
                   text_of_copy(result, line.destination, line.source, line.nbytes);
    }
    return std::to_string(count()) + (count() == 1 ? " copy" : " copies") +
           "; the stream must not be the default stream";
}

void CopyBatch::queue(const Stream& stream) const {
    const auto queue = stream.use();
    if (count() == 0) return;
    note_in_captures(queue);
    boxes_.empty() ? queue_lines(queue) : queue_boxes(queue);
    owners_.keep_until_done(&stream);
    for (const Box& box : boxes_) keep_until_done(stream, queue, box.source, box.destination);
}

void CopyBatch::queue_lines(CUstream stream) const {
    std::vector<CUdeviceptr> destinations, sources;
    std::vector<std::size_t> sizes, begins;  // `begins`: of the copies with each of the attributes
    std::vector<CUmemcpyAttributes> kinds;
    for (const Line& line : lines_) {
        if (kinds.empty() || !are_equal(kinds.back(), line.attributes)) {
            kinds.push_back(line.attributes);
            begins.push_back(sizes.size());
        }
        destinations.push_back(line.destination);
        sources.push_back(line.source);
        sizes.push_back(line.nbytes);
    }
    const auto& call = driver().cuMemcpyBatchAsync;
    if (const CUresult result = call.try_call(destinations.data(), sources.data(), sizes.data(), sizes.size(),
                                              kinds.data(), begins.data(), kinds.size(), stream))
        call.fail(result, why_refused(result));
}

void CopyBatch::queue_boxes(CUstream stream) const {
    std::vector<ArraysInUse> in_use;
    std::vector<CUDA_MEMCPY3D_BATCH_OP> all;
    all.reserve(count());
    for (const Box& box : boxes_) {
        in_use.emplace_back(box.source.use(), box.destination.use());
        all.push_back(operation(box.description, box.attributes));
    }
    for (const Line& line : lines_) {
        CUDA_MEMCPY3D copy{};
        copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
        copy.srcDevice = line.source;
        copy.dstDevice = line.destination;
        copy.WidthInBytes = line.nbytes;
        copy.Height = copy.Depth = 1;
        all.push_back(operation(copy, line.attributes));
    }
    const auto& call = driver().cuMemcpy3DBatchAsync;
    if (const CUresult result = call.try_call(all.size(), all.data(), 0ULL, stream))
        call.fail(result, why_refused(result));
}

}  // namespace pycuda
