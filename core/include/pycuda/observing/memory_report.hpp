#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pycuda {

/// Live objects of one kind, such as "device allocation".
struct LiveObjects {
    std::string kind;
    std::string place;  ///< in the program's source that made them; empty if unknown
    std::size_t count = 0;
    std::size_t bytes = 0;  ///< of memory; 0 for other objects
};

/// The number of live objects of each kind, largest first, without places and bytes.
std::vector<LiveObjects> live_objects();

/// Start, or end, to record where memory, arrays, textures, modules and streams are made. Objects made before are not
/// recorded; ending drops the records. Until then every allocation looks its place up, and every driver call takes
/// longer; without it nothing does.
void record_allocations(bool on);

/// What has been made since record_allocations(true) and is alive, by kind and place, largest first.
std::vector<LiveObjects> recorded_allocations();

}  // namespace pycuda
