#include "gpuarray/own/vector_loop.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <vector>

#include "gpuarray/own/code_words.hpp"
#include "gpuarray/text.hpp"
#include "kernel_files.hpp"

namespace pycuda::gpuarray {
namespace {

namespace pieces = kernel_files::own;

/// How the code uses a vector. Statements are numbered.
struct Vector {
    static constexpr std::size_t never = ~std::size_t{0};
    const KernelParameterText* parameter;
    std::size_t first_write = never, last_write = never, last_read = never;

    bool is_read() const { return last_read != never; }
    bool is_written() const { return last_write != never; }
};

bool is_blank(const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isspace(c); });
}

bool is_plain(const std::vector<std::string>& words) {
    static constexpr std::string_view marks = "+-*/%=()[],;<>";
    static constexpr std::array<std::string_view, 13> others{"n",      "continue",      "break",    "do",    "case",
                                                             "asm",    "static",        "volatile", "union", "tid",
                                                             "struct", "total_threads", "cta_start"};
    for (std::size_t k = 0; k < words.size(); ++k) {
        const std::string& word = words[k];
        if (std::find(others.begin(), others.end(), word) != others.end()) return false;
        // "1.5" and ".5" are numbers with a point; other points are of members.
        const auto begins_with_digit = [&](std::size_t at) {
            return at < words.size() && std::isdigit(static_cast<unsigned char>(words[at][0]));
        };
        const bool after_operand = k > 0 && (is_word(words[k - 1][0]) || words[k - 1] == "]" || words[k - 1] == ")");
        const bool is_point =
            word == "." && ((k > 0 && begins_with_digit(k - 1)) || (!after_operand && begins_with_digit(k + 1)));
        if (!is_word(word[0]) && !is_point && marks.find(word[0]) == marks.npos) return false;
        if (word == "/" && k + 1 < words.size() && (words[k + 1] == "/" || words[k + 1] == "*")) return false;
    }
    return true;
}

/// The use of a vector; nothing if it is used otherwise than as x[i], or in a way that is not understood.
std::optional<Vector> use_of(const KernelParameterText& parameter, const std::vector<std::string>& words) {
    Vector vector{&parameter};
    std::size_t statement = 0;
    const auto word = [&](std::size_t at) { return at < words.size() ? std::string_view(words[at]) : ""; };
    for (std::size_t k = 0; k < words.size(); ++k) {
        statement += words[k] == ";";
        if (words[k] != parameter.name) continue;
        if (word(k + 1) != "[" || word(k + 2) != "i" || word(k + 3) != "]") return std::nullopt;
        const std::string_view next = word(k + 4), second = word(k + 5);
        const auto is_step = [](std::string_view a, std::string_view b) { return a == b && (a == "+" || a == "-"); };
        if (next == "[" || next == "(" || is_step(next, second) || (k > 1 && is_step(words[k - 2], words[k - 1])))
            return std::nullopt;
        const bool assigns = next == "=" && second != "=";
        const bool updates =
            (next.size() == 1 && std::string_view("+-*/%").find(next[0]) != std::string_view::npos && second == "=") ||
            ((next == "<" || next == ">") && second == next && word(k + 6) == "=");
        if (!assigns) vector.last_read = statement;
        if (!assigns && !updates) continue;
        vector.last_write = statement;
        if (vector.first_write == Vector::never) vector.first_write = statement;
    }
    return vector;
}

/// Vectors may be the same array. Then what a statement reads may be what an earlier one wrote to another vector.
bool may_read_results(const std::vector<Vector>& vectors) {
    for (const Vector& one : vectors)
        for (const Vector& other : vectors)
            if (&one != &other && one.is_read() && other.is_written() && one.last_read > other.first_write) return true;
    return false;
}

/// The code with `vector[i]` as an element of its pack.
std::string with_packs(const std::string& code, const std::vector<Vector>& vectors) {
    std::string text;
    for (std::size_t k = 0; k < code.size();) {
        if (!is_word(code[k])) {
            text += code[k++];
            continue;
        }
        std::size_t end = k;
        while (end < code.size() && is_word(code[end])) ++end;
        const std::string word = code.substr(k, end - k);
        text += word;
        k = end;
        const auto known = [&](const Vector& vector) { return vector.parameter->name == word; };
        if (std::none_of(vectors.begin(), vectors.end(), known)) continue;
        k = code.find(']', k) + 1;
        text += "_pycuda.v[pycuda_j]";
    }
    return text;
}

}  // namespace

std::optional<VectorLoop> vector_loop(const ElementwiseText& text) {
    const std::vector<std::string> words = tokens_of(text.operation);
    const bool is_simple = !text.use_range && text.bounds.empty() && is_blank(text.preamble) &&
                           is_blank(text.loop_prep) && is_blank(text.after_loop) && is_plain(words) &&
                           !leaves_out_indices(words);
    if (!is_simple) return std::nullopt;
    std::vector<Vector> vectors;
    std::size_t widest = 1;
    for (const KernelParameterText& parameter : text.parameters) {
        if (!parameter.is_vector) continue;
        const std::optional<Vector> vector = use_of(parameter, words);
        const std::optional<DType> dtype = dtype_of_c_name(parameter.type);
        if (!vector || !dtype || is_complex(*dtype) || info(*dtype).kind == DTypeKind::Bool) return std::nullopt;
        if (*dtype == DType::Float16 || *dtype == DType::BFloat16) return std::nullopt;
        if (!vector->is_read() && !vector->is_written()) continue;
        vectors.push_back(*vector);
        widest = std::max<std::size_t>(widest, info(*dtype).size);
    }
    const bool writes = std::any_of(vectors.begin(), vectors.end(), [](const Vector& v) { return v.is_written(); });
    if (!writes || vectors.size() > 8 || may_read_results(vectors)) return std::nullopt;
    // The last value that was written stays, as if elements were written one by one.
    const auto order = [](const Vector& v) { return v.is_written() ? v.last_write : 0; };
    std::ranges::stable_sort(vectors, {}, order);
    std::string aligned, loads, stores;
    for (const Vector& vector : vectors) {
        const auto add = [&](const char* piece) {
            return fill_in(piece, {{"type", vector.parameter->type}, {"name", vector.parameter->name}});
        };
        aligned += add(pieces::vector_is_aligned);
        loads += add(vector.is_read() ? pieces::load_vector : pieces::declare_vector);
        if (vector.is_written()) stores += add(pieces::store_vector);
    }
    const std::string width = std::to_string(16 / widest);
    return VectorLoop{fill_in(pieces::vector_pack, {{"width", width}}),
                      fill_in(pieces::vector_loop, {{"width", width},
                                                    {"aligned", aligned},
                                                    {"loads", loads},
                                                    {"of_packs", with_packs(text.operation, vectors)},
                                                    {"stores", stores},
                                                    {"operation", text.operation}})};
}

}  // namespace pycuda::gpuarray
