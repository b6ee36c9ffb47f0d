#pragma once

#include <array>

#include "exec/handlers/op.hpp"
#include "exec/handlers/op_names.hpp"

namespace cpu::exec {

/// The rows of one instruction set, in the order of op_names. Rows that were not built for it come from the baseline
/// build.
class OpIndex {
public:
    OpIndex(const OpTable& table, const OpTable& of_any_processor);
    OpIndex(const OpIndex&) = delete;
    OpIndex& operator=(const OpIndex&) = delete;
    const char* name() const noexcept { return name_; }
    const Op& operator[](OpName op) const noexcept { return *rows_[op.row()]; }

private:
    const char* name_;
    std::array<const Op*, std::size(op_names)> rows_;
};

/// The rows for the best instruction set of this machine, or at most the one that PYCUDA_CPU_ISA names now (baseline,
/// v3 or v4).
const OpIndex& chosen_ops();

}  // namespace cpu::exec
