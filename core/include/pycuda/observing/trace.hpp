#pragma once

#include <string>

namespace pycuda {

/// Start recording a timeline: driver calls, compilations, and the kernels, copy and fill that the calls put into
/// streams, each between two events of its stream. Driver calls have their place in the program's source. LogicError
/// while one is being recorded. Costs nothing when off.
void start_trace();

/// End the recording, wait for the recorded work, and write the timeline to `path` in the Chrome trace format
/// (JSON), which Perfetto and chrome://tracing show. LogicError when nothing is being recorded; RuntimeError when the
/// file cannot be written.
void stop_trace(const std::string& path);

/// The file that PYCUDA_TRACE names, one that ends with ".json" or ".pftrace"; empty when it names none. A language's
/// loader then records from its start to the end of the process.
std::string trace_file();

}  // namespace pycuda
