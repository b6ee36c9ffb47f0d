#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "pycuda/launching/kernel_args.hpp"

/// The argument types of prepare(): one table of type characters and one slot layout for both languages.
namespace pycuda {

/// The type of a slot of the parameter block.
enum class SlotKind : unsigned char { Signed, Unsigned, Float, Complex, Bool, Pointer, Bytes };

/// One argument: its type, and its offset in the parameter block. Sizes, alignment and offset are in bytes.
struct Slot {
    SlotKind kind;
    std::size_t size;
    std::size_t alignment;
    std::size_t offset = 0;
};

/// Append the slots that `types` describes. Its characters are those of Python's struct module in native mode (`x` is
/// padding without a slot, `16s` is one slot of 16 bytes, `3i` is three ints) and `F` and `D` for single and double
/// precision complex numbers, and `T` for a TensorMap. White space and `@` are skipped. std::invalid_argument for any
/// other character.
void append_slots(std::string_view types, std::vector<Slot>& slots);

/// Assign each slot its offset and return the size of the block. If the driver reports the kernel's layout, it decides;
/// otherwise C's natural alignment. ArgumentTypeError if the count or a size differs from the kernel's, or the
/// block is larger than max_parameter_bytes.
std::size_t lay_out(std::vector<Slot>& slots, const ParameterLayout& layout);

/// The first character of the table that makes such a slot; `s` for bytes of any size.
char slot_character(const Slot& slot) noexcept;

}  // namespace pycuda
