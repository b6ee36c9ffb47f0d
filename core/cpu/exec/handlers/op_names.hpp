#pragma once

#include <optional>
#include <string_view>

namespace cpu::exec {

/// The names of ops.def's rows, in their order.
inline constexpr std::string_view op_names[] = {
#define OP(name, ...) name,
#define ATOMIC(name, ...) name,
#define HANDLERS(name, ...) name,
#define ALIAS(name, row)
#include "exec/handlers/ops.def"
};

/// The aliases in ops.def.
struct OpAlias {
    std::string_view name, row;
};
inline constexpr OpAlias op_aliases[] = {
#define OP(name, ...)
#define ATOMIC(name, ...)
#define HANDLERS(name, ...)
#define ALIAS(name, row) {name, row},
#include "exec/handlers/ops.def"
};

constexpr std::optional<std::size_t> row_called(std::string_view name) {
    for (std::size_t n = 0; n < std::size(op_names); ++n)
        if (op_names[n] == name) return n;
    for (const OpAlias& alias : op_aliases)
        if (alias.name == name) return row_called(alias.row);
    return std::nullopt;
}

/// Not constexpr: if the compiler reports this for an OpName or an OpPart, the text is misspelt.
[[noreturn]] void no_row_of_ops_def_has_this_name();
[[noreturn]] void no_row_of_ops_def_has_this_part();

/// A row of ops.def by its name. Literal names are looked up at compile time.
class OpName {
public:
    consteval OpName(const char* name) {
        const std::optional<std::size_t> row = row_called(name);
        if (!row) no_row_of_ops_def_has_this_name();
        row_ = *row;
    }
    /// A name composed from an instruction's parts; none: such an instruction is not supported.
    static std::optional<OpName> find(std::string_view name);
    constexpr std::size_t row() const { return row_; }
    constexpr std::string_view text() const { return op_names[row_]; }

private:
    struct Found {
        std::size_t row;
    };
    constexpr explicit OpName(Found found) : row_(found.row) {}
    std::size_t row_ = 0;
};

/// One or more dotted parts of a name; the compiler checks that they occur in the names of rows.
class OpPart {
public:
    consteval OpPart(const char* text) : text_(text) {
        if (!is_part()) no_row_of_ops_def_has_this_part();
    }
    /// A name from PTX, such as a type's.
    static constexpr OpPart given(std::string_view text) { return OpPart(Given{text}); }
    constexpr std::string_view text() const { return text_; }

    static constexpr bool begins_a_name(std::string_view text) {
        for (const std::string_view name : op_names)
            if (name.starts_with(text) && (name.size() == text.size() || name[text.size()] == '.')) return true;
        return false;
    }

private:
    struct Given {
        std::string_view text;
    };
    constexpr explicit OpPart(Given given) : text_(given.text) {}
    constexpr bool is_part() const {
        for (const std::string_view name : op_names)
            for (std::size_t at = name.find(text_); at != name.npos; at = name.find(text_, at + 1)) {
                const std::size_t end = at + text_.size();
                if ((at == 0 || name[at - 1] == '.') && (end == name.size() || name[end] == '.')) return true;
            }
        return text_.empty();
    }
    std::string_view text_;
};

}  // namespace cpu::exec
