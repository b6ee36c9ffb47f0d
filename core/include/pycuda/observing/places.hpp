#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace pycuda {

/// A place in the program's source that called this library, as a number; 0: unknown.
using Place = std::uint32_t;

/// True while a timeline or allocations are recorded: Python then records the place before it releases the GIL.
inline std::atomic<bool> places_are_recorded{false};

/// The calling thread's place: the program's innermost frame outside the package. Called before driver calls,
/// with locks of the core held: it must not wait, run code of the program, or collect garbage.
using PlaceSource = Place (*)() noexcept;
/// Set once, by the language module.
void set_place_source(PlaceSource source) noexcept;
Place current_place() noexcept;

/// The number of a place, equal for equal texts; 0 if memory runs out.
Place number_of_place(const std::string& text) noexcept;
/// Empty for 0.
std::string text_of_place(Place place);

}  // namespace pycuda
