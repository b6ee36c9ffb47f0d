#include "pycuda/gpuarray/kernel_parameters.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "gpuarray/text.hpp"
#include "text/words.hpp"

namespace pycuda::gpuarray {

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
    constexpr int plain_long = sizeof(long) == 8 ? 3 : 2;
    return types[chars ? 0 : shorts ? 1 : longs == 2 ? 3 : longs == 1 ? plain_long : 2][is_unsigned];
}

}  // namespace pycuda::gpuarray
