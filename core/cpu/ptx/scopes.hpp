#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/program.hpp"

namespace cpu::ptx {

/// What a name refers to. Labels are handled separately, because they may be used before they are declared.
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
    std::uint8_t lanes = 1;  ///< number of components of a VectorRegister, which have consecutive ids
    std::uint32_t index = 0;
};

/// The names of nested `{ }` scopes. Scope 0 is the module's; a function opens the next. A name in an inner scope hides
/// the same name outside. Names are views of the text.
class Scopes {
public:
    Scopes() { scopes_.emplace_back(); }

    void open(Function& function);
    void open() { open(*function_); }
    /// Adds new registers to this function from now on. Names of the header were read before the function existed.
    void adopt(Function& function) noexcept { function_ = &function; }
    /// Labels that are used but not declared in the closing scope are then looked up in the enclosing one.
    void close();
    std::size_t depth() const noexcept { return scopes_.size() - 1; }

    /// False if this scope already has the name.
    bool declare(std::string_view name, Symbol symbol);
    bool declare_at_module(std::string_view name, Symbol symbol);
    /// Gives the module's symbol a new meaning (.alias).
    void rebind(std::string_view name, Symbol symbol) { scopes_.front().names[name] = symbol; }
    void forget(std::string_view name) { scopes_.front().names.erase(name); }
    /// `.reg .b32 %r<100>` declares %r0 to %r99, which get an id at first use. False if the scope has too many such
    /// declarations: all of them are searched for every new name.
    bool declare_registers(std::string_view prefix, std::uint64_t count, Type type);
    /// nullptr if there is no such name.
    const Symbol* find(std::string_view name);
    const Symbol* find_at_module(std::string_view name) const;

    /// A label's provisional number, which `resolve_labels` turns into an index into Function::labels.
    std::uint32_t use_label(std::string_view name, std::uint32_t line);
    bool declare_label(std::string_view name, std::uint32_t target);
    struct MissingLabel {
        std::string_view name;
        std::uint32_t line;
    };
    /// Call this after the function's last scope is closed. Fills Function::labels, and returns the final number for
    /// each provisional one. If a label is undeclared, stores it in `missing` and returns an empty vector.
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
        std::uint32_t line = 0;  ///< where it is first used
        std::uint32_t target = none;
        std::uint32_t same_as = none;
    };
    const Symbol* find_in_ranges(Scope& scope, std::string_view name);

    std::vector<Scope> scopes_;
    std::vector<LabelRecord> labels_;
    Function* function_ = nullptr;
};

}  // namespace cpu::ptx
