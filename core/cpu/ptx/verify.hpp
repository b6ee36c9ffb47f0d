#pragma once

#include "ptx/program.hpp"

namespace cpu::ptx {

/// Checks every instruction of the function against the forms of its opcode, gives each operand the type in which it
/// is read or written, and encodes immediates in it. Throws SyntaxError.
void verify(const Program& program, Function& function);

}  // namespace cpu::ptx
