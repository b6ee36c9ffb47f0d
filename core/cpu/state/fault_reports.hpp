#pragma once

#include <string>

/// Reports of faults. One that the program has not asked for (cuGetErrorString) is printed when its context is
/// destroyed or the process exits, so that none is lost and none appears twice.
namespace cpu::state::fault_reports {

/// The text is kept until the process ends.
const char* add(const std::string& text);
/// The program has it.
void note_told(const char* report) noexcept;
/// Prints it, unless the program has it.
void tell(const char* report) noexcept;

}  // namespace cpu::state::fault_reports
