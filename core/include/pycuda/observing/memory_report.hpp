#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pycuda {

/// Live objects of one kind, such as "device allocation".
struct LiveObjects {
    std::string kind;
    std::string place;  ///< the line of the program that created them; empty if unknown
    std::size_t count = 0;
    std::size_t bytes = 0;  ///< of memory; 0 for other objects
};

/// The number of live objects of each kind, largest first, without places and bytes.
std::vector<LiveObjects> live_objects();

/// Start or stop recording the places where memory, arrays, textures, modules and streams are created. Objects
/// created earlier are not recorded; stopping drops the records. Recording makes every allocation and driver
/// call slower; without it nothing is slower.
void record_allocations(bool on);

/// Live objects created since record_allocations(true), by kind and place, largest first.
std::vector<LiveObjects> recorded_allocations();

}  // namespace pycuda
