#include "exec/handlers/op_names.hpp"

#include <unordered_map>

namespace cpu::exec {

namespace {

using Rows = std::unordered_map<std::string_view, std::size_t>;

/// Leaked: modules may be loaded while the process exits.
const Rows& rows_by_name() {
    static const Rows* const built = [] {
        Rows* const rows = new Rows;
        for (std::size_t n = 0; n < std::size(op_names); ++n) rows->emplace(op_names[n], n);
        for (const OpAlias& alias : op_aliases) rows->emplace(alias.name, rows->at(alias.row));
        return rows;
    }();
    return *built;
}

/// Every name and alias is unique, and every alias refers to a row.
constexpr bool are_consistent() {
    for (const OpAlias& alias : op_aliases)
        if (!row_called(alias.row)) return false;
    return true;
}
static_assert(are_consistent(), "an ALIAS of ops.def names no row");

}  // namespace

std::optional<OpName> OpName::find(std::string_view name) {
    const auto found = rows_by_name().find(name);
    if (found == rows_by_name().end()) return std::nullopt;
    return OpName(Found{found->second});
}

}  // namespace cpu::exec
