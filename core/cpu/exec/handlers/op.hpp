#pragma once

#include <cstddef>

#include "exec/warp.hpp"

namespace cpu::exec {

/// When a row's result is affine (see Affine), for rows with a handler that computes it in that form.
enum class AffineRule : std::uint8_t {
    None,
    Uniform,  ///< if no source differs between lanes; then neither does the result
    Sum,      ///< if every source is affine
    Product,  ///< if every source is affine, and one of the first two is uniform
    Scale,    ///< if every source is affine, and the second is uniform
    Mask,     ///< if the source is a thread number, and the lowest four or five bits are kept
    Shift,    ///< if the source is a thread number, and four or five bits are shifted out
    Select,   ///< if both sources are affine, and the predicate is uniform
    Compare,  ///< a predicate of affine sources
    Access,   ///< op[1] is the address
};

/// One row of ops.def, built for one instruction set.
struct Op {
    const char* name;
    const char* operands =
        "?";                 ///< widths of d, a, b, ...: w up to 32 bits, q 64, o 128, p predicate; "?": not checked
    Handler some = nullptr;  ///< for a partial mask; for Sync instructions: collects the lanes' values
    Handler all = nullptr;   ///< for the full mask; for Sync instructions: does the work
    Handler affine = nullptr;
    AffineRule rule = AffineRule::None;
    bool alone = false;         ///< `affine` handles one warp, not a group
    bool all_of_group = false;  ///< `all` handles a group of warps
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
