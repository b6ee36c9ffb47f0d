#include "api/abi.hpp"
#include "state/context.hpp"
#include "state/graphs/batch_content.hpp"
#include "state/graphs/capture.hpp"
#include "state/streams/memory_operation.hpp"

#include <vector>

using namespace cpu::api;
using namespace cpu::state;

// Streams that write words of memory, or wait until they have a value.
namespace {

void capture_operations(Stream& stream, std::vector<CUstreamBatchMemOpParams> operations) {
    graphs::capture(stream, std::make_shared<graphs::BatchContent>(stream.context(), std::move(operations)));
}

CUresult on_word(const char* name, CUstreamBatchMemOpType what, CUstream stream, CUdeviceptr address, cuuint64_t value,
                 unsigned flags) {
    return entry(name, [&] {
        CUstreamBatchMemOpParams made{};
        made.waitValue.operation = what;
        made.waitValue.address = address;
        made.waitValue.value64 = value;  // value is the first half of value64
        made.waitValue.flags = flags;
        const auto queue = stream_of(stream);
        if (queue->is_captured()) return capture_operations(*queue, {made});
        MemoryOperation(made).submit(*queue);
    });
}

}  // namespace

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags) {
    return on_word("cuStreamWaitValue32", CU_STREAM_MEM_OP_WAIT_VALUE_32, stream, addr, value, flags);
}

CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags) {
    return on_word("cuStreamWaitValue64", CU_STREAM_MEM_OP_WAIT_VALUE_64, stream, addr, value, flags);
}

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags) {
    return on_word("cuStreamWriteValue32", CU_STREAM_MEM_OP_WRITE_VALUE_32, stream, addr, value, flags);
}

CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags) {
    return on_word("cuStreamWriteValue64", CU_STREAM_MEM_OP_WRITE_VALUE_64, stream, addr, value, flags);
}

CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned int count, CUstreamBatchMemOpParams* paramArray,
                               unsigned int flags) {
    return entry("cuStreamBatchMemOp", [&] {
        require(count > 0 && count <= 256 && paramArray != nullptr && flags == 0);
        const auto queue = stream_of(stream);
        std::vector<CUstreamBatchMemOpParams> operations(paramArray, paramArray + count);
        if (queue->is_captured()) return capture_operations(*queue, std::move(operations));
        const std::vector<MemoryOperation> checked(operations.begin(), operations.end());
        for (const MemoryOperation& operation : checked) operation.submit(*queue);
    });
}
