#include <algorithm>
#include <bit>

#include "ptx/parser.hpp"

namespace cpu::ptx {
namespace {

// More than any device's address space, and small enough that no product or sum of sizes overflows.
constexpr std::uint64_t max_bytes = std::uint64_t{1} << 47;
constexpr std::uint64_t max_alignment = 1u << 20;
constexpr std::size_t max_dimensions = 16;

Space variable_space(std::string_view word) {
    if (word == "global" || word == "tex") return Space::Global;
    if (word == "const") return Space::Const;
    if (word == "shared" || word == "shared::cta") return Space::Shared;
    if (word == "local") return Space::Local;
    if (word == "param") return Space::Param;
    return Space::None;
}

std::uint64_t float_pattern(Type type, const ConstantValue& value) {
    double number = value.kind == TokenKind::Float32
                        ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value.bits)))
                        : std::bit_cast<double>(value.bits);
    if (type == Type::F64 || type == Type::B64) {
        if (value.kind == TokenKind::Float64) return value.bits;
        return std::bit_cast<std::uint64_t>(number);
    }
    if (value.kind == TokenKind::Float32) return value.bits;
    return std::bit_cast<std::uint32_t>(static_cast<float>(number));
}

struct Property {
    std::string_view name;
    std::string_view types;  ///< the variables that have it: t texref, s samplerref, u surfref
};
constexpr Property property_table[] = {
    {"width", "tu"},         {"height", "tu"},
    {"depth", "tu"},         {"channel_data_type", "tu"},
    {"channel_order", "tu"}, {"array_size", "tu"},
    {"memory_layout", "u"},  {"normalized_coords", "t"},
    {"filter_mode", "ts"},   {"num_mipmap_levels", "t"},
    {"addr_mode_0", "ts"},   {"addr_mode_1", "ts"},
    {"addr_mode_2", "ts"},   {"force_unnormalized_coords", "s"},
};

bool has_property(Type type, std::string_view name) {
    const char letter = type == Type::Texref ? 't' : type == Type::Samplerref ? 's' : 'u';
    return std::ranges::any_of(property_table, [&](const Property& property) {
        return property.name == name && property.types.find(letter) != property.types.npos;
    });
}

bool is_property_value(std::string_view word) {
    if (word[0] >= '0' && word[0] <= '9') return true;
    constexpr std::string_view values[] = {"wrap",    "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border",
                                           "nearest", "linear"};
    return std::ranges::find(values, word) != std::end(values);
}

}  // namespace

bool Parser::starts_variable(const Token& token) const noexcept {
    return token.kind == TokenKind::DotWord && variable_space(token.text) != Space::None;
}

Linkage Parser::linkage() {
    if (tokens_.accept_dot("visible")) return Linkage::Visible;
    if (tokens_.accept_dot("extern")) return Linkage::Extern;
    if (tokens_.accept_dot("weak")) return Linkage::Weak;
    if (tokens_.accept_dot("common")) return Linkage::Common;
    return Linkage::Local;
}

Type Parser::type(const char* what) {
    const Token token = tokens_.next();
    if (token.kind == TokenKind::DotWord) {
        const auto found = grammar().words.find(token.text);
        if (found != grammar().words.end() && found->second.type != Type::None) return found->second.type;
    }
    tokens_.fail(std::string("expected ") + what + " before " + TokenStream::describe(token));
}

std::uint32_t Parser::alignment() {
    const std::uint64_t value = tokens_.expect_integer("an alignment");
    if (!std::has_single_bit(value) || value > max_alignment) tokens_.fail("alignment must be a power of two");
    return static_cast<std::uint32_t>(value);
}

/// `[.attribute(...)] [.align n] [.v2|.v4] .type [.ptr ...]`, in any order before the type. Returns the vector width.
std::uint64_t Parser::type_and_vector(Variable& variable) {
    std::uint64_t width = 1;
    std::uint32_t given = 0;
    while (true) {
        if (tokens_.accept_dot("align"))
            given = alignment();
        else if (tokens_.accept_dot("v2"))
            width = 2;
        else if (tokens_.accept_dot("v4"))
            width = 4;
        else if (tokens_.peek().is_dot("attribute"))
            attributes(variable);
        else
            break;
    }
    variable.type = type("a type");
    if (variable.type == Type::Pred) tokens_.fail("only registers can be predicates");
    variable.alignment = bytes(variable.type) * static_cast<std::uint32_t>(width);
    if (tokens_.peek().is_dot("ptr")) pointer_attribute(variable);
    if (tokens_.accept_dot("align")) given = alignment();
    if (given) variable.alignment = given;
    return width;
}

void Parser::attributes(Variable& variable) {
    tokens_.next();
    tokens_.expect('(');
    do {
        if (tokens_.accept_dot("managed")) {
            variable.managed = true;
        } else if (tokens_.accept_dot("unified")) {
            tokens_.expect('(');
            parse_integer(tokens_, "an attribute");
            tokens_.expect(',');
            parse_integer(tokens_, "an attribute");
            tokens_.expect(')');
        } else {
            tokens_.fail("unknown attribute " + TokenStream::describe(tokens_.peek()));
        }
    } while (tokens_.accept(','));
    tokens_.expect(')');
}

/// `.ptr [.space] [.align n]`: describes the memory that a pointer parameter points to.
void Parser::pointer_attribute(Variable& variable) {
    tokens_.next();
    variable.pointer = true;
    if (starts_variable(tokens_.peek())) tokens_.next();
    if (tokens_.accept_dot("align")) alignment();
}

void Parser::array_dimensions(Variable& variable) {
    const std::uint64_t limit = max_bytes / 16;
    for (std::size_t dimensions = 0; tokens_.accept('['); ++dimensions) {
        if (tokens_.accept(']')) {
            if (dimensions > 0) tokens_.fail("only the first dimension of an array may be left out");
            variable.unsized = true;
            continue;
        }
        const std::uint64_t size = parse_integer(tokens_, "an array size");
        tokens_.expect(']');
        if (dimensions == max_dimensions) tokens_.fail("too many dimensions");
        if (size > limit || (size && variable.count > limit / size))
            tokens_.fail("array '" + TokenStream::shorten(variable.name) + "' is too large");
        variable.count *= size;
    }
}

void Parser::variable_statement(Linkage linkage, FunctionId owner) {
    const std::string_view space = tokens_.next().text;
    if (space == "const" && tokens_.peek().is('['))
        throw SyntaxError(static_cast<int>(tokens_.line()), "banks of constant memory (.const[n]) are not supported",
                          SyntaxError::Reason::Unsupported);
    Variable pattern;
    pattern.space = variable_space(space);
    pattern.linkage = linkage;
    pattern.owner = owner;
    pattern.line = tokens_.line();
    const std::uint64_t width = type_and_vector(pattern);
    if (pattern.space == Space::Local && owner == none)
        tokens_.fail(".local variables must be declared inside functions");
    if (space == "tex") {
        if (program_.version >= 15) tokens_.fail("'.tex' was removed after PTX 1.4: declare a '.global .texref'");
        pattern.type = Type::Texref;
    }
    if (info(pattern.type).kind == Kind::Opaque) reference_declaration(pattern, width);
    do {
        Variable variable = pattern;
        const std::string_view name = tokens_.expect_word("a name");
        variable.name = name;
        array_dimensions(variable);
        variable.count *= width;
        if (tokens_.accept('='))
            initialiser(variable);
        else if (variable.unsized && !(linkage == Linkage::Extern || pattern.space == Space::Param))
            tokens_.fail("array '" + variable.name + "' has no size");
        add_variable(std::move(variable), name);
    } while (tokens_.accept(','));
    tokens_.expect(';');
}

/// Reject a texture, surface or sampler variable that ptxas would reject.
void Parser::reference_declaration(const Variable& variable, std::uint64_t width) const {
    const bool parameter = variable.space == Space::Param;
    if (variable.space != Space::Global && !parameter) tokens_.fail("texture and surface variables must be .global");
    if (variable.owner != none && !parameter)
        tokens_.fail("texture and surface variables must be declared outside functions");
    if (width > 1) tokens_.fail("texture and surface variables cannot be vectors");
    if (variable.linkage == Linkage::Common) tokens_.fail("texture and surface variables cannot be .common");
    if (variable.type == Type::Samplerref && !program_.independent_textures)
        tokens_.fail("sampler variables need .target texmode_independent");
}

void Parser::initialiser(Variable& variable) {
    if (variable.space != Space::Global && variable.space != Space::Const)
        tokens_.fail("only .global and .const variables can have initial values");
    if (info(variable.type).kind == Kind::Opaque) return properties(variable);
    if (tokens_.peek().is('{'))
        initialiser_list(variable);
    else
        initialiser_value(variable, 0);
    if (!variable.unsized) return;
    const std::uint64_t row = variable.count * bytes(variable.type);  // the first dimension is still counted as one
    const std::uint64_t rows = row ? (variable.data.size() + row - 1) / row : 0;
    if (rows == 0) tokens_.fail("array '" + variable.name + "' has no size");
    variable.count *= rows;
    variable.unsized = false;
}

/// Nested braces do not change the layout: like the assembler, this stores the values contiguously.
void Parser::initialiser_list(Variable& variable) {
    const std::uint64_t step = bytes(variable.type);
    const std::uint64_t room = variable.unsized ? max_bytes : variable.size();
    std::uint64_t at = 0;
    std::size_t depth = 0;
    do {
        if (tokens_.accept('{')) {
            ++depth;
            continue;
        }
        if (!tokens_.peek().is('}')) {
            if (at + step > room) tokens_.fail("too many initial values for '" + variable.name + "'");
            initialiser_value(variable, at);
            at += step;
        }
        while (depth > 0 && tokens_.accept('}')) --depth;
        if (depth > 0) tokens_.expect(',');
    } while (depth > 0);
}

void Parser::store(Variable& variable, std::uint64_t bits) {
    for (unsigned i = 0; i < bytes(variable.type); ++i)
        variable.data.push_back(static_cast<std::uint8_t>(i < 8 ? bits >> (8 * i) : 0));
}

/// Reads `symbol`, `symbol+n` or `generic(symbol)+n`. False if the next token does not start one of these.
bool Parser::address_value(Relocation& relocation) {
    if (tokens_.peek().kind != TokenKind::Word || tokens_.peek().text == "WARP_SZ") return false;
    if (tokens_.peek().text == "generic" && tokens_.peek_second().is('(')) {
        tokens_.next();
        tokens_.next();
        relocation.generic = true;
    }
    const std::string_view name = tokens_.expect_word("a variable");
    const Symbol* symbol = scopes_.find_at_module(name);
    if (!symbol) tokens_.fail("unknown name '" + TokenStream::shorten(name) + "' in an initial value");
    relocation.is_function = symbol->kind == Symbol::Kind::Function;
    relocation.symbol = symbol->index;
    if (relocation.generic) tokens_.expect(')');
    if (tokens_.peek().is('+') || tokens_.peek().is('-'))
        relocation.addend = static_cast<std::int64_t>(parse_integer(tokens_, "an offset"));
    return true;
}

void Parser::initialiser_value(Variable& variable, std::uint64_t at) {
    const unsigned size = bytes(variable.type);
    Relocation relocation;
    relocation.offset = at;
    relocation.size = size;
    if (address_value(relocation)) {
        if (size != 4 && size != 8) tokens_.fail("an address does not fit the type of '" + variable.name + "'");
        store(variable, 0);
        variable.relocations.push_back(relocation);
        return;
    }
    // The mask form, 0xFF00(symbol), selects one byte of an address.
    if (tokens_.peek().kind == TokenKind::Integer && tokens_.peek_second().is('(')) {
        const std::uint64_t mask = tokens_.next().bits;
        tokens_.next();
        relocation.shift = mask ? static_cast<std::uint32_t>(std::countr_zero(mask)) : 0;
        if (mask == 0 || mask >> relocation.shift != 0xff || relocation.shift % 8)
            tokens_.fail("mask() must select one byte");
        if (!address_value(relocation))
            tokens_.fail("expected a variable before " + TokenStream::describe(tokens_.peek()));
        tokens_.expect(')');
        if (size != 1) tokens_.fail("mask() can only initialise bytes");
        store(variable, 0);
        variable.relocations.push_back(relocation);
        return;
    }
    const ConstantValue value = parse_constant(tokens_);
    const bool is_float_value = value.kind != TokenKind::Integer;
    const bool plain = variable.type == Type::F32 || variable.type == Type::F64 || variable.type == Type::B32 ||
                       variable.type == Type::B64;
    if (is_float_value && !plain) tokens_.fail("a floating-point value cannot initialise '" + variable.name + "'");
    if (!is_float_value && (variable.type == Type::F32 || variable.type == Type::F64)) {
        const double number =
            value.is_unsigned ? static_cast<double>(value.bits) : static_cast<double>(value.as_signed());
        const ConstantValue as_float{TokenKind::Float64, false, std::bit_cast<std::uint64_t>(number)};
        return store(variable, float_pattern(variable.type, as_float));
    }
    store(variable, is_float_value ? float_pattern(variable.type, value) : value.bits);
}

/// `{ addr_mode_0 = clamp_to_border, filter_mode = linear, ... }`. Like the assembler, this accepts any value for any
/// property.
void Parser::properties(Variable& variable) {
    tokens_.expect('{');
    while (!tokens_.peek().is('}')) {
        const std::string_view key = tokens_.expect_word("a property");
        if (!has_property(variable.type, key)) tokens_.fail("unknown property '" + TokenStream::shorten(key) + "'");
        tokens_.expect('=');
        std::string value;
        if (tokens_.peek().kind == TokenKind::Integer)
            value = std::to_string(tokens_.next().bits);
        else
            value = tokens_.expect_word("a value");
        if (!is_property_value(value)) tokens_.fail("unknown property value '" + TokenStream::shorten(value) + "'");
        variable.properties.emplace_back(key, std::move(value));
        if (!tokens_.accept(',')) break;
    }
    tokens_.expect('}');
}

VariableId Parser::add_variable(Variable&& variable, std::string_view name) {
    variable.name = name;
    if (variable.count > max_bytes / 16 / bytes(variable.type))
        tokens_.fail("array '" + TokenStream::shorten(name) + "' is too large");
    const auto id = static_cast<VariableId>(program_.variables.size());
    const bool of_module = scopes_.depth() == 0;
    const Symbol symbol{Symbol::Kind::Variable, 1, id};
    if (of_module ? declare_at_module(name, symbol, variable.linkage) : scopes_.declare(name, symbol)) {
        program_.variables.push_back(std::move(variable));
        return id;
    }
    // A module's variable may be declared .extern first and defined later, or declared again.
    const Symbol* known = of_module ? scopes_.find_at_module(name) : nullptr;
    if (!known || known->kind != Symbol::Kind::Variable)
        tokens_.fail("'" + TokenStream::shorten(name) + "' is declared twice");
    Variable& earlier = program_.variables[known->index];
    if (replaces(earlier, known->index, variable)) earlier = std::move(variable);
    return known->index;
}

void Parser::register_statement(Function& function) {
    tokens_.next();
    unsigned lanes = 1;
    if (tokens_.accept_dot("v2"))
        lanes = 2;
    else if (tokens_.accept_dot("v4"))
        lanes = 4;
    const Type type = this->type("a register type");
    if (info(type).kind == Kind::Opaque) tokens_.fail("registers must have a fundamental type");
    do {
        const std::string_view name = tokens_.expect_word("a register name");
        if (tokens_.accept('<')) {
            if (lanes > 1) tokens_.fail("parameterised names of vector registers are not supported");
            if (!scopes_.declare_registers(name, tokens_.expect_integer("a register count"), type))
                tokens_.fail("too many register declarations");
            tokens_.expect('>');
            continue;
        }
        const auto id = static_cast<RegisterId>(function.registers.size());
        const auto kind = lanes > 1 ? Symbol::Kind::VectorRegister : Symbol::Kind::Register;
        if (!scopes_.declare(name, {kind, static_cast<std::uint8_t>(lanes), id}))
            tokens_.fail("'" + TokenStream::shorten(name) + "' is declared twice");
        for (unsigned lane = 0; lane < lanes; ++lane) {
            Register& reg = function.registers.emplace_back(Register{std::string(name), type});
            if (lanes > 1) reg.name += std::string(".") + "xyzw"[lane];
        }
    } while (tokens_.accept(','));
    tokens_.expect(';');
}

}  // namespace cpu::ptx
