#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// What the texts of forms/forms.txt and of instructions/*.txt share. They stand in a kernel that reads their operands
/// and stores their results: $0, $1, ... are the results, then the operands.
namespace short_text {

/// Registers that every text may use: %p0, ... (predicates), %h0 (16 bits), %r0 (32), %d0 (64).
extern const std::string scratch;

/// A result or an operand, "f32"; "f32*4" is a vector of four registers, in braces where the text names it, of which
/// the k-th is %x{i}_{k}, i being the operand's number.
struct Operand {
    Operand(const std::string& word, std::size_t number);

    std::string type;
    std::vector<std::string> registers;
    std::string text;  ///< what stands for it: a register, or several in braces
};

/// The texts that one with alternatives stands for: "add{|.rn}.f32" for "add.f32" and "add.rn.f32".
std::vector<std::string> alternatives(const std::string& text);

/// The text with the operands in place of $0, $1, ...
std::string filled_in(const std::string& text, const std::vector<Operand>& operands);

}  // namespace short_text
