#pragma once

namespace pycuda::test {

/// A library that every system of this kind has, and that is no driver.
extern const char* const other_library;

}  // namespace pycuda::test
