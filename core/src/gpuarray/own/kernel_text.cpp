#include "pycuda/gpuarray/own/kernel_text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <stdexcept>
#include <string_view>

#include "gpuarray/own/code_words.hpp"
#include "gpuarray/own/vector_loop.hpp"
#include "gpuarray/text.hpp"
#include "kernel_files.hpp"
#include "text/words.hpp"

namespace pycuda::gpuarray {
namespace {

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
    if (!text.use_range) return "size_t n";
    const std::string index = info(DType::Int64).c_name;
    return index + " start, " + index + " stop, " + index + " step";
}

/// A multi-line text as the body of a macro.
std::string macro_body(const std::string& text) {
    std::string body;
    for (const char c : text) body += c == '\n' ? std::string(" \\\n") : std::string(1, c);
    return body;
}

/// Macros may hide conditions.
bool defines_macros(const std::string& preamble) {
    const std::vector<std::string> words = tokens_of(preamble);
    return std::adjacent_find(words.begin(), words.end(), [](const std::string& hash, const std::string& word) {
               return hash == "#" && word == "define";
           }) != words.end();
}

}  // namespace

std::string elementwise_text(const ElementwiseText& text) {
    check_name(text.name);
    const std::optional<VectorLoop> vectors = vector_loop(text);
    return fill_in(
        kernel_files::own::elementwise_kernel,
        {{"headers", headers(text.parameters, {})},
         {"preamble", text.preamble},
         {"packs", vectors ? vectors->types : ""},
         {"name", text.name},
         {"parameters", declarators(text.parameters) + bounds_of(text)},
         {"loop", vectors ? vectors->loop
                          : fill_in(text.use_range ? kernel_files::own::range_loop : kernel_files::own::full_loop,
                                    {{"index", info(DType::Int64).c_name},
                                     {"loop_prep", text.loop_prep},
                                     {"operation", text.operation}})},
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
