#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ptx/program.hpp"

namespace cpu::exec {

/// What compilers let right programs read of memory that nothing wrote, for PYCUDA_CPU_CHECK=init.
struct HarmlessReads {
    /// Registers that hold the address of a variable, or of a place in it that the text says: a load from there may
    /// have been moved out of a branch.
    std::vector<bool> fixed_places;
    /// Loads of a bit field's whole word, which is stored back with the field set.
    std::vector<bool> of_bit_fields;
};

/// `definitions`: how often each register is written.
HarmlessReads find_harmless_reads(const ptx::Function& function, std::span<const std::uint32_t> definitions);

}  // namespace cpu::exec
