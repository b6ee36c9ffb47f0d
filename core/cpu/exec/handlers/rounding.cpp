#include "exec/handlers/rounding.hpp"

#include <cstring>

#include "exec/float_environment.hpp"

namespace cpu::exec {

namespace {

constexpr int row_operand = 4;  ///< and the next one hold the row's address

template <Handler Op::* handler>
void rounded(Warp& warp, const Insn& insn) {
    const Op* row = nullptr;
    std::memcpy(&row, &insn.op[row_operand], sizeof row);
    const FloatControlScope scope(FloatControl::standard().rounding(static_cast<HostRounding>(insn.rounding)));
    (row->*handler)(warp, insn);
}

}  // namespace

void run_rounded(Insn& insn, const Op& row, std::uint16_t mode) {
    const Op* const address = &row;
    static_assert(sizeof address == 2 * sizeof *insn.op);
    std::memcpy(&insn.op[row_operand], &address, sizeof address);
    insn.rounding = mode;
    insn.run[0] = rounded<&Op::some>;
    insn.run[1] = rounded<&Op::all>;
}

bool is_rounded(const Insn& insn) {
    return insn.run[1] == rounded<&Op::all>;
}

}  // namespace cpu::exec
