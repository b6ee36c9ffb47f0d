#include "platform/other_library.hpp"

namespace pycuda::test {

const char* const other_library = "msvcrt.dll";

}  // namespace pycuda::test
