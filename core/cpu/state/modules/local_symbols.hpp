#pragma once

#include <string>
#include <vector>

namespace cpu::state {

/// PTX texts that are to become one module: what a text declares without .visible, .extern, .weak or .common is its
/// own, so where another text declares the same name, it gets a new one. A text that is no PTX stays as it is.
void separate_local_symbols(std::vector<std::string>& texts);

}  // namespace cpu::state
