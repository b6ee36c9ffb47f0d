#pragma once

#include <string_view>

#include "exec/warp.hpp"

namespace cpu::exec {

/// The functions that the driver provides to device code: vprintf, malloc, free, __assertfail, and those of the device
/// runtime library. nullptr if none has this name. insn.call_site identifies the call; op[0] is the caller's frame.
Handler find_builtin(std::string_view name);

}  // namespace cpu::exec
