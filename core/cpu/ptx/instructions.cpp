#include <optional>

#include "ptx/joined_words.hpp"
#include "ptx/parser.hpp"

namespace cpu::ptx {
namespace {

constexpr std::size_t max_parts = 24;
constexpr std::size_t max_operands = 32;

std::optional<SpecialRegister> special_named(std::string_view name, std::string_view component) {
    static const auto* const names = [] {
        auto* built = new std::unordered_map<std::string, SpecialRegister>;  // leaked, like the grammar
        for (std::size_t i = 0; i < std::size(special_table); ++i)
            built->emplace("%" + std::string(special_table[i].name), static_cast<SpecialRegister>(i));
        return built;
    }();
    std::string full(name.substr(0, 64));
    if (!component.empty()) full.append(".").append(component.substr(0, 8));
    const auto found = names->find(full);
    if (found == names->end()) return std::nullopt;
    return found->second;
}

int component_index(std::string_view word) {
    if (word.size() != 1) return -1;
    const std::size_t at = std::string_view("xyzw").find(word[0]);
    const std::size_t colour = std::string_view("rgba").find(word[0]);
    return at != word.npos ? static_cast<int>(at) : colour != word.npos ? static_cast<int>(colour) : -1;
}

Operand make(OperandKind kind, std::uint32_t index, std::uint64_t bits = 0) {
    Operand operand;
    operand.kind = kind;
    operand.index = index;
    operand.bits = bits;
    return operand;
}

}  // namespace

const Symbol& Parser::require(std::string_view name) {
    const Symbol* symbol = scopes_.find(name);
    if (!symbol) tokens_.fail("unknown name '" + TokenStream::shorten(name) + "'");
    return *symbol;
}

RegisterId Parser::predicate(std::string_view name) {
    const Symbol& symbol = require(name);
    if (symbol.kind != Symbol::Kind::Register)
        tokens_.fail("'" + TokenStream::shorten(name) + "' is not a predicate register");
    return symbol.index;
}

void Parser::guard(Function& function, Instruction& out) {
    if (!tokens_.accept('@')) return;
    out.guard_negated = tokens_.accept('!');
    out.guard = predicate(tokens_.expect_word("a predicate"));
    if (function.registers[out.guard].type != Type::Pred) tokens_.fail("a guard must be a predicate register");
}

/// The words of a mnemonic must be in order, but modifiers may come between them: vote.sync.any may also be written
/// vote.any.sync. The rest of `parts`, the modifiers, is moved to its front; `count` receives their number.
const Mnemonic& Parser::mnemonic(std::string_view root, std::span<std::string_view> parts, std::size_t& count) const {
    const auto found = grammar().roots.find(root);
    if (found != grammar().roots.end()) {
        for (const Mnemonic& candidate : found->second) {
            std::size_t matched = 0;
            for (std::size_t i = 0; i < parts.size() && matched < candidate.tail.size(); ++i)
                matched += parts[i] == candidate.tail[matched];
            if (matched < candidate.tail.size()) continue;
            matched = count = 0;
            for (const std::string_view part : parts)
                if (matched < candidate.tail.size() && part == candidate.tail[matched])
                    ++matched;
                else
                    parts[count++] = part;
            return candidate;
        }
    }
    std::string full = TokenStream::shorten(root);
    for (const std::string_view part : parts) full.append(".").append(part.substr(0, 24));
    tokens_.fail("unknown instruction '" + full + "'");
}

/// Called if there is a blank before the last of `parts`.
void Parser::require_separable(std::string_view root, std::span<const std::string_view> parts) const {
    std::string start(root);
    for (const std::string_view part : parts) start.append(".").append(part);
    if (is_joined(start)) tokens_.fail("'" + TokenStream::shorten(start) + "' must not contain blanks");
}

void Parser::set_member(Instruction& out, Group group, std::uint8_t value, std::string_view word) const {
    std::uint8_t& field = value_of(out.modifiers, group);
    if (field != 0 && group == Group::Space && out.modifiers.source_space == Space::None) {
        out.modifiers.source_space = static_cast<Space>(value);
        return;
    }
    if (field != 0)
        tokens_.fail("'." + std::string(word) + "' conflicts with an earlier modifier of '" +
                     std::string(name(out.opcode)) + "'");
    field = value;
}

void Parser::modifier(Instruction& out, std::string_view text) const {
    const auto found = grammar().words.find(text);
    const OpcodeForms& forms = grammar().forms(out.opcode);
    if (found != grammar().words.end()) {
        const Word& word = found->second;
        if (word.type != Type::None) {
            for (Type& slot : out.types)
                if (slot == Type::None) {
                    slot = word.type;
                    return;
                }
            tokens_.fail("'" + std::string(name(out.opcode)) + "' has too many types");
        }
        if (word.flag != Flag::Count && (forms.flags >> static_cast<unsigned>(word.flag) & 1)) {
            out.modifiers.flags |= 1u << static_cast<unsigned>(word.flag);
            return;
        }
        const Word::Member* taken = nullptr;  // the first without a value yet, or else the last
        for (std::size_t i = 0; i < word.member_count; ++i) {
            if (!(forms.groups >> static_cast<unsigned>(word.members[i].group) & 1)) continue;
            taken = &word.members[i];
            if (value_of(out.modifiers, taken->group) == 0) break;
        }
        if (taken) return set_member(out, taken->group, taken->value, text);
    }
    tokens_.fail("'." + TokenStream::shorten(text) + "' is not a modifier of '" + std::string(name(out.opcode)) + "'");
}

void Parser::instruction(Function& function) {
    Instruction out;
    out.line = tokens_.line();
    out.location = location_;
    out.first_operand = static_cast<std::uint32_t>(function.operands.size());
    guard(function, out);
    const std::string_view root = tokens_.expect_word("an instruction");
    std::array<std::string_view, max_parts> parts;
    std::size_t count = 0;
    for (; tokens_.peek().kind == TokenKind::DotWord; ++count) {
        if (count == max_parts) tokens_.fail("'" + TokenStream::shorten(root) + "' has too many modifiers");
        parts[count] = tokens_.peek().text;
        const std::string_view before = count ? parts[count - 1] : root;
        const bool blank = parts[count].data() != before.data() + before.size() + 1;
        if (blank) require_separable(root, {parts.data(), count + 1});
        tokens_.next();
    }
    const Mnemonic& found = mnemonic(root, {parts.data(), count}, count);
    if (found.opcode == Opcode::Count)
        throw SyntaxError(static_cast<int>(out.line),
                          "instruction '" + std::string(found.spelling) + "' is not supported",
                          SyntaxError::Reason::Unsupported);
    out.opcode = found.opcode;
    for (std::size_t i = 0; i < count; ++i) modifier(out, parts[i]);
    if (root == "bar" && out.modifiers.has(Flag::Aligned))
        tokens_.fail("'bar' takes no .aligned: it always is; only 'barrier' takes it");
    operands(function, out);
    tokens_.expect(';');
    function.instructions.push_back(out);
}

void Parser::add(Function& function, Instruction& out, const Operand& operand) {
    if (out.operand_count == max_operands) tokens_.fail("too many operands");
    function.operands.push_back(operand);
    ++out.operand_count;
}

void Parser::operands(Function& function, Instruction& out) {
    if (tokens_.peek().is(';')) return;
    if (out.opcode == Opcode::Call) return call(function, out);
    if (out.opcode == Opcode::Bra) {
        const std::uint32_t line = tokens_.line();
        const std::uint32_t label = scopes_.use_label(tokens_.expect_word("a label"), line);
        return add(function, out, make(OperandKind::Label, label));
    }
    do {
        if (tokens_.peek().is('[')) {
            bracket(function, out);
            continue;
        }
        add(function, out, operand(function));
        if (out.operand_count == 1 && tokens_.accept('|')) {
            out.paired = true;
            add(function, out, operand(function));
        }
    } while (tokens_.accept(','));
}

Operand Parser::operand(Function& function) {
    const Token& token = tokens_.peek();
    const Token& second = tokens_.peek_second();
    const bool minus = token.is('-') && second.kind == TokenKind::Word && second.text != "WARP_SZ";
    if (token.is('!') || minus) return negated_operand(function);
    if (token.is('{')) return vector_operand(function);
    if (token.kind == TokenKind::Word && token.text != "WARP_SZ") return named_operand(function);
    return constant_operand();
}

/// `!` before a predicate, `-` before any other register.
Operand Parser::negated_operand(Function& function) {
    const bool inverts = tokens_.next().is('!');
    Operand out = named_operand(function);
    if (out.kind != OperandKind::Register || (function.registers[out.index].type == Type::Pred) != inverts)
        tokens_.fail(inverts ? "only a predicate can be inverted" : "only a number in a register can be negated");
    out.negated = true;
    return out;
}

Operand Parser::constant_operand() {
    const ConstantValue value = parse_constant(tokens_);
    Operand out = make(OperandKind::Immediate, none, value.bits);
    out.type = value.kind == TokenKind::Float32   ? Type::F32
               : value.kind == TokenKind::Float64 ? Type::F64
               : value.is_unsigned                ? Type::U64
                                                  : Type::S64;
    return out;
}

Operand Parser::named_operand(Function& function) {
    const std::string_view name = tokens_.next().text;
    if (name == "_") return make(OperandKind::Sink, none);
    if (const Symbol* symbol = scopes_.find(name)) {
        Operand out = symbol_operand(function, *symbol, name);
        const bool selects = out.kind == OperandKind::Register && tokens_.peek().kind == TokenKind::DotWord;
        if (selects) out.bits = selector();
        return out;
    }
    std::string_view component;
    if (tokens_.peek().kind == TokenKind::DotWord && name.starts_with('%')) component = tokens_.next().text;
    if (const auto special = special_named(name, component))
        return make(OperandKind::Special, static_cast<std::uint32_t>(*special));
    tokens_.fail("unknown name '" + TokenStream::shorten(name) + "'");
}

/// The bits of a Selector. The verifier checks that the instruction accepts it.
std::uint32_t Parser::selector() {
    const std::string_view word = tokens_.next().text;
    const std::string_view elements = word.substr(1);
    Selector out;
    out.bytes = word[0] == 'b' ? 1 : 2;
    out.count = static_cast<std::uint8_t>(elements.size());
    const bool fits = (word[0] == 'b' || word[0] == 'h') && elements.size() >= 1 && elements.size() <= 4 &&
                      elements.find_first_not_of("01234567") == elements.npos;
    if (!fits) tokens_.fail("'." + TokenStream::shorten(word) + "' is not a component of a register");
    for (const char digit : elements) out.elements = static_cast<std::uint16_t>(out.elements << 4 | (digit - '0'));
    return std::bit_cast<std::uint32_t>(out);
}

Operand Parser::symbol_operand(Function& function, const Symbol& symbol, std::string_view name) {
    switch (symbol.kind) {
        case Symbol::Kind::Register:
            return make(OperandKind::Register, symbol.index);
        case Symbol::Kind::Function:
            return make(OperandKind::FunctionAddress, symbol.index);
        case Symbol::Kind::BranchTable:
            return make(OperandKind::BranchTable, symbol.index);
        case Symbol::Kind::Variable: {
            std::uint64_t offset = 0;
            if (tokens_.peek().is('+') || tokens_.peek().is('-')) offset = parse_integer(tokens_, "an offset");
            return make(OperandKind::Address, symbol.index, offset);
        }
        case Symbol::Kind::VectorRegister: {
            if (tokens_.peek().kind == TokenKind::DotWord) {
                const int component = component_index(tokens_.next().text);
                if (component < 0 || component >= symbol.lanes) tokens_.fail("no such vector component");
                return make(OperandKind::Register, symbol.index + static_cast<std::uint32_t>(component));
            }
            Operand vector = make(OperandKind::Vector, static_cast<std::uint32_t>(function.elements.size()));
            vector.count = symbol.lanes;
            for (std::uint32_t lane = 0; lane < symbol.lanes; ++lane)
                function.elements.push_back(make(OperandKind::Register, symbol.index + lane));
            return vector;
        }
        case Symbol::Kind::Prototype:
        case Symbol::Kind::CallTargets:
            break;
    }
    tokens_.fail("'" + TokenStream::shorten(name) + "' cannot be an operand here");
}

Operand Parser::vector_operand(Function& function) {
    tokens_.expect('{');
    std::array<Operand, 8> elements;
    std::size_t count = 0;
    do {
        if (count == elements.size()) tokens_.fail("a vector has at most 8 elements");
        if (tokens_.peek().is('{')) tokens_.fail("vectors do not nest");
        elements[count++] = operand(function);
        if (elements[count - 1].kind == OperandKind::Vector) tokens_.fail("vectors do not nest");
    } while (tokens_.accept(','));
    tokens_.expect('}');
    elements[0].braces = count == 1;
    if (count == 1) return elements[0];
    Operand vector = make(OperandKind::Vector, static_cast<std::uint32_t>(function.elements.size()));
    vector.count = static_cast<std::uint8_t>(count);
    function.elements.insert(function.elements.end(), elements.begin(), elements.begin() + count);
    return vector;
}

/// `[base + offset]`, or `[texture, sampler, coordinates]`, which is flattened.
void Parser::bracket(Function& function, Instruction& out) {
    tokens_.expect('[');
    Operand memory = memory_operand(function);
    if (!tokens_.peek().is(',')) {
        tokens_.expect(']');
        if (tokens_.accept_dot("unified")) modifier(out, "unified");
        return add(function, out, memory);
    }
    if (memory.kind == OperandKind::MemoryAbsolute || memory.bits != 0)
        tokens_.fail("expected a texture, surface or sampler");
    memory.kind = memory.kind == OperandKind::Memory ? OperandKind::Register : OperandKind::Address;
    add(function, out, memory);
    std::size_t count = 1;
    while (tokens_.accept(',')) {
        add(function, out, operand(function));
        ++count;
    }
    tokens_.expect(']');
    if (count > 3) tokens_.fail("too many operands in a texture address");
    out.separate_sampler = count == 3;
}

Operand Parser::memory_operand(Function& function) {
    if (starts_constant(tokens_.peek()))
        return make(OperandKind::MemoryAbsolute, none, parse_integer(tokens_, "an address"));
    const std::string_view name = tokens_.expect_word("an address");
    Operand base = symbol_operand(function, require(name), name);
    if (base.kind == OperandKind::Register) {
        if (tokens_.peek().is('+') || tokens_.peek().is('-')) base.bits = parse_integer(tokens_, "an offset");
        base.kind = OperandKind::Memory;
    } else if (base.kind == OperandKind::Address) {
        base.kind = OperandKind::MemoryVariable;
    } else {
        tokens_.fail("'" + TokenStream::shorten(name) + "' is not an address");
    }
    return base;
}

std::vector<Operand> Parser::call_list(Function& function) {
    std::vector<Operand> list;
    tokens_.expect('(');
    if (tokens_.accept(')')) return list;
    do list.push_back(operand(function));
    while (tokens_.accept(','));
    tokens_.expect(')');
    return list;
}

/// `call [(results),] function|register [, (arguments)] [, prototype|targets];`
void Parser::call(Function& function, Instruction& out) {
    Call call;
    if (tokens_.peek().is('(')) {
        call.results = call_list(function);
        tokens_.expect(',');
    }
    call.callee = named_operand(function);
    if (call.callee.kind != OperandKind::FunctionAddress && call.callee.kind != OperandKind::Register)
        tokens_.fail("only a function or a register can be called");
    if (tokens_.peek().is(',') && tokens_.peek_second().is('(')) {
        tokens_.next();
        call.arguments = call_list(function);
    }
    if (tokens_.accept(',')) {
        const Symbol& symbol = require(tokens_.expect_word("a prototype"));
        if (symbol.kind == Symbol::Kind::Prototype)
            call.prototype = symbol.index;
        else if (symbol.kind == Symbol::Kind::CallTargets)
            call.target_list = symbol.index;
        else
            tokens_.fail("expected a .callprototype or .calltargets label");
    }
    function.calls.push_back(std::move(call));
    add(function, out, make(OperandKind::Call, static_cast<std::uint32_t>(function.calls.size() - 1)));
}

}  // namespace cpu::ptx
