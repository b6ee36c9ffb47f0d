#include "pycuda/memory/memcpy.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

#include "contexts/interruptible_wait.hpp"
#include "driver/driver_table.hpp"
#include "memory/captured_copy.hpp"
#include "memory/copy_text.hpp"
#include "pycuda/captures/captured_work.hpp"
#include "pycuda/driver/open_captures.hpp"
#include "pycuda/memory/host_memory.hpp"
#include "pycuda/streams/stream.hpp"
#include "streams/staging_pool.hpp"
#include "text/text.hpp"

namespace pycuda {
namespace {

std::uint64_t number(const void* pointer) {
    return reinterpret_cast<std::uint64_t>(pointer);
}

template <class Function>
[[noreturn]] void fail_copy(const Function& function, CUresult result, std::uint64_t dest, std::uint64_t src,
                            std::size_t nbytes) {
    function.fail(result, text_of_copy(result, dest, src, nbytes));
}

/// Call `copy`; the message of an error describes the copy.
template <class Function, class... Arguments>
void copy(const Function& function, std::uint64_t dest, std::uint64_t src, std::size_t nbytes, Arguments... arguments) {
    if (const CUresult result = function.try_call(arguments...)) [[unlikely]]
        fail_copy(function, result, dest, src, nbytes);
}

/// The same inside `wait`, which the language can interrupt.
template <class Function, class... Arguments>
void copy_within(const InterruptibleWait& wait, const Function& function, std::uint64_t dest, std::uint64_t src,
                 std::size_t nbytes, Arguments... arguments) {
    const CUresult result = function.try_call(arguments...);
    wait.check();
    if (result != CUDA_SUCCESS) [[unlikely]]
        fail_copy(function, result, dest, src, nbytes);
}

/// The same, and wait, unless the language interrupts.
template <class Function, class... Arguments>
void copy_and_wait(const Function& function, std::uint64_t dest, std::uint64_t src, std::size_t nbytes,
                   Arguments... arguments) {
    InterruptibleWait wait;
    wait.until_default_stream_is_done();
    copy_within(wait, function, dest, src, nbytes, arguments...);
}

/// False in a program without managed memory, without asking the driver. Relaxed: memory that this
/// thread received has been counted before.
bool is_managed(const void* address) {
    static const std::atomic<long>& managed = live_handle_counter(ManagedTraits::what);
    if (managed.load(std::memory_order_relaxed) == 0) [[likely]]
        return false;
    unsigned answer = 0;
    const auto& ask = driver().cuPointerGetAttribute;
    return ask.try_call(&answer, CU_POINTER_ATTRIBUTE_IS_MANAGED, number(address)) == CUDA_SUCCESS && answer;
}

/// Larger copies take so long that their start does not matter; they wait for earlier work.
constexpr std::size_t largest_early_copy = 64 << 10;

/// Copy to the host behind work that may take long, so that the language can interrupt the wait: queued at once, into
/// page-locked memory, so it is as early as the driver's copy. False if there is nothing to wait for.
bool copy_and_look(void* dest, std::size_t nbytes, DevicePtr src) {
    const auto query = [] { return driver().cuStreamQuery.try_call(nullptr); };
    if (nbytes == 0 || nbytes > largest_early_copy || !InterruptibleWait::must_look() ||
        query() != CUDA_ERROR_NOT_READY || is_managed(dest))
        return false;  // on some devices the host must not touch managed memory while kernels run; the driver may
    const auto context = Context::current();
    const ContextHold hold(context);
    const auto pool = context->attachment<StagingPool>();
    StagingBlock* const block = pool->take(nbytes);
    if (driver().cuMemcpyDtoHAsync.try_call(block->memory, src, nbytes, nullptr) != CUDA_SUCCESS) {
        pool->give_back(block);
        return false;  // the driver's copy reports the error
    }
    try {
        InterruptibleWait wait;
        wait.until(query);
        driver().cuStreamSynchronize(nullptr);
    } catch (...) {
        pool->give_back_after(block, nullptr);
        throw;
    }
    std::memcpy(dest, block->memory, nbytes);
    pool->give_back(block);
    return true;
}

/// Copy to the device in the same case. The bytes are staged at once, so the program waits for nothing. The driver
/// does that too, but waits if another stream has unfinished work. False to leave the copy to the driver.
bool queue_copy(DevicePtr dest, const void* src, std::size_t nbytes) {
    if (nbytes == 0 || nbytes > largest_early_copy || !InterruptibleWait::must_look() || is_managed(src)) return false;
    const auto context = Context::current();
    const ContextHold hold(context);
    const auto pool = context->attachment<StagingPool>();
    StagingBlock* const block = pool->take(nbytes);
    std::memcpy(block->memory, src, nbytes);
    if (driver().cuMemcpyHtoDAsync.try_call(dest, block->memory, nbytes, nullptr) != CUDA_SUCCESS) {
        pool->give_back(block);
        return false;  // the driver's copy reports the error
    }
    pool->give_back_after(block, nullptr);
    return true;
}

/// More bytes than any address space has. Drivers queue fills that exceed any memory, and these end the context; if the
/// size in bytes overflows, they fill the remainder.
constexpr std::size_t too_large = std::size_t{1} << 57;

template <class Function, class Element, class... Stream>
void fill(const Function& function, DevicePtr dest, Element data, std::size_t count, Stream... stream) {
    const bool fits = count < too_large / sizeof data;
    if (const CUresult result = fits ? function.try_call(dest, data, count, stream...) : CUDA_ERROR_INVALID_VALUE)
        [[unlikely]]
        function.fail(result, std::to_string(count) + " elements at " + address_text(dest) +
                                  (result == CUDA_ERROR_INVALID_VALUE ? room_text(dest) : ""));
}

template <class Function, class... Arguments>
void fill_rows(const Function& function, DevicePtr dest, std::size_t pitch, std::size_t width, std::size_t height,
               std::size_t itemsize, Arguments... arguments) {
    const bool fits =
        height < too_large && pitch < too_large / std::max<std::size_t>(height, 1) && width < too_large / itemsize;
    if (const CUresult result = fits ? function.try_call(arguments...) : CUDA_ERROR_INVALID_VALUE) [[unlikely]]
        function.fail(result, std::to_string(height) + " rows of " + std::to_string(width) + " elements, pitch " +
                                  std::to_string(pitch) + ", at " + address_text(dest));
}

/// The driver treats managed memory as device memory, and does not wait for copies within it.
void wait_for_managed(const void* dest) {
    if (is_managed(dest)) [[unlikely]]
        wait_in_driver([] { return driver().cuStreamQuery.try_call(nullptr); }, driver().cuStreamSynchronize,
                       CUstream{nullptr});
}

/// `given`, else the context that `address` belongs to, else the current one.
CUcontext context_of(DevicePtr address, const Context* given) {
    if (given) return given->handle();
    CUcontext owner = nullptr;
    const auto& ask = driver().cuPointerGetAttribute;
    const CUresult result = ask.try_call(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, address);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_INVALID_VALUE) ask.fail(result, address_text(address));
    return owner ? owner : Context::current()->handle();
}

void require_no_capture_of(const char* call) {
    if (any_capture_is_open()) [[unlikely]]
        require_no_capture(call, "use the function for a stream, whose name ends with async");
}

}  // namespace

void memcpy_htod(DevicePtr dest, const void* src, std::size_t nbytes) {
    require_no_capture_of("memcpy_htod");
    if (queue_copy(dest, src, nbytes)) return;
    InterruptibleWait wait;
    wait.until_default_stream_is_done();
    copy_within(wait, driver().cuMemcpyHtoD, dest, number(src), nbytes, dest, src, nbytes);
}

void memcpy_htod_async(DevicePtr dest, const void* src, std::size_t nbytes, const Stream* stream) {
    if (any_capture_is_open()) [[unlikely]]
        require_page_locked_if_captured(use_of(stream), "memcpy_htod_async", src, nbytes);
    copy(driver().cuMemcpyHtoDAsync, dest, number(src), nbytes, dest, src, nbytes, use_of(stream));
    if (any_capture_is_open()) [[unlikely]]
        note_host_memory_of_graph(use_of(stream), src);
}

void memcpy_dtoh(void* dest, std::size_t nbytes, DevicePtr src) {
    require_no_capture_of("memcpy_dtoh");
    if (copy_and_look(dest, nbytes, src)) return;
    copy_and_wait(driver().cuMemcpyDtoH, number(dest), src, nbytes, dest, src, nbytes);
    wait_for_managed(dest);
}

void memcpy_dtoh_async(void* dest, std::size_t nbytes, DevicePtr src, const Stream* stream) {
    if (any_capture_is_open()) [[unlikely]]
        require_page_locked_if_captured(use_of(stream), "memcpy_dtoh_async", dest, nbytes);
    copy(driver().cuMemcpyDtoHAsync, number(dest), src, nbytes, dest, src, nbytes, use_of(stream));
    if (any_capture_is_open()) [[unlikely]]
        note_host_memory_of_graph(use_of(stream), dest);
}

void memcpy_dtod(DevicePtr dest, DevicePtr src, std::size_t size) {
    require_no_capture_of("memcpy_dtod");
    copy_and_wait(driver().cuMemcpyDtoD, dest, src, size, dest, src, size);
}

void memcpy_dtod_async(DevicePtr dest, DevicePtr src, std::size_t size, const Stream* stream) {
    copy(driver().cuMemcpyDtoDAsync, dest, src, size, dest, src, size, use_of(stream));
}

void memset_d8(DevicePtr dest, std::uint8_t data, std::size_t count) {
    require_no_capture_of("memset_d8");
    fill(driver().cuMemsetD8, dest, data, count);
}

void memset_d16(DevicePtr dest, std::uint16_t data, std::size_t count) {
    require_no_capture_of("memset_d16");
    fill(driver().cuMemsetD16, dest, data, count);
}

void memset_d32(DevicePtr dest, std::uint32_t data, std::size_t count) {
    require_no_capture_of("memset_d32");
    fill(driver().cuMemsetD32, dest, data, count);
}

void memset_d8_async(DevicePtr dest, std::uint8_t data, std::size_t count, const Stream* stream) {
    fill(driver().cuMemsetD8Async, dest, data, count, use_of(stream));
}

void memset_d16_async(DevicePtr dest, std::uint16_t data, std::size_t count, const Stream* stream) {
    fill(driver().cuMemsetD16Async, dest, data, count, use_of(stream));
}

void memset_d32_async(DevicePtr dest, std::uint32_t data, std::size_t count, const Stream* stream) {
    fill(driver().cuMemsetD32Async, dest, data, count, use_of(stream));
}

#define PYCUDA_FILL_2D(bits)                                                                                           \
    void memset_d2d##bits(DevicePtr dest, std::size_t pitch, std::uint##bits##_t data, std::size_t width,              \
                          std::size_t height) {                                                                        \
        fill_rows(driver().cuMemsetD2D##bits, dest, pitch, width, height, bits / 8, dest, pitch, data, width, height); \
    }                                                                                                                  \
    void memset_d2d##bits##_async(DevicePtr dest, std::size_t pitch, std::uint##bits##_t data, std::size_t width,      \
                                  std::size_t height, const Stream* stream) {                                          \
        fill_rows(driver().cuMemsetD2D##bits##Async, dest, pitch, width, height, bits / 8, dest, pitch, data, width,   \
                  height, use_of(stream));                                                                             \
    }
PYCUDA_FILL_2D(8)
PYCUDA_FILL_2D(16)
PYCUDA_FILL_2D(32)
#undef PYCUDA_FILL_2D

void memcpy_peer(DevicePtr dest, DevicePtr src, std::size_t size, const Context* dest_context,
                 const Context* src_context) {
    const CUcontext to = context_of(dest, dest_context), from = context_of(src, src_context);
    copy_and_wait(driver().cuMemcpyPeer, dest, src, size, dest, to, src, from, size);
}

void memcpy_peer_async(DevicePtr dest, DevicePtr src, std::size_t size, const Context* dest_context,
                       const Context* src_context, const Stream* stream) {
    const CUcontext to = context_of(dest, dest_context), from = context_of(src, src_context);
    copy(driver().cuMemcpyPeerAsync, dest, src, size, dest, to, src, from, size, use_of(stream));
}

}  // namespace pycuda
