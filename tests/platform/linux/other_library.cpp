#include "platform/other_library.hpp"

namespace pycuda::test {

const char* const other_library = "libm.so.6";

}  // namespace pycuda::test
