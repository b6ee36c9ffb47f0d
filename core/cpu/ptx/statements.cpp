#include "ptx/parser.hpp"

namespace cpu::ptx {
namespace {

// Inlined assembly has one or two levels. The limit bounds the look-up of names, which searches every enclosing scope.
constexpr std::size_t max_scopes = 64;

}  // namespace

void Parser::statement(Function& function, FunctionId id) {
    const Token& token = tokens_.peek();
    if (token.is('{')) {
        if (scopes_.depth() >= max_scopes) tokens_.fail("blocks are nested too deeply");
        tokens_.next();
        return scopes_.open();
    }
    if (token.kind == TokenKind::DotWord) return body_directive(function, id);
    if (token.kind == TokenKind::Word && tokens_.peek_second().is(':')) return labelled(function);
    instruction(function);
}

void Parser::body_directive(Function& function, FunctionId id) {
    const std::string_view word = tokens_.peek().text;
    if (word == "reg") return register_statement(function);
    if (word == "loc") return location_directive();
    if (tokens_.accept_dot("pragma")) return static_cast<void>(pragmas());
    const Linkage given = linkage();
    if (!starts_variable(tokens_.peek())) tokens_.fail("unknown directive " + TokenStream::describe(tokens_.peek()));
    variable_statement(given, id);
}

SourceLocation Parser::source_position() {
    SourceLocation at;
    at.file = first_file_ + tokens_.expect_u32("a file index");
    at.line = tokens_.expect_u32("a line");
    at.column = tokens_.expect_u32("a column");
    return at;
}

/// Reads the position after inlined_at, and returns the index of the last location with that position.
std::uint32_t Parser::inlining_location() {
    const SourceLocation at = source_position();
    const auto known = positions_.find({at.file, at.line, at.column});
    if (known == positions_.end()) tokens_.fail("inlined_at needs the position of an earlier .loc");
    return known->second;
}

/// `.loc file line column [, function_name label [+ n], inlined_at file line column]`; it has no semicolon.
void Parser::location_directive() {
    tokens_.next();
    SourceLocation location = source_position();
    if (tokens_.accept(',')) {
        tokens_.expect_keyword("function_name");
        tokens_.expect_word("a label");
        if (tokens_.accept('+')) tokens_.expect_integer("an offset");
        tokens_.expect(',');
        tokens_.expect_keyword("inlined_at");
        const std::uint32_t caller = inlining_location();
        const std::uint32_t outermost = program_.locations[caller].outermost;
        location.outermost = outermost == none ? caller : outermost;
    }
    location_ = static_cast<std::uint32_t>(program_.locations.size());
    program_.locations.push_back(location);
    positions_[{location.file, location.line, location.column}] = location_;
}

void Parser::labelled(Function& function) {
    const std::string_view name = tokens_.next().text;
    tokens_.next();
    if (tokens_.accept_dot("branchtargets")) return branch_targets(function, name);
    if (tokens_.accept_dot("calltargets")) return call_targets(function, name);
    if (tokens_.accept_dot("callprototype")) return call_prototype(function, name);
    if (!scopes_.declare_label(name, static_cast<std::uint32_t>(function.instructions.size())))
        tokens_.fail("label '" + TokenStream::shorten(name) + "' is declared twice");
}

void Parser::branch_targets(Function& function, std::string_view name) {
    BranchTable& table = function.branch_tables.emplace_back();
    table.name = name;
    do {
        const std::uint32_t line = tokens_.line();
        table.labels.push_back(scopes_.use_label(tokens_.expect_word("a label"), line));
    } while (tokens_.accept(','));
    tokens_.expect(';');
    const auto index = static_cast<std::uint32_t>(function.branch_tables.size() - 1);
    if (!scopes_.declare(name, {Symbol::Kind::BranchTable, 1, index}))
        tokens_.fail("'" + TokenStream::shorten(name) + "' is declared twice");
}

void Parser::call_targets(Function& function, std::string_view name) {
    std::vector<FunctionId>& list = function.target_lists.emplace_back();
    do {
        const Symbol& symbol = require(tokens_.expect_word("a function"));
        if (symbol.kind != Symbol::Kind::Function) tokens_.fail(".calltargets must list functions");
        list.push_back(symbol.index);
    } while (tokens_.accept(','));
    tokens_.expect(';');
    const auto index = static_cast<std::uint32_t>(function.target_lists.size() - 1);
    if (!scopes_.declare(name, {Symbol::Kind::CallTargets, 1, index}))
        tokens_.fail("'" + TokenStream::shorten(name) + "' is declared twice");
}

/// `name: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[16]) [.noreturn];`
void Parser::call_prototype(Function& function, std::string_view name) {
    Prototype prototype;
    prototype.name = name;
    if (tokens_.peek().is('(')) prototype.results = prototype_parameters();
    tokens_.expect_word("'_'");
    if (tokens_.peek().is('(')) prototype.parameters = prototype_parameters();
    Directives directives;
    function_directives(directives);
    prototype.noreturn = directives.noreturn;
    tokens_.expect(';');
    function.prototypes.push_back(std::move(prototype));
    const auto index = static_cast<std::uint32_t>(function.prototypes.size() - 1);
    if (!scopes_.declare(name, {Symbol::Kind::Prototype, 1, index}))
        tokens_.fail("'" + TokenStream::shorten(name) + "' is declared twice");
}

std::vector<ParameterShape> Parser::prototype_parameters() {
    std::vector<ParameterShape> shapes;
    tokens_.expect('(');
    if (tokens_.accept(')')) return shapes;
    do {
        ParameterShape& shape = shapes.emplace_back();
        shape.is_register = tokens_.accept_dot("reg");
        if (!shape.is_register && !tokens_.accept_dot("param"))
            tokens_.fail("expected .param before " + TokenStream::describe(tokens_.peek()));
        Variable variable;
        const std::uint64_t width = type_and_vector(variable);
        variable.name = tokens_.expect_word("a name");
        array_dimensions(variable);
        shape.type = variable.type;
        shape.count = variable.count * width;
        shape.alignment = variable.alignment;
    } while (tokens_.accept(','));
    tokens_.expect(')');
    return shapes;
}

}  // namespace cpu::ptx
