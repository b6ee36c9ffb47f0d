#pragma once

#include <span>
#include <string_view>

#include "exec/warp.hpp"

namespace cpu::exec {

/// One row of ops.def, built for one instruction set.
struct Op {
    const char* key;
    const char* operands;  ///< widths of d, a, b, ...: w 32 bits or less, q 64, o 128, p predicate; "?" : not checked
    Handler some;          ///< for a partial mask; of Sync instructions: brings the lanes' values
    Handler all;           ///< for the full mask; of Sync instructions: does the work
};

struct OpTable {
    const Op* ops;
    std::size_t count;
    const char* name;
};
OpTable ops_baseline();
OpTable ops_v3();
OpTable ops_v4();

/// The row with that key, built for the best instruction set that this machine has (or that PYCUDA_CPU_ISA names:
/// baseline, v3 or v4); nullptr when no row has it.
const Op* find_op(std::string_view key);

}  // namespace cpu::exec
