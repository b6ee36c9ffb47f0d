// Several joined texts, as from the linker: decides to which text a name belongs, and which definition is used.
#include "ptx/inputs.hpp"

#include <algorithm>
#include <charconv>

#include "ptx/device_library.hpp"
#include "ptx/parser.hpp"

namespace cpu::ptx {
namespace {

// Pragmas that join() and limit_registers() insert.
constexpr std::string_view next_input = "pycuda: next input";
constexpr std::string_view last_input = "pycuda: linked";
constexpr std::string_view max_registers = "pycuda: registers ";

std::string pragma(std::string_view text) {
    return "\n.pragma \"" + std::string(text) + "\";\n";
}

/// Of several definitions of one name, the strongest is used.
int strength(Linkage linkage) {
    switch (linkage) {
        case Linkage::Extern:
            return 0;
        case Linkage::Common:
            return 1;
        case Linkage::Weak:
            return 2;
        default:
            return 3;
    }
}

}  // namespace

std::string join(std::span<const std::string> texts) {
    std::string joined = texts.front();
    for (const std::string& text : texts.subspan(1)) (joined += pragma(next_input)) += text;
    return joined += pragma(last_input);
}

void limit_registers(std::string& text, unsigned max) {
    text += pragma(std::string(max_registers) + std::to_string(max));
}

/// What follows .pragma: `"text" {, "text"};`
std::vector<std::string_view> Parser::pragmas() {
    std::vector<std::string_view> texts;
    do {
        if (tokens_.peek().kind != TokenKind::String) tokens_.fail("expected a string in .pragma");
        texts.push_back(tokens_.next().text);
    } while (tokens_.accept(','));
    tokens_.expect(';');
    return texts;
}

void Parser::module_pragma() {
    tokens_.next();
    for (std::string_view text : pragmas()) {
        if (text == next_input) {
            begin_input();
        } else if (text == last_input) {
            program_.linked = true;
        } else if (text.starts_with(max_registers)) {
            text.remove_prefix(max_registers.size());
            std::from_chars(text.data(), text.data() + text.size(), program_.max_registers);
        } else if (text != "nounroll") {
            tokens_.fail("pragma '" + TokenStream::shorten(text) + "' is not permitted outside functions");
        }
    }
}

void Parser::begin_input() {
    for (const auto& [name, elsewhere] : own_names_) {
        if (elsewhere)
            scopes_.rebind(name, *elsewhere);
        else
            scopes_.forget(name);
    }
    own_names_.clear();
    own_variables_ = static_cast<VariableId>(program_.variables.size());
    own_functions_ = static_cast<FunctionId>(program_.functions.size());
    first_file_ = next_file_;
    module_header();
}

/// Adds our version of NVIDIA's library of device functions, if the text declares one of its functions.
void Parser::add_device_library() {
    const bool wanted = std::ranges::any_of(program_.functions, [](const Function& function) {
        return !function.defined && device_library_defines(function.name);
    });
    if (!wanted) return;
    tokens_ = TokenStream(device_library);
    begin_input();
    while (tokens_.peek().kind != TokenKind::End) module_statement();
}

bool Parser::is_earlier(const Symbol& symbol) const noexcept {
    return symbol.index < (symbol.kind == Symbol::Kind::Function ? own_functions_ : own_variables_);
}

/// False if the name is already declared, and this declaration must not hide the one of an earlier input.
bool Parser::declare_at_module(std::string_view name, Symbol symbol, Linkage linkage) {
    const Symbol* const known = scopes_.find_at_module(name);
    if (known && (linkage != Linkage::Local || !is_earlier(*known))) return false;
    if (linkage == Linkage::Local) own_names_.try_emplace(name, known ? std::optional(*known) : std::nullopt);
    scopes_.rebind(name, symbol);
    return true;
}

/// True if the new definition replaces the function's earlier one. Two strong definitions are an error.
bool Parser::replaces(Function& earlier, FunctionId id, Linkage linkage) const {
    const int before = strength(earlier.linkage), now = strength(linkage);
    if (!is_earlier_function(id) || (before == now && linkage != Linkage::Weak))
        tokens_.fail("function '" + TokenStream::shorten(earlier.name) + "' is defined twice");
    if (now <= before) return false;
    Function fresh;
    fresh.name = earlier.name;
    fresh.entry = earlier.entry;
    earlier = std::move(fresh);
    return true;
}

bool Parser::replaces(const Variable& earlier, VariableId id, const Variable& variable) const {
    const int before = strength(earlier.linkage), now = strength(variable.linkage);
    if (before == 0) return true;
    if (now == 0) return false;
    if (id >= own_variables_ || (before == now && before == strength(Linkage::Visible)))
        tokens_.fail("'" + TokenStream::shorten(variable.name) + "' is declared twice");
    return now > before || (variable.linkage == Linkage::Common && variable.size() > earlier.size());
}

/// Skips the body of a function whose earlier definition is used.
void Parser::skip_body(const Function& header) {
    disown(header);
    scopes_.close();
    skip_braces();
}

/// Another header of the function is used, so the variables that this one declares need no storage.
void Parser::disown(const Function& header) {
    for (const VariableId id : header.parameters) program_.variables[id].owner = none;
    for (const VariableId id : header.results) program_.variables[id].owner = none;
}

}  // namespace cpu::ptx
