#include "pycuda/streams/memory_operations.hpp"

#include <algorithm>

#include "driver/driver_table.hpp"
#include "pycuda/captures/captured_work.hpp"
#include "pycuda/driver/open_captures.hpp"
#include "pycuda/streams/stream.hpp"
#include "streams/pending_waits.hpp"
#include "text/text.hpp"

namespace pycuda {
namespace {

constexpr std::size_t largest_batch = 256;

/// Queues one operation on a word.
template <class Function, class Value>
void on_word(const Function& function, const Stream& stream, DevicePtr word, Value value, unsigned flags) {
    const auto queue = stream.use();
    if (any_capture_is_open()) [[unlikely]]
        note_memory_of_graph(queue, word);
    if (const CUresult result = function.try_call(queue, word, value, flags))
        function.fail(result, "the word at " + address_text(word) + ", flags " + std::to_string(flags));
}

const char* name_of(CUstreamBatchMemOpType kind) {
    switch (kind) {
        case CU_STREAM_MEM_OP_WAIT_VALUE_32:
            return "wait_value32";
        case CU_STREAM_MEM_OP_WRITE_VALUE_32:
            return "write_value32";
        case CU_STREAM_MEM_OP_WAIT_VALUE_64:
            return "wait_value64";
        case CU_STREAM_MEM_OP_WRITE_VALUE_64:
            return "write_value64";
        case CU_STREAM_MEM_OP_BARRIER:
            return "barrier";
        default:
            return "flush_remote_writes";
    }
}

bool is_narrow(CUstreamBatchMemOpType kind) {
    return kind == CU_STREAM_MEM_OP_WAIT_VALUE_32 || kind == CU_STREAM_MEM_OP_WRITE_VALUE_32;
}

bool is_wait(CUstreamBatchMemOpType kind) {
    return kind == CU_STREAM_MEM_OP_WAIT_VALUE_32 || kind == CU_STREAM_MEM_OP_WAIT_VALUE_64;
}

bool has_word(CUstreamBatchMemOpType kind) {
    return kind != CU_STREAM_MEM_OP_BARRIER && kind != CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES;
}

}  // namespace

void Stream::write_value32(DevicePtr word, std::uint32_t value, unsigned flags) const {
    on_word(driver().cuStreamWriteValue32, *this, word, value, flags);
}

void Stream::write_value64(DevicePtr word, std::uint64_t value, unsigned flags) const {
    on_word(driver().cuStreamWriteValue64, *this, word, value, flags);
}

void Stream::wait_value32(DevicePtr word, std::uint32_t value, unsigned flags) const {
    queue_wait(this, use(), [&] { on_word(driver().cuStreamWaitValue32, *this, word, value, flags); });
}

void Stream::wait_value64(DevicePtr word, std::uint64_t value, unsigned flags) const {
    queue_wait(this, use(), [&] { on_word(driver().cuStreamWaitValue64, *this, word, value, flags); });
}

void MemoryOperations::add(CUstreamBatchMemOpType kind, const HeldAddress& word, std::uint64_t value, unsigned flags) {
    CUstreamBatchMemOpParams made{};
    made.waitValue.operation = kind;  // writes have the same fields
    made.waitValue.address = word.address;
    if (is_narrow(kind))
        made.waitValue.value = static_cast<cuuint32_t>(value);
    else
        made.waitValue.value64 = value;
    made.waitValue.flags = flags;
    operations_.push_back(made);
    owners_.add(word.owner);
}

void MemoryOperations::write_value32(const HeldAddress& word, std::uint32_t value, unsigned flags) {
    add(CU_STREAM_MEM_OP_WRITE_VALUE_32, word, value, flags);
}

void MemoryOperations::write_value64(const HeldAddress& word, std::uint64_t value, unsigned flags) {
    add(CU_STREAM_MEM_OP_WRITE_VALUE_64, word, value, flags);
}

void MemoryOperations::wait_value32(const HeldAddress& word, std::uint32_t value, unsigned flags) {
    add(CU_STREAM_MEM_OP_WAIT_VALUE_32, word, value, flags);
}

void MemoryOperations::wait_value64(const HeldAddress& word, std::uint64_t value, unsigned flags) {
    add(CU_STREAM_MEM_OP_WAIT_VALUE_64, word, value, flags);
}

void MemoryOperations::barrier(unsigned flags) {
    CUstreamBatchMemOpParams made{};
    made.memoryBarrier.operation = CU_STREAM_MEM_OP_BARRIER;
    made.memoryBarrier.flags = flags;
    operations_.push_back(made);
}

void MemoryOperations::flush_remote_writes() {
    CUstreamBatchMemOpParams made{};
    made.flushRemoteWrites.operation = CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES;
    operations_.push_back(made);
}

std::vector<std::string> MemoryOperations::texts() const {
    std::vector<std::string> texts;
    for (const CUstreamBatchMemOpParams& operation : operations_) {
        const auto& word = operation.waitValue;
        std::string text = name_of(operation.operation);
        if (has_word(operation.operation))
            text += "(" + std::to_string(word.address) + ", " +
                    std::to_string(is_narrow(operation.operation) ? word.value : word.value64) + ", " +
                    std::to_string(word.flags) + ")";
        else
            text += "()";
        texts.push_back(std::move(text));
    }
    return texts;
}

void MemoryOperations::queue(const Stream* stream) const {
    const auto queue = use_of(stream);
    if (operations_.empty()) return;
    // The addresses were read before the stream was known: a capture must learn of them now.
    if (any_capture_is_open()) [[unlikely]]
        for (const DevicePtr word : addresses()) note_memory_of_graph(queue, word);
    const auto& call = driver().cuStreamBatchMemOp;
    // The driver changes nothing there; only its declaration lacks const.
    auto* const operations = const_cast<CUstreamBatchMemOpParams*>(operations_.data());
    const auto queue_all = [&] {
        if (const CUresult result = call.try_call(queue, static_cast<unsigned>(count()), operations, 0))
            call.fail(
                result,
                count() > largest_batch
                    ? std::to_string(count()) + " operations; a call takes at most " + std::to_string(largest_batch)
                    : texts().front() + (count() == 1 ? "" : ", and " + std::to_string(count() - 1) + " more"));
    };
    const bool any_waits = std::any_of(operations_.begin(), operations_.end(),
                                       [](const auto& operation) { return is_wait(operation.operation); });
    any_waits ? queue_wait(stream, queue, queue_all) : queue_all();
    owners_.keep_until_done(stream);
}

CUDA_BATCH_MEM_OP_NODE_PARAMS MemoryOperations::for_node(CUcontext context) const {
    if (count() == 0 || count() > largest_batch)
        throw LogicError("MemoryOperations", CUDA_ERROR_INVALID_VALUE,
                         std::to_string(count()) + " operations; a node takes 1 to " + std::to_string(largest_batch));
    CUDA_BATCH_MEM_OP_NODE_PARAMS params{};
    params.ctx = context;
    params.count = static_cast<unsigned>(count());
    params.paramArray = const_cast<CUstreamBatchMemOpParams*>(operations_.data());
    return params;
}

std::vector<DevicePtr> MemoryOperations::addresses() const {
    std::vector<DevicePtr> words;
    for (const CUstreamBatchMemOpParams& operation : operations_)
        if (has_word(operation.operation)) words.push_back(operation.waitValue.address);
    return words;
}

}  // namespace pycuda
