#include "pycuda/gpuarray/kernel_text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <stdexcept>
#include <string_view>

#include "gpuarray/text.hpp"
#include "kernel_files.hpp"
#include "text/words.hpp"

namespace pycuda::gpuarray {
namespace {

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Identifiers, and runs of other non-blank characters: "const pycuda::complex<float> *x" has seven tokens.
std::vector<std::string> tokens_of(const std::string& text) {
    std::vector<std::string> tokens;
    bool joined = false;
    for (const char c : text) {
        if (std::isspace(static_cast<unsigned char>(c))) {
            joined = false;
            continue;
        }
        const bool joins = joined && is_word(c) && is_word(tokens.back().back());
        if (joins)
            tokens.back() += c;
        else
            tokens.push_back(std::string(1, c));
        joined = true;
    }
    return tokens;
}

/// The #include lines that parameters of these types need.
std::string headers(const std::vector<KernelParameterText>& parameters, const std::string& more) {
    std::string text = "#include <pycuda-complex.hpp>\n";
    const auto uses = [&](const char* type) {
        return more == type || std::any_of(parameters.begin(), parameters.end(),
                                           [&](const KernelParameterText& p) { return p.type == type; });
    };
    if (uses("__half")) text += "#include <cuda_fp16.h>\n";
    if (uses("__nv_bfloat16")) text += "#include <cuda_bf16.h>\n";
    return text;
}

std::string declarators(const std::vector<KernelParameterText>& parameters) {
    std::string text;
    for (const KernelParameterText& parameter : parameters) text += parameter.declarator() + ", ";
    return text;
}

void check_name(const std::string& name) {
    const bool good = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
                      std::all_of(name.begin(), name.end(), is_word);
    if (!good) throw std::invalid_argument("'" + name + "' is not a valid kernel name: expected a C identifier");
}

std::string bounds_of(const ElementwiseText& text) {
    if (!text.bounds.empty()) return text.bounds;
    return text.use_range ? "long start, long stop, long step" : "size_t n";
}

/// A multi-line text as the body of a macro.
std::string macro_body(const std::string& text) {
    std::string body;
    for (const char c : text) body += c == '\n' ? std::string(" \\\n") : std::string(1, c);
    return body;
}

/// True if the code may access fewer elements than there are indices: it has conditions, or declares its own i.
bool leaves_out_indices(const std::vector<std::string>& words) {
    static constexpr std::array<std::string_view, 9> conditions{"?",   "if",     "&",      "|",   "while",
                                                                "for", "switch", "return", "goto"};
    for (std::size_t k = 0; k < words.size(); ++k) {
        if (std::find(conditions.begin(), conditions.end(), words[k]) != conditions.end()) return true;
        if (words[k] != "i") continue;
        const auto word = [&](std::size_t at) { return at < words.size() ? std::string_view(words[at]) : ""; };
        const bool is_declared = k > 0 && is_word(words[k - 1][0]);
        const bool is_assigned = (word(k + 1) == "=") != (word(k + 2) == "=") && word(k + 1) != "]" &&
                                 word(k + 1) != "<" && word(k + 1) != ">" && word(k + 1) != "!";
        const auto steps = [](std::string_view a, std::string_view b) { return a == b && (a == "+" || a == "-"); };
        const bool is_stepped = steps(word(k + 1), word(k + 2)) || (k > 1 && steps(words[k - 2], words[k - 1]));
        if (is_declared || is_assigned || is_stepped) return true;
    }
    return false;
}

/// Macros may hide conditions.
bool defines_macros(const std::string& preamble) {
    const std::vector<std::string> words = tokens_of(preamble);
    return std::adjacent_find(words.begin(), words.end(), [](const std::string& hash, const std::string& word) {
               return hash == "#" && word == "define";
           }) != words.end();
}

}  // namespace

KernelParameterText parse_parameter(const std::string& declaration) {
    const auto refuse = [&]() -> KernelParameterText {
        throw std::invalid_argument("'" + declaration +
                                    "' is not a C parameter declaration such as 'float *x' or 'int n'");
    };
    std::vector<std::string> tokens = tokens_of(declaration);
    std::erase_if(tokens, [](const std::string& token) {
        return token == "const" || token == "volatile" || token == "restrict" || token == "__restrict__" ||
               token == "__restrict";
    });
    KernelParameterText parameter;
    if (!tokens.empty() && tokens.back() == "]") {
        while (!tokens.empty() && tokens.back() != "[") tokens.pop_back();
        if (tokens.empty()) return refuse();
        tokens.pop_back();
        parameter.is_vector = true;
    }
    if (tokens.empty() || !is_word(tokens.back()[0]) || std::isdigit(static_cast<unsigned char>(tokens.back()[0])))
        return refuse();
    parameter.name = tokens.back();
    tokens.pop_back();
    while (!tokens.empty() && tokens.back() == "*") {
        tokens.pop_back();
        parameter.is_vector = true;
    }
    for (std::size_t k = 0; k < tokens.size(); ++k) {
        const bool plain =
            is_word(tokens[k][0]) || tokens[k] == ":" || tokens[k] == "<" || tokens[k] == ">" || tokens[k] == ",";
        if (!plain) return refuse();
        if (k > 0 && is_word(tokens[k][0]) && is_word(tokens[k - 1].back())) parameter.type += ' ';
        parameter.type += tokens[k];
    }
    return parameter.type.empty() ? refuse() : parameter;
}

std::vector<KernelParameterText> parse_parameters(const std::string& list) {
    std::vector<KernelParameterText> parameters;
    if (std::all_of(list.begin(), list.end(), [](unsigned char c) { return std::isspace(c); })) return parameters;
    int depth = 0;
    std::string one;
    for (const char c : list + ",") {
        if (c == '<' || c == '(') ++depth;
        if (c == '>' || c == ')') --depth;
        if (c != ',' || depth > 0) {
            one += c;
            continue;
        }
        parameters.push_back(parse_parameter(one));
        one.clear();
    }
    if (depth > 0) throw std::invalid_argument("unbalanced brackets in the parameter list '" + list + "'");
    return parameters;
}

std::optional<DType> dtype_of_c_name(const std::string& name) {
    for (int k = 0; k < dtype_count; ++k)
        if (name == info(static_cast<DType>(k)).c_name) return static_cast<DType>(k);
    // The keywords of an integer type may have any order.
    int longs = 0, shorts = 0, chars = 0, ints = 0, is_signed = 0, is_unsigned = 0;
    for (const std::string& word : words_of(name)) {
        int* count = word == "long"       ? &longs
                     : word == "short"    ? &shorts
                     : word == "char"     ? &chars
                     : word == "int"      ? &ints
                     : word == "signed"   ? &is_signed
                     : word == "unsigned" ? &is_unsigned
                                          : nullptr;
        if (!count) return std::nullopt;
        ++*count;
    }
    const bool sensible = longs <= 2 && shorts <= 1 && chars <= 1 && ints <= 1 && is_signed + is_unsigned <= 1 &&
                          (longs > 0) + shorts + chars <= 1 && !(chars && ints);
    if (!sensible || longs + shorts + chars + ints + is_signed + is_unsigned == 0) return std::nullopt;
    const DType types[4][2] = {{DType::Int8, DType::UInt8},
                               {DType::Int16, DType::UInt16},
                               {DType::Int32, DType::UInt32},
                               {DType::Int64, DType::UInt64}};
    return types[chars ? 0 : shorts ? 1 : longs ? 3 : 2][is_unsigned];
}

std::string elementwise_text(const ElementwiseText& text) {
    check_name(text.name);
    return fill_in(kernel_files::own::elementwise_kernel,
                   {{"headers", headers(text.parameters, {})},
                    {"preamble", text.preamble},
                    {"name", text.name},
                    {"parameters", declarators(text.parameters) + bounds_of(text)},
                    {"loop", fill_in(text.use_range ? kernel_files::own::range_loop : kernel_files::own::full_loop,
                                     {{"loop_prep", text.loop_prep}, {"operation", text.operation}})},
                    {"after_loop", text.after_loop}});
}

VectorUse vector_use(const std::vector<KernelParameterText>& parameters, const std::string& code,
                     const std::string& preamble) {
    const std::vector<std::string> words = tokens_of(code);
    const bool every_index = !leaves_out_indices(words) && !defines_macros(preamble);
    VectorUse use;
    use.names_count = std::find(words.begin(), words.end(), "n") != words.end();
    for (const KernelParameterText& parameter : parameters) {
        bool used = false, elsewhere = false;
        for (std::size_t k = 0; k < words.size(); ++k) {
            if (words[k] != parameter.name) continue;
            used = true;
            elsewhere |= k + 3 >= words.size() || words[k + 1] != "[" || words[k + 2] != "i" || words[k + 3] != "]";
        }
        use.at_every_index.push_back(every_index && parameter.is_vector && used && !elsewhere);
    }
    return use;
}

std::string reduction_text(const ReductionText& text) {
    check_name(text.name);
    if (text.block_size > 1024 || !std::has_single_bit(text.block_size))
        throw std::invalid_argument("the block size of a reduction must be a power of two up to 1024, not " +
                                    std::to_string(text.block_size));
    if (text.stage != 1 && text.stage != 2)
        throw std::invalid_argument("the stage of a reduction must be 1 or 2, not " + std::to_string(text.stage));
    const bool second = text.stage == 2;
    return fill_in(
        kernel_files::own::reduction,
        {{"headers", headers(text.parameters, text.out_type)},
         {"block_size", std::to_string(text.block_size)},
         {"map", second                  ? "pycuda_reduction_inp[i]"
                 : text.map_expr.empty() ? "in[i]"
                                         : macro_body(text.map_expr)},
         {"reduce", macro_body(text.reduce_expr)},
         {"preamble", text.preamble},
         {"out_type", text.out_type},
         {"name", text.name},
         {"parameters", (second ? "const out_type *pycuda_reduction_inp, " : "") + declarators(text.parameters)},
         {"neutral", text.neutral}});
}

ReductionGeometry reduction_geometry(std::uint64_t n, unsigned block_size) {
    constexpr std::uint64_t max_blocks = 1024, elements = 4;
    const std::uint64_t of_a_block = block_size * elements;
    if (n <= of_a_block) return {1, static_cast<unsigned>(elements)};
    if (n <= of_a_block * max_blocks) return {static_cast<unsigned>((n + of_a_block - 1) / of_a_block), elements};
    const std::uint64_t of_all = block_size * max_blocks;
    const std::uint64_t each = (n + of_all - 1) / of_all;
    if (each > 0xffffffffu) throw std::invalid_argument("too many elements for a reduction: " + std::to_string(n));
    return {max_blocks, static_cast<unsigned>(each)};
}

}  // namespace pycuda::gpuarray
