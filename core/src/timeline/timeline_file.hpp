#pragma once

#include <cuda.h>

#include <cstdint>
#include <string>
#include <vector>

#include "pycuda/observing/places.hpp"

namespace pycuda {

/// The contents of a timeline. Times are nanoseconds of one clock.
struct Timeline {
    struct Call {
        const char* name;
        int thread;
        std::uint64_t begin, end;
        CUresult result;
        std::string arguments;
        Place place;
    };
    struct Span {
        const char* name;
        const char* note;
        int thread;
        std::uint64_t begin, end;
    };
    struct Work {
        std::string name;
        CUcontext context;
        CUstream stream;
        std::uint64_t begin, end;
        std::uint64_t bytes = 0;          ///< of a copy or fill, if they are known
        std::uint32_t stream_number = 0;  ///< where the handles are unknown
    };
    struct Share {
        std::string kernel;
        int thread;
        std::uint64_t begin, end;
    };
    struct Sample {
        const char* name;
        const void* of;  ///< null where there is one
        std::uint64_t time, used, held;
    };
    std::vector<Call> calls;
    std::vector<Span> spans;
    std::vector<Work> work;
    std::vector<Share> shares;    ///< of launches on the CPU device
    std::vector<Sample> samples;  ///< bytes of memory
    std::string device_times;     ///< what measured the work
};

/// Write the Chrome trace format: a lane for each thread, stream and worker of the CPU device, and counters of memory.
/// RuntimeError if the file cannot be written.
void write_timeline(const Timeline& timeline, const std::string& path);

}  // namespace pycuda
