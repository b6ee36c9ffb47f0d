#include "gpuarray/composed/subscripts.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace pycuda::gpuarray {
namespace {

constexpr std::string_view ellipsis = "...", arrow = "->";

[[noreturn]] void reject(const std::string& why) {
    throw std::invalid_argument("einsum: " + why);
}

std::string in_quotes(std::string_view text) {
    return "'" + std::string(text) + "'";
}

bool is_letter(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

/// The labels of an operand of `axes` axes.
Labels labels_of(std::string_view text, std::size_t axes) {
    const std::size_t found = text.find(ellipsis);
    const bool has_ellipsis = found != std::string_view::npos;
    const std::string_view before = text.substr(0, found);
    const std::string_view after = has_ellipsis ? text.substr(found + ellipsis.size()) : std::string_view();
    for (const std::string_view part : {before, after})
        if (!std::ranges::all_of(part, is_letter)) reject("expected letters as subscripts, given " + in_quotes(text));
    const std::size_t named = before.size() + after.size();
    if (named > axes || (named < axes && !has_ellipsis))
        reject("the subscripts " + in_quotes(text) + " do not match an operand of " + std::to_string(axes) + " axes");
    Labels labels(before.begin(), before.end());
    for (int k = static_cast<int>(axes - named); k > 0; --k) labels.push_back(-k);
    labels.insert(labels.end(), after.begin(), after.end());
    return labels;
}

std::vector<std::string_view> split_at_commas(std::string_view text) {
    std::vector<std::string_view> parts;
    for (std::size_t start = 0;;) {
        const std::size_t end = text.find(',', start);
        parts.push_back(text.substr(start, end - start));
        if (end == std::string_view::npos) return parts;
        start = end + 1;
    }
}

}  // namespace

Subscripts read_subscripts(std::string_view text, std::span<const int> axes) {
    std::string packed(text);
    std::erase(packed, ' ');
    const std::string_view all = packed;
    const std::size_t found = all.find(arrow);
    const auto texts = split_at_commas(all.substr(0, found));
    if (texts.size() != axes.size())
        reject(in_quotes(all) + " names " + std::to_string(texts.size()) + " operands, given " +
               std::to_string(axes.size()));
    Subscripts read;
    std::multiset<int> every;
    for (std::size_t k = 0; k < texts.size(); ++k) {
        read.inputs.push_back(labels_of(texts[k], static_cast<std::size_t>(axes[k])));
        every.insert(read.inputs.back().begin(), read.inputs.back().end());
    }
    const std::set<int> distinct(every.begin(), every.end());
    const auto is_numbered = [](int label) { return label < 0; };
    if (found != std::string_view::npos) {
        const std::string_view right = all.substr(found + arrow.size());
        const auto letters = static_cast<std::size_t>(std::ranges::count_if(right, is_letter));
        const auto numbered = static_cast<std::size_t>(std::ranges::count_if(distinct, is_numbered));
        read.output = labels_of(right, letters + numbered);
    } else {
        std::ranges::copy_if(distinct, std::back_inserter(read.output),
                             [&](int label) { return is_numbered(label) || every.count(label) == 1; });
    }
    const std::set<int> wanted(read.output.begin(), read.output.end());
    if (wanted.size() != read.output.size() || !std::ranges::includes(distinct, wanted))
        reject("expected each subscript of the result once, and in an operand, given " + in_quotes(all));
    return read;
}

std::string text_of_label(int label) {
    return label < 0 ? in_quotes(ellipsis) : in_quotes(std::string(1, static_cast<char>(label)));
}

}  // namespace pycuda::gpuarray
