#pragma once

#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "ptx/expression.hpp"
#include "ptx/grammar.hpp"
#include "ptx/program.hpp"
#include "ptx/scopes.hpp"
#include "ptx/token_stream.hpp"

namespace cpu::ptx {

/// Builds a Program from text; each object parses one. The text is untrusted: recursion is limited, and memory use is
/// proportional to the length of the text.
class Parser {
public:
    explicit Parser(std::string_view text) : tokens_(text) {}
    Program run();

private:
    // parser.cpp: the module and its functions
    void module_header();
    void module_statement();
    void file_directive();
    void section_directive();
    void skip_braces();
    void alias_directive();
    void function(Linkage linkage, bool entry);
    FunctionId declare_function(std::string_view name, bool entry, Linkage linkage);
    void function_directives(Directives& directives);
    std::uint32_t positive_value(std::string_view directive);
    void dimensions(std::array<std::uint32_t, 3>& out, std::string_view directive);
    void parameter_list(Function& function, FunctionId id, bool results);
    void parameter(Function& function, FunctionId id, bool results);
    void register_parameter(Function& function, bool results);
    void body(Function& function);
    void finish_labels(Function& function);
    void apply_aliases();

    // inputs.cpp: several texts in one
    void module_pragma();
    std::vector<std::string_view> pragmas();
    void begin_input();
    void add_device_library();
    bool is_earlier(const Symbol& symbol) const noexcept;
    bool is_earlier_function(FunctionId id) const noexcept { return id < own_functions_; }
    bool declare_at_module(std::string_view name, Symbol symbol, Linkage linkage);
    bool replaces(Function& earlier, FunctionId id, Linkage linkage) const;
    bool replaces(const Variable& earlier, VariableId id, const Variable& variable) const;
    void skip_body(const Function& header);
    void disown(const Function& header);

    // declarations.cpp: variables and registers
    bool starts_variable(const Token& token) const noexcept;
    Linkage linkage();
    void variable_statement(Linkage linkage, FunctionId owner);
    void attributes(Variable& variable);
    void pointer_attribute(Variable& variable);
    std::uint64_t type_and_vector(Variable& variable);
    void array_dimensions(Variable& variable);
    void initialiser(Variable& variable);
    void initialiser_list(Variable& variable);
    void initialiser_value(Variable& variable, std::uint64_t at);
    bool address_value(Relocation& relocation);
    void reference_declaration(const Variable& variable, std::uint64_t width) const;
    void properties(Variable& variable);
    VariableId add_variable(Variable&& variable, std::string_view name);
    void store(Variable& variable, std::uint64_t bits);
    void register_statement(Function& function);
    Type type(const char* what);
    std::uint32_t alignment();

    // statements.cpp: the statements of a body
    void statement(Function& function, FunctionId id);
    void body_directive(Function& function, FunctionId id);
    void location_directive();
    SourceLocation source_position();
    std::uint32_t inlining_location();
    void labelled(Function& function);
    void branch_targets(Function& function, std::string_view name);
    void call_targets(Function& function, std::string_view name);
    void call_prototype(Function& function, std::string_view name);
    std::vector<ParameterShape> prototype_parameters();

    // instructions.cpp
    void instruction(Function& function);
    void guard(Function& function, Instruction& out);
    const Mnemonic& mnemonic(std::string_view root, std::span<std::string_view> parts, std::size_t& count) const;
    void require_separable(std::string_view root, std::span<const std::string_view> parts) const;
    void modifier(Instruction& out, std::string_view word) const;
    void set_member(Instruction& out, Group group, std::uint8_t value, std::string_view word) const;
    void operands(Function& function, Instruction& out);
    void add(Function& function, Instruction& out, const Operand& operand);
    Operand operand(Function& function);
    Operand named_operand(Function& function);
    Operand symbol_operand(Function& function, const Symbol& symbol, std::string_view name);
    Operand negated_operand(Function& function);
    Operand constant_operand();
    std::uint32_t selector();
    Operand vector_operand(Function& function);
    void bracket(Function& function, Instruction& out);
    Operand memory_operand(Function& function);
    void call(Function& function, Instruction& out);
    std::vector<Operand> call_list(Function& function);
    RegisterId predicate(std::string_view name);
    const Symbol& require(std::string_view name);

    TokenStream tokens_;
    Program program_;
    Scopes scopes_;
    std::uint32_t location_ = none;
    std::map<std::array<std::uint32_t, 3>, std::uint32_t> positions_;  ///< the last of Program::locations at each
    std::vector<std::pair<FunctionId, FunctionId>> aliases_;
    // The current input: where its part of the program starts, and its private names.
    VariableId own_variables_ = 0;
    FunctionId own_functions_ = 0;
    std::uint32_t first_file_ = 0, next_file_ = 0;
    std::unordered_map<std::string_view, std::optional<Symbol>> own_names_;
};

}  // namespace cpu::ptx
