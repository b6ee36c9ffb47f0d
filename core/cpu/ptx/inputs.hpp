#pragma once

#include <span>
#include <string>

namespace cpu::ptx {

/// Several texts as one, which `parse` reads as a linker reads objects: names without linkage are each text's own, and
/// of several definitions the strongest counts.
std::string join(std::span<const std::string> texts);

/// Its kernels then report no more registers for each thread.
void limit_registers(std::string& text, unsigned most);

}  // namespace cpu::ptx
