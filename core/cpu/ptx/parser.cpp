#include "ptx/parser.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <iterator>
#include <numeric>

#include "ptx/verify.hpp"

namespace cpu::ptx {
namespace {

// The hardware's limits: a kernel with more parameters could not be launched.
constexpr std::uint64_t max_entry_parameter_bytes = 32764;
constexpr std::uint64_t max_entry_parameter_bytes_before_8_1 = 4352;

/// Versions before 9.0, times 10. Versions newer than the assembler are not checked.
constexpr int known_versions[] = {10, 11, 12, 13, 14, 15, 20, 21, 22, 23, 30, 31, 32, 40, 41,
                                  42, 43, 50, 51, 60, 61, 62, 63, 64, 65, 70, 71, 72, 73, 74,
                                  75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88};
constexpr int known_targets[] = {10, 11, 12, 13, 20, 21, 30, 32, 35, 37, 50, 52, 53,
                                 60, 61, 62, 70, 72, 75, 80, 82, 86, 87, 88, 89, 90};

/// 90 for sm_90, sm_90a or compute_90; 0 for a target that does not exist. Numbers above 90 are not checked here; the
/// loader rejects them as too new.
int target_number(std::string_view option) {
    const std::string_view digits = option.substr(option.find('_') + 1);
    int number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const std::string_view rest(end, static_cast<std::size_t>(digits.data() + digits.size() - end));
    const bool has_suffix = (number >= 90 && rest == "a") || (number > 90 && rest == "f");
    if (error != std::errc() || (!rest.empty() && !has_suffix)) return 0;
    return number > 90 || std::ranges::find(known_targets, number) != std::end(known_targets) ? number : 0;
}

std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

Program parse(std::string_view text) {
    return Parser(text).run();
}

Program Parser::run() {
    module_header();
    while (tokens_.peek().kind != TokenKind::End) module_statement();
    add_device_library();
    apply_aliases();
    for (Function& function : program_.functions) verify(program_, function);
    return std::move(program_);
}

void Parser::module_header() {
    if (!tokens_.accept_dot("version")) tokens_.fail("expected .version at the start of the module");
    const Token version = tokens_.next();  // the lexer reads 8.5 as a decimal fraction
    if (version.kind != TokenKind::Float64) tokens_.fail("malformed .version");
    const double number = std::bit_cast<double>(version.bits);
    if (!(number >= 1.0 && number < 100.0)) tokens_.fail("PTX version out of range");
    const int tenths = static_cast<int>(number * 10 + 0.5);
    if (tenths < 90 && std::ranges::find(known_versions, tenths) == std::end(known_versions))
        tokens_.fail("there is no PTX version " + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10));
    program_.version = std::max(program_.version, tenths);
    if (!tokens_.accept_dot("target")) tokens_.fail("expected .target after .version");
    do {
        const std::string_view option = tokens_.expect_word("a target");
        if (option.starts_with("sm_") || option.starts_with("compute_")) {
            const int sm = target_number(option);
            if (sm == 0) tokens_.fail("unknown target '" + TokenStream::shorten(option) + "'");
            if (sm >= program_.target) program_.target_name = option.substr(0, 32);
            program_.target = std::max(program_.target, sm);
        } else if (option == "debug") {
            program_.debug = true;
        } else if (option == "texmode_independent") {
            program_.independent_textures = true;
        } else if (option != "texmode_unified" && option != "map_f64_to_f32") {
            tokens_.fail("unknown target '" + TokenStream::shorten(option) + "'");
        }
    } while (tokens_.accept(','));
    if (tokens_.accept_dot("address_size")) {
        const std::uint32_t size = tokens_.expect_u32("address size");
        if (size != 64)
            throw SyntaxError(static_cast<int>(tokens_.line()), "only modules of .address_size 64 can be loaded",
                              SyntaxError::Reason::Unsupported);
    }
}

void Parser::module_statement() {
    const Token& token = tokens_.peek();
    if (token.kind != TokenKind::DotWord) tokens_.fail("expected a directive before " + TokenStream::describe(token));
    if (token.text == "file") return file_directive();
    if (token.text == "section") return section_directive();
    if (token.text == "alias") return alias_directive();
    if (token.text == "pragma") return module_pragma();
    const Linkage linkage = this->linkage();
    if (tokens_.accept_dot("entry")) return function(linkage, true);
    if (tokens_.accept_dot("func")) return function(linkage, false);
    if (starts_variable(tokens_.peek())) return variable_statement(linkage, none);
    tokens_.fail("unknown directive " + TokenStream::describe(tokens_.peek()));
}

void Parser::file_directive() {
    tokens_.next();
    const std::uint32_t index = first_file_ + tokens_.expect_u32("file index");
    if (tokens_.peek().kind != TokenKind::String) tokens_.fail("expected a file name");
    if (!program_.files.try_emplace(index, tokens_.peek().text).second)
        tokens_.fail("this file index is already in use");
    tokens_.next();
    next_file_ = std::max(next_file_, index + 1);
    if (!tokens_.accept(',')) return;
    tokens_.expect_integer("time stamp");
    if (tokens_.accept(',')) tokens_.expect_integer("file size");
}

/// Skips a debug section, which is data for a debugger.
void Parser::section_directive() {
    tokens_.next();
    while (!tokens_.peek().is('{')) {
        if (tokens_.peek().kind == TokenKind::End) tokens_.fail("expected '{' after .section");
        tokens_.next();
    }
    skip_braces();
}

/// Skips from `{` to the matching `}`.
void Parser::skip_braces() {
    std::size_t depth = 0;
    do {
        const Token token = tokens_.next();
        if (token.is('{')) ++depth;
        if (token.is('}')) --depth;
        if (token.kind == TokenKind::End) tokens_.fail("expected '}' before the end of the text");
    } while (depth > 0);
}

void Parser::alias_directive() {
    tokens_.next();
    const auto function_named = [&] {
        const std::string_view name = tokens_.expect_word("a function");
        const Symbol* symbol = scopes_.find_at_module(name);
        if (!symbol || symbol->kind != Symbol::Kind::Function)
            tokens_.fail("'" + TokenStream::shorten(name) + "' is not a function");
        return std::pair(name, symbol->index);
    };
    const auto [name, alias] = function_named();
    tokens_.expect(',');
    const auto [target_name, target] = function_named();
    tokens_.expect(';');
    if (alias == target && is_earlier_function(alias)) return;  // an earlier input had the same alias
    if (program_.functions[alias].defined || alias == target)
        tokens_.fail("an alias must be a declared function without a body");
    aliases_.emplace_back(alias, target);
    scopes_.rebind(name, {Symbol::Kind::Function, 1, target});
}

/// Redirects uses before the .alias directive, which still name the declaration.
void Parser::apply_aliases() {
    if (aliases_.empty()) return;
    std::vector<FunctionId> targets(program_.functions.size());
    std::iota(targets.begin(), targets.end(), 0u);
    for (const auto& [alias, target] : aliases_) targets[alias] = target;
    const auto redirect = [&](std::uint32_t& id) { id = targets[id]; };
    const auto redirect_operand = [&](Operand& operand) {
        if (operand.kind == OperandKind::FunctionAddress) redirect(operand.index);
    };
    for (Function& function : program_.functions) {
        std::for_each(function.operands.begin(), function.operands.end(), redirect_operand);
        for (Call& call : function.calls) redirect_operand(call.callee);
        for (auto& list : function.target_lists) std::for_each(list.begin(), list.end(), redirect);
    }
    for (Variable& variable : program_.variables)
        for (Relocation& relocation : variable.relocations)
            if (relocation.is_function) redirect(relocation.symbol);
}

FunctionId Parser::declare_function(std::string_view name, bool entry, Linkage linkage) {
    if (const Symbol* symbol = scopes_.find_at_module(name)) {
        const bool own = linkage == Linkage::Local && !entry;
        if (!own || !is_earlier(*symbol)) {
            if (symbol->kind != Symbol::Kind::Function || program_.functions[symbol->index].entry != entry)
                tokens_.fail("'" + TokenStream::shorten(name) + "' is declared twice");
            return symbol->index;
        }
    }
    const auto id = static_cast<FunctionId>(program_.functions.size());
    Function& function = program_.functions.emplace_back();
    function.name = name;
    function.entry = entry;
    function.linkage = linkage;
    function.line = tokens_.line();
    declare_at_module(name, {Symbol::Kind::Function, 1, id}, entry ? Linkage::Visible : linkage);
    return id;
}

void Parser::function(Linkage linkage, bool entry) {
    // Results come before the name: parse them into a temporary function, then move them.
    Function header;
    header.entry = entry;
    const auto id_ahead = static_cast<FunctionId>(program_.functions.size());
    scopes_.open(header);
    if (!entry && tokens_.accept_dot("attribute")) tokens_.fail("unknown function attribute");
    if (!entry && tokens_.peek().is('(')) parameter_list(header, id_ahead, true);
    const std::string_view name = tokens_.expect_word("a function name");
    const FunctionId id = declare_function(name, entry, linkage);
    if (tokens_.peek().is('(')) parameter_list(header, id, false);
    function_directives(header.directives);

    Function& function = program_.functions[id];
    const bool body_follows = tokens_.peek().is('{');
    if (body_follows && function.defined && !replaces(function, id, linkage)) return skip_body(header);
    if (body_follows || !function.defined) {
        if (linkage != Linkage::Local && linkage != Linkage::Extern) {
            function.linkage = linkage;
            own_names_.erase(name);
        }
        for (const VariableId result : header.results) program_.variables[result].owner = id;
        function.parameters = std::move(header.parameters);
        function.results = std::move(header.results);
        function.parameter_bytes = header.parameter_bytes;
        function.registers = std::move(header.registers);
        function.register_parameters = std::move(header.register_parameters);
        function.register_results = std::move(header.register_results);
        function.directives = header.directives;
    } else {
        disown(header);
    }
    const std::uint64_t room = program_.version < 81 ? max_entry_parameter_bytes_before_8_1 : max_entry_parameter_bytes;
    if (entry && function.parameter_bytes > room)
        tokens_.fail("the parameters of '" + function.name + "' take " + std::to_string(function.parameter_bytes) +
                     " bytes, more than the " + std::to_string(room) + " that PTX " +
                     std::to_string(program_.version / 10) + "." + std::to_string(program_.version % 10) + " has");
    if (body_follows) {
        function.defined = true;
        function.line = tokens_.line();
        body(function);
    } else {
        scopes_.close();
        tokens_.expect(';');
    }
}

std::uint32_t Parser::positive_value(std::string_view directive) {
    const std::uint32_t value = tokens_.expect_u32("a number");
    if (value == 0) tokens_.fail("'." + std::string(directive) + "' must not be 0");
    return value;
}

void Parser::dimensions(std::array<std::uint32_t, 3>& out, std::string_view directive) {
    std::uint32_t count = 0;
    out = {1, 1, 1};
    do out[count++] = positive_value(directive);
    while (count < 3 && tokens_.accept(','));
}

void Parser::function_directives(Directives& directives) {
    while (tokens_.peek().kind == TokenKind::DotWord) {
        const std::string_view word = tokens_.next().text;
        if (word == "maxntid") {
            dimensions(directives.maxntid, word);
        } else if (word == "reqntid") {
            dimensions(directives.reqntid, word);
        } else if (word == "minnctapersm") {
            directives.minnctapersm = positive_value(word);
        } else if (word == "maxnreg") {
            directives.maxnreg = positive_value(word);
        } else if (word == "maxnctapersm") {
            tokens_.expect_u32("a number");
        } else if (word == "noreturn") {
            directives.noreturn = true;
        } else if (word == "pragma") {
            pragmas();
        } else if (word == "explicitcluster") {
            directives.explicitcluster = true;
        } else if (word == "maxclusterrank") {
            directives.maxclusterrank = tokens_.expect_u32("a number");
        } else if (word == "reqnctapercluster") {
            dimensions(directives.reqnctapercluster, word);
        } else {
            tokens_.fail("unknown directive '." + TokenStream::shorten(word) + "'");
        }
    }
    if (directives.maxntid[0] && directives.reqntid[0]) tokens_.fail("'.maxntid' and '.reqntid' exclude each other");
}

void Parser::parameter_list(Function& function, FunctionId id, bool results) {
    tokens_.expect('(');
    if (tokens_.accept(')')) return;
    do parameter(function, id, results);
    while (tokens_.accept(','));
    tokens_.expect(')');
}

void Parser::parameter(Function& function, FunctionId id, bool results) {
    if (!function.entry && tokens_.accept_dot("reg")) return register_parameter(function, results);
    if (!tokens_.accept_dot("param")) tokens_.fail("expected .param before " + TokenStream::describe(tokens_.peek()));
    Variable variable;
    variable.space = Space::Param;
    variable.owner = id;
    variable.line = tokens_.line();
    const std::uint64_t width = type_and_vector(variable);
    const std::string_view name = tokens_.expect_word("a parameter name");
    variable.name = name;
    array_dimensions(variable);
    variable.count *= width;
    if (variable.unsized) tokens_.fail("parameter '" + TokenStream::shorten(name) + "' has no size");
    if (info(variable.type).kind == Kind::Opaque) {
        if (!function.entry) tokens_.fail("only kernels have texture and surface parameters");
        reference_declaration(variable, width);
    }
    if (!results) {
        variable.offset = align_up(function.parameter_bytes, variable.alignment);
        function.parameter_bytes = variable.offset + variable.size();
        if (function.parameter_bytes > max_entry_parameter_bytes * 1024) tokens_.fail("parameters are too large");
    }
    const VariableId variable_id = add_variable(std::move(variable), name);
    (results ? function.results : function.parameters).push_back(variable_id);
}

void Parser::register_parameter(Function& function, bool results) {
    const Type type = this->type("a register type");
    const std::string_view name = tokens_.expect_word("a register name");
    const auto id = static_cast<RegisterId>(function.registers.size());
    function.registers.push_back({std::string(name), type});
    if (!scopes_.declare(name, {Symbol::Kind::Register, 1, id}))
        tokens_.fail("'" + TokenStream::shorten(name) + "' is declared twice");
    (results ? function.register_results : function.register_parameters).push_back(id);
}

void Parser::body(Function& function) {
    const auto id = static_cast<FunctionId>(&function - program_.functions.data());
    location_ = none;
    scopes_.adopt(function);
    tokens_.expect('{');
    const std::size_t outermost = scopes_.depth();
    while (true) {
        if (tokens_.peek().kind == TokenKind::End) tokens_.fail("missing '}' at the end of '" + function.name + "'");
        if (tokens_.accept('}')) {
            scopes_.close();
            if (scopes_.depth() < outermost) break;
        } else {
            statement(function, id);
        }
    }
    finish_labels(function);
    location_ = none;
}

void Parser::finish_labels(Function& function) {
    Scopes::MissingLabel missing{};
    const std::vector<std::uint32_t> ids = scopes_.resolve_labels(function, missing);
    if (!missing.name.empty())
        throw SyntaxError(static_cast<int>(missing.line),
                          "label '" + TokenStream::shorten(missing.name) + "' is not defined");
    for (Operand& operand : function.operands)
        if (operand.kind == OperandKind::Label) operand.index = ids[operand.index];
    for (BranchTable& table : function.branch_tables)
        for (std::uint32_t& label : table.labels) label = ids[label];
}

}  // namespace cpu::ptx
