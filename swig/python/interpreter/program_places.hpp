#pragma once

#include <Python.h>

#include <atomic>

#include "pycuda/observing/places.hpp"

/// The place where the program calls this package, for timelines and memory reports.
namespace pycuda::python {

/// The calling thread's innermost frame outside the package, or the one that released the GIL; 0 for threads without
/// Python. A PlaceSource.
Place place_of_program() noexcept;

/// Records the result of place_of_program for the time when this thread does not hold the GIL. Needs the GIL.
void note_place_of_release() noexcept;
void forget_place_of_release() noexcept;
/// True once a place has been recorded.
inline std::atomic<bool> places_were_noted{false};

/// A list of tuples of kind, place, number and bytes: recorded_allocations(), or live_objects().
PyObject* live_objects(bool recorded);

}  // namespace pycuda::python
