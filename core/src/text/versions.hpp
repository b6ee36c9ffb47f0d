#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pycuda {

/// The numbers of a version, which dots or underscores separate: {13, 0, 88} of ".13.0.88".
inline std::vector<int> version_numbers(std::string_view text) {
    constexpr std::string_view separators = "._";
    std::vector<int> numbers;
    for (std::size_t begin = text.find_first_not_of(separators); begin != text.npos;) {
        const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
        numbers.push_back(std::atoi(std::string(text.substr(begin, end - begin)).c_str()));
        begin = text.find_first_not_of(separators, end);
    }
    return numbers;
}

/// Among `names`, the one that begins with `prefix` and has the highest version, compared number by number: "13.10" is
/// above "13.9", and a name without a version is the lowest. Empty if no name begins with `prefix`.
inline std::string newest_version(const std::vector<std::string>& names, const std::string& prefix) {
    std::string newest;
    std::vector<int> newest_numbers;
    for (const std::string& name : names) {
        if (!name.starts_with(prefix)) continue;
        std::vector<int> numbers = version_numbers(std::string_view(name).substr(prefix.size()));
        if (!newest.empty() && numbers <= newest_numbers) continue;
        newest = name;
        newest_numbers = std::move(numbers);
    }
    return newest;
}

}  // namespace pycuda
