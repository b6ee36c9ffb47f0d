#pragma once

#include <string_view>

#include "exec/warp.hpp"

namespace cpu::exec {

/// The functions that device code finds in the driver: vprintf, malloc, free, __assertfail, and those of the
/// device's runtime library. nullptr: none has this
/// name. insn.call_site says where it is called, op[0] the caller's frame.
Handler find_builtin(std::string_view name);

}  // namespace cpu::exec
