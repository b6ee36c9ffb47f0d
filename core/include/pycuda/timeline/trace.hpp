#pragma once

#include <string>

namespace pycuda {

/// Start recording a timeline: driver calls, compilations, and kernels, copies and fills on the device. CUPTI measures
/// these if it is installed and no other tool uses it, otherwise two events around each that a call puts into a stream.
/// Driver calls have their place in the program's source. LogicError if a recording is running. Costs nothing when off.
void start_trace();

/// End the recording, wait for the recorded work, and write the timeline to `path` in the Chrome trace format
/// (JSON), which Perfetto and chrome://tracing show. LogicError if no recording is running; RuntimeError if the
/// file cannot be written.
void stop_trace(const std::string& path);

/// The file that PYCUDA_TRACE names, ending with ".json" or ".pftrace"; empty if it names none. The
/// languages' loaders then record until the process ends.
std::string trace_file();

}  // namespace pycuda
