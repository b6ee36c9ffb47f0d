#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "exec/warp.hpp"

namespace cpu::exec {

/// When a row's result is affine (see Affine), and the row has a handler that computes it as such.
enum class Law : std::uint8_t {
    None,
    Uniform,  ///< if no source differs between lanes; nor does the result then
    Sum,      ///< if every source is affine
    Product,  ///< the same, and one of the first two does not differ
    Scale,    ///< the same, and the second does not differ
    Compare,  ///< a predicate of affine sources
    Access,   ///< op[1] is the address
};

/// One row of ops.def, built for one instruction set.
struct Op {
    const char* key;
    const char* operands;  ///< widths of d, a, b, ...: w 32 bits or less, q 64, o 128, p predicate; "?" : not checked
    Handler some;          ///< for a partial mask; of Sync instructions: brings the lanes' values
    Handler all;           ///< for the full mask; of Sync instructions: does the work
    Handler affine = nullptr;
    Law law = Law::None;
    bool alone = false;  ///< `affine` is for one warp, not for a group
};

struct OpTable {
    const Op* ops;
    std::size_t count;
    const char* name;
};
OpTable ops_baseline();
OpTable ops_v3();
OpTable ops_v4();

/// The rows of one instruction set, by key; what was not built for it is there as built for any processor.
class OpIndex {
public:
    OpIndex(const OpTable& table, const OpTable& of_any_processor);
    OpIndex(const OpIndex&) = delete;
    OpIndex& operator=(const OpIndex&) = delete;
    const char* name() const noexcept { return name_; }
    const Op* find(std::string_view key) const;  ///< nullptr when no row has it

private:
    const char* name_;
    std::vector<std::pair<std::string, std::string>> aliases_;  ///< whose text rows_ refers to
    std::unordered_map<std::string_view, const Op*> rows_;
};

/// For the best instruction set that this machine has, or at most the one that PYCUDA_CPU_ISA names now (baseline, v3
/// or v4).
const OpIndex& chosen_ops();

}  // namespace cpu::exec
