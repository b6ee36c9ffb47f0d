#include "exec/handlers/rounding.hpp"

#include <cstring>

#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#error "directed rounding needs this machine's floating-point control register"
#endif

namespace cpu::exec {

namespace {

constexpr unsigned rounding_bits = 0x6000, rounding_shift = 13;
constexpr int row_operand = 4;  ///< and the next one hold the row's address

template <Handler Op::* handler>
void rounded(Warp& warp, const Insn& insn) {
    const Op* row = nullptr;
    std::memcpy(&row, &insn.op[row_operand], sizeof row);
    const unsigned saved = _mm_getcsr();
    _mm_setcsr((saved & ~rounding_bits) | static_cast<unsigned>(insn.rounding) << rounding_shift);
    (row->*handler)(warp, insn);
    _mm_setcsr(saved);
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

}  // namespace cpu::exec
