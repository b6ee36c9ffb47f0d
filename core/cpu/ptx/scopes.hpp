#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/program.hpp"

namespace cpu::ptx {

/// What a name stands for. Labels are not among these: they may be used before they are declared.
struct Symbol {
    enum class Kind : std::uint8_t {
        Register,
        VectorRegister,
        Variable,
        Function,
        BranchTable,
        Prototype,
        CallTargets
    };
    Kind kind = Kind::Register;
    std::uint8_t lanes = 1;  ///< of a VectorRegister, whose components have consecutive ids
    std::uint32_t index = 0;
};

/// The names of nested `{ }` scopes. Scope 0 is the module's; a function opens the next. A name of an inner scope hides
/// the same name outside. Names refer to the text.
class Scopes {
public:
    Scopes() { scopes_.emplace_back(); }

    void open(Function& function);
    void open() { open(*function_); }
    /// From here on, new registers go to this function (the header's names were read before it had a place).
    void adopt(Function& function) noexcept { function_ = &function; }
    /// Labels used but not declared in the closing scope are looked for in the one around it.
    void close();
    std::size_t depth() const noexcept { return scopes_.size() - 1; }

    /// False when this scope has the name already.
    bool declare(std::string_view name, Symbol symbol);
    bool declare_at_module(std::string_view name, Symbol symbol);
    /// Gives the module's symbol a new meaning (.alias).
    void rebind(std::string_view name, Symbol symbol) { scopes_.front().names[name] = symbol; }
    void forget(std::string_view name) { scopes_.front().names.erase(name); }
    /// `.reg .b32 %r<100>`: %r0 to %r99, which get an id at first use.
    /// False when the scope has too many of these: each is tried for every new name.
    bool declare_registers(std::string_view prefix, std::uint64_t count, Type type);
    /// nullptr: no such name.
    const Symbol* find(std::string_view name);
    const Symbol* find_at_module(std::string_view name) const;

    /// A label's provisional number; `resolve_labels` makes it an index into Function::labels.
    std::uint32_t use_label(std::string_view name, std::uint32_t line);
    bool declare_label(std::string_view name, std::uint32_t target);
    struct MissingLabel {
        std::string_view name;
        std::uint32_t line;
    };
    /// After the function's last scope is closed: fills Function::labels, and gives for each provisional number its
    /// final one. An undeclared label is put in `missing`, and the result is empty.
    std::vector<std::uint32_t> resolve_labels(Function& function, MissingLabel& missing);

private:
    struct Range {
        std::string_view prefix;
        std::uint64_t count;
        Type type;
    };
    struct Scope {
        std::unordered_map<std::string_view, Symbol> names;
        std::unordered_map<std::string_view, std::uint32_t> labels;
        std::vector<Range> ranges;
    };
    struct LabelRecord {
        std::string_view name;
        std::uint32_t line = 0;  ///< of the first use
        std::uint32_t target = none;
        std::uint32_t same_as = none;
    };
    const Symbol* find_in_ranges(Scope& scope, std::string_view name);

    std::vector<Scope> scopes_;
    std::vector<LabelRecord> labels_;
    Function* function_ = nullptr;
};

}  // namespace cpu::ptx
