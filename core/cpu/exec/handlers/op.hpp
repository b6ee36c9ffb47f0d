#pragma once

#include <cstddef>

#include "exec/warp.hpp"

namespace cpu::exec {

/// When a row's result is affine (see Affine), and the row has a handler that computes it as such.
enum class AffineRule : std::uint8_t {
    None,
    Uniform,  ///< if no source differs between lanes; nor does the result then
    Sum,      ///< if every source is affine
    Product,  ///< the same, and one of the first two does not differ
    Scale,    ///< the same, and the second does not differ
    Mask,     ///< if the source is a thread's number, and the bits kept are the lowest four or five
    Shift,    ///< if the source is a thread's number, and four or five bits are dropped
    Select,   ///< if both sources are affine, and the predicate does not differ
    Compare,  ///< a predicate of affine sources
    Access,   ///< op[1] is the address
};

/// One row of ops.def, built for one instruction set.
struct Op {
    const char* name;
    const char* operands =
        "?";                 ///< widths of d, a, b, ...: w 32 bits or less, q 64, o 128, p predicate; "?" : not checked
    Handler some = nullptr;  ///< for a partial mask; of Sync instructions: brings the lanes' values
    Handler all = nullptr;   ///< for the full mask; of Sync instructions: does the work
    Handler affine = nullptr;
    AffineRule rule = AffineRule::None;
    bool alone = false;         ///< `affine` is for one warp, not for a group
    bool all_of_group = false;  ///< `all` works for a group of warps
};

struct OpTable {
    const Op* ops;
    std::size_t count;
    const char* name;
};
OpTable ops_baseline();
OpTable ops_v3();
OpTable ops_v4();

}  // namespace cpu::exec
