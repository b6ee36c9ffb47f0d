#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pycuda {

/// "no kernel 'x'; the module has: a, b". `names`: of the kernels that `owner` has; empty if the driver does not list
/// them.
inline std::string missing_kernel_text(const std::string& name, const std::string& owner,
                                       const std::optional<std::vector<std::string>>& names) {
    const std::string text = "no kernel '" + name + "'";
    if (!names) return text;
    std::string list;
    for (const std::string& known : *names) list += (list.empty() ? "" : ", ") + known;
    return text + "; the " + owner + (list.empty() ? " has none" : " has: " + list);
}

}  // namespace pycuda
