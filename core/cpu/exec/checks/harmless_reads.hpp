#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ptx/program.hpp"

namespace cpu::exec {

/// Reads of uninitialised memory that compilers generate for correct programs; PYCUDA_CPU_CHECK=init does not report
/// them.
struct HarmlessReads {
    /// Registers that hold the address of a variable, or a fixed offset from one: a load from there may have been moved
    /// out of a branch.
    std::vector<bool> fixed_addresses;
    /// Loads of the whole word of a bit field, which is stored back with the field changed.
    std::vector<bool> of_bit_fields;
};

/// `definitions`: how many instructions write each register.
HarmlessReads find_harmless_reads(const ptx::Function& function, std::span<const std::uint32_t> definitions);

}  // namespace cpu::exec
