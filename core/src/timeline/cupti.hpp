#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace pycuda {

/// What timelines use of CUPTI, declared here because its headers may be missing when this is built. The layouts hold
/// for CUPTI 11.8 to 13.5: newer records begin with the fields of older ones. open_cupti refuses other versions.
namespace cupti {

constexpr int success = 0;
constexpr int limit_reached = 12;  ///< of subscribe in some versions: there is a subscriber
constexpr int has_subscriber = 39;
constexpr std::uint32_t flush_incomplete = 1;  ///< of flush: also deliver buffers of which records are incomplete

enum Kind : std::uint32_t { copy = 1, fill = 2, concurrent_kernel = 10, copy_between_contexts = 22 };
constexpr Kind recorded_kinds[] = {concurrent_kernel, copy, fill, copy_between_contexts};

/// CUpti_ActivityKernel8 and newer.
struct KernelRecord {
    std::uint32_t kind, unread1[3];
    std::uint64_t start, end, unread2;
    std::uint32_t device, context, stream, unread3[13];
    const char* name;
};
static_assert(offsetof(KernelRecord, start) == 16 && offsetof(KernelRecord, context) == 44 &&
              offsetof(KernelRecord, name) == 104);

/// CUpti_ActivityMemcpy5, CUpti_ActivityMemset4, CUpti_ActivityMemcpyPtoP4 and newer, whose first fields are the same
/// except that a fill has no direction.
struct MemoryRecord {
    std::uint32_t kind;
    std::uint8_t direction, unread1[3];
    std::uint64_t bytes, start, end;
    std::uint32_t unread2, context, stream;
};
static_assert(offsetof(MemoryRecord, bytes) == 8 && offsetof(MemoryRecord, context) == 36 &&
              offsetof(MemoryRecord, stream) == 40);

using RequestBuffer = void (*)(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records);
using CompleteBuffer = void (*)(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t size, std::size_t valid);
using Callback = void (*)(void*, int, std::uint32_t, const void*);

}  // namespace cupti

/// The functions of one libcupti. Each returns 0 if it succeeds.
struct Cupti {
    std::string version;  ///< "13.0"
    int (*get_version)(std::uint32_t*) = nullptr;
    int (*subscribe)(void** subscriber, cupti::Callback, void*) = nullptr;
    int (*unsubscribe)(void* subscriber) = nullptr;
    int (*register_callbacks)(cupti::RequestBuffer, cupti::CompleteBuffer) = nullptr;
    int (*enable)(std::uint32_t kind) = nullptr;
    int (*disable)(std::uint32_t kind) = nullptr;
    int (*flush)(std::uint32_t flags) = nullptr;
    int (*next_record)(std::uint8_t* buffer, std::size_t valid, std::uint32_t** record) = nullptr;
    int (*dropped_records)(CUcontext, std::uint32_t stream, std::size_t* count) = nullptr;
    int (*timestamp)(std::uint64_t*) = nullptr;
    int (*context_id)(CUcontext, std::uint32_t*) = nullptr;
    int (*stream_id)(CUcontext, CUstream, std::uint8_t per_thread, std::uint32_t*) = nullptr;
};

/// The CUPTI at this path or, if it is empty, of a toolkit. Loaded once and never unloaded. Null if timelines cannot
/// use it; `why` then receives the reason.
const Cupti* open_cupti(const std::string& path, std::string& why);

}  // namespace pycuda
