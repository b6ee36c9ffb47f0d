#pragma once

#include "ptx/program.hpp"

namespace cpu::ptx {

/// Checks every instruction of the function against the forms of its opcode, sets the type in which each operand is
/// read or written, and encodes immediates in that type. Throws SyntaxError.
void verify(const Program& program, Function& function);

}  // namespace cpu::ptx
