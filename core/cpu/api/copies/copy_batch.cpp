#include "api/copies/batch.hpp"

#include <vector>

#include "state/memory/copy_box.hpp"
#include "state/textures/array.hpp"

using namespace cpu::api;
using namespace cpu::state;
using copy::Mode;

// The copies of a batch run one after another; programs may not rely on it.
namespace {

struct Copy {
    copy::Place to, from;
    copy::Extent size;
};

void check_attributes(CUmemcpySrcAccessOrder order, unsigned flags) {
    require(order == CU_MEMCPY_SRC_ACCESS_ORDER_STREAM || order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL ||
            order == CU_MEMCPY_SRC_ACCESS_ORDER_ANY);
    require(flags <= CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE);
}

void submit(Stream& queue, const std::vector<Copy>& all) {
    for (const Copy& each : all) copy::submit(queue, each.to, each.from, each.size, Mode::Asynchronous);
}

/// A side of a box, in bytes: `unit` bytes are an element.
copy::BoxSide side(const CUmemcpy3DOperand& operand, const CUextent3D& extent, std::size_t unit) {
    copy::BoxSide made{};
    if (operand.type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
        made.type = CU_MEMORYTYPE_ARRAY;
        made.array = operand.op.array.array;
        made.x_bytes = operand.op.array.offset.x * unit;
        made.y = operand.op.array.offset.y;
        made.z = operand.op.array.offset.z;
        return made;
    }
    require(operand.type == CU_MEMCPY_OPERAND_TYPE_POINTER);
    require(operand.op.ptr.rowLength == 0 || operand.op.ptr.rowLength >= extent.width);
    require(operand.op.ptr.layerHeight == 0 || operand.op.ptr.layerHeight >= extent.height);
    made.type = CU_MEMORYTYPE_UNIFIED;
    made.device = operand.op.ptr.ptr;
    made.pitch = operand.op.ptr.rowLength * unit;
    made.height = operand.op.ptr.layerHeight;
    return made;
}

/// Of an array, or 0.
std::size_t element_size(const CUmemcpy3DOperand& operand) {
    if (operand.type != CU_MEMCPY_OPERAND_TYPE_ARRAY) return 0;
    return arrays().get(operand.op.array.array, CUDA_ERROR_INVALID_HANDLE)->texel_bytes();
}

Copy box(const CUDA_MEMCPY3D_BATCH_OP& operation) {
    check_attributes(operation.srcAccessOrder, operation.flags);
    const CUextent3D& extent = operation.extent;
    require(extent.width > 0 && extent.height > 0 && extent.depth > 0);
    const std::size_t from = element_size(operation.src), to = element_size(operation.dst);
    require(from == 0 || to == 0 || from == to);
    const std::size_t unit = from ? from : to ? to : 1;
    std::size_t bytes = 0;
    require(!__builtin_mul_overflow(extent.width, unit, &bytes));
    const copy::Extent size{bytes, extent.height, extent.depth};
    return {copy::place_of(side(operation.dst, extent, unit), size),
            copy::place_of(side(operation.src, extent, unit), size), size};
}

}  // namespace

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr* dsts, CUdeviceptr* srcs, size_t* sizes, size_t count,
                               CUmemcpyAttributes* attrs, size_t* attrsIdxs, size_t numAttrs, CUstream hStream) {
    return entry("cuMemcpyBatchAsync", [&] {
        const auto queue = queue_of_batch(hStream);
        require(dsts != nullptr && srcs != nullptr && sizes != nullptr && count > 0);
        require(attrs != nullptr);
        check_groups(attrsIdxs, numAttrs, count);
        for (std::size_t k = 0; k < numAttrs; ++k) check_attributes(attrs[k].srcAccessOrder, attrs[k].flags);
        std::vector<Copy> all;
        for (std::size_t k = 0; k < count; ++k) {
            require(sizes[k] > 0);
            all.push_back({copy::unified(dsts[k], sizes[k]), copy::unified(srcs[k], sizes[k]), {sizes[k]}});
        }
        submit(*queue, all);
    });
}

CUresult cuMemcpy3DBatchAsync_v2(size_t numOps, CUDA_MEMCPY3D_BATCH_OP* opList, unsigned long long flags,
                                 CUstream hStream) {
    return entry("cuMemcpy3DBatchAsync", [&] {
        const auto queue = queue_of_batch(hStream);
        require(opList != nullptr && numOps > 0 && flags == 0);
        std::vector<Copy> all;
        for (std::size_t k = 0; k < numOps; ++k) all.push_back(box(opList[k]));
        submit(*queue, all);
    });
}
