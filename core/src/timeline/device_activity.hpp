#pragma once

#include <cuda.h>

#include <string>
#include <string_view>
#include <vector>

#include "driver/driver_table.hpp"
#include "timeline/timeline_file.hpp"

namespace pycuda {

/// Kernels, copies and fills of a timeline as CUPTI records them. If CUPTI cannot be used, timelines measure work by
/// pairs of events.

/// Called before a timeline begins, so that all its work is measured in one way: record with CUPTI if the driver is
/// initialised.
void start_device_activity() noexcept;
/// Called once the driver is chosen: record with CUPTI if a timeline has begun.
void connect_device_activity(const DriverLibrary& library) noexcept;

/// True while CUPTI records.
bool device_activity_is_on() noexcept;

/// A driver call that is about to be made in the current context: its stream then has a lane, or loses it.
void note_call_for_activity(std::string_view name, CUstream stream) noexcept;

/// Wait for the work of a context, or of all (null), which may end afterwards.
void complete_device_activity(CUcontext of) noexcept;

/// End the recording, and return what was recorded. Work that is incomplete is left out.
std::vector<Timeline::Work> stop_device_activity();

/// What measured the work of the timeline that began last: "CUPTI 13.0", or "pairs of events" and why.
std::string device_times();

}  // namespace pycuda
