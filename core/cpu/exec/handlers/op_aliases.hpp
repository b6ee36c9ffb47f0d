#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cpu::exec {

/// Instructions that share a row of ops.def, because they do the same to the bits of a register: the key that lowering
/// asks for, and that of the row.
std::vector<std::pair<std::string, std::string>> op_aliases();

}  // namespace cpu::exec
