#pragma once

#include <string>
#include <vector>

/// tests/cpu/forms/forms.txt: forms of instructions, "results = operands : text @digest". The text is that of
/// short_text.hpp; one with alternatives stands for several forms, and has one digest for all or one for each.
namespace forms_file {

inline constexpr unsigned lanes = 512, pool_size = 2048, most_results_a_lane = 8;
/// The types of operands: each has a pool of values.
extern const std::vector<std::string> types;

struct Form {
    std::vector<std::string> results, operands;
    std::string text;
    std::string line;      ///< what a line without alternatives has before the digest
    std::string expected;  ///< a hash and two results, or "~tolerance": nothing to compare bit by bit

    /// How many places of eight bytes each lane has for results: 3, or with vectors 8.
    unsigned results_a_lane() const;
};

std::vector<Form> read(const std::string& path);

unsigned bits_of(const std::string& type);

/// The beginning of every module of these kernels.
extern const std::string header;

/// The kernel k`number`(in, out, scratch). Each lane has 64 bytes of its own at %gl (global), %sh (shared), %lo (local)
/// and, through generic addresses, at %gegl, %gesh and %gelo; %wgl, %wsh and %wge are the first lane's of the warp.
std::string kernel_text(const Form& form, std::size_t number);

}  // namespace forms_file
