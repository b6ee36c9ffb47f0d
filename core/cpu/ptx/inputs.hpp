#pragma once

#include <span>
#include <string>

namespace cpu::ptx {

/// Joins several texts into one, which `parse` treats as a linker treats object files: names without linkage are
/// private to their text, and of several definitions the strongest is used.
std::string join(std::span<const std::string> texts);

/// Limits the registers per thread that the kernels of the text report.
void limit_registers(std::string& text, unsigned max);

}  // namespace cpu::ptx
