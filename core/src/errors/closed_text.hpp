#pragma once

#include <string>
#include <string_view>

namespace pycuda {

/// How an object of this kind ended, in the word of the call that ends it: "device allocation was freed",
/// "stream was closed".
std::string closed_text(std::string_view what);

}  // namespace pycuda
