#include "gpuarray/sort_source.hpp"

#include "gpuarray/device_types.hpp"
#include "gpuarray/text.hpp"
#include "kernel_files.hpp"

namespace pycuda::gpuarray {
namespace {

// Loops are short and seldom unrolled: compile time grows with their length, and while a warp waits for memory,
// others run.

const char* bits_type(DType dtype) {
    static constexpr const char* types[] = {"", "unsigned char",     "unsigned short", "", "unsigned", "", "",
                                            "", "unsigned long long"};
    return types[info(dtype).size];
}

std::string common_text(DType dtype) {
    const DTypeInfo& row = info(dtype);
    const std::string top = "Bits(1) << " + std::to_string(8 * row.size - 1);
    std::string order;
    if (row.kind == DTypeKind::Bool) order = "    bits = bits != 0;\n";
    if (row.kind == DTypeKind::Signed) order = "    bits ^= " + top + ";\n";
    if (row.kind == DTypeKind::Floating) {
        // The bits of a NaN, with either sign, are above those of infinity: it becomes the largest key.
        static constexpr const char* infinities[] = {
            "", "", "0x7c00", "", "0x7f800000u", "", "", "", "0x7ff0000000000000ull"};
        const std::string infinity = dtype == DType::BFloat16 ? "0x7f80" : infinities[row.size];
        order = "    if (Bits(bits & ~(" + top + ")) > Bits(" + infinity + ")) return ~Bits(0);\n" +
                "    if (bits == Bits(" + top + ")) bits = 0;  // zeros are equal\n" + "    bits = bits & " + top +
                " ? Bits(~bits) : Bits(bits | " + top + ");\n";
    }
    return fill_in(kernel_files::sort::common, {{"bits", bits_type(dtype)}, {"order", order}});
}

KernelSource source_of(const std::string& what, const std::string& text, DType dtype) {
    KernelSource source;
    source.name = what + "_" + info(dtype).short_name;
    source.text = with_includes(common_text(dtype) + fill_in(text, {{"name", source.name}}));
    return source;
}

std::string tiles_text(unsigned items) {
    return kernel_files::block::sum_up_to + fill_in(kernel_files::sort::tiles, {{"items", std::to_string(items)}});
}

}  // namespace

KernelSource ranks_source(DType dtype) {
    return source_of("sort_ranks", kernel_files::sort::ranks, dtype);
}

KernelSource whole_row_source(DType dtype, unsigned items, bool with_indices) {
    namespace texts = kernel_files::sort;
    const std::string text =
        fill_in(texts::whole_row, {{"name", "$name$"},
                                   {"indices_parameter", with_indices ? ", long long* indices_to" : ""},
                                   {"index", with_indices ? texts::index_of_key : ""},
                                   {"indices_moved", with_indices ? texts::indices_in_row : ""},
                                   {"store", with_indices ? "indices_to[row_begin + first + k * 32] = index[k];"
                                                          : "keys_to[row_begin + first + k * 32] = own[k];"}});
    return source_of((with_indices ? "sort_row_indices" : "sort_row") + std::to_string(items), tiles_text(items) + text,
                     dtype);
}

KernelSource digit_counts_source(DType dtype) {
    return source_of("sort_counts", kernel_files::sort::counts, dtype);
}

KernelSource digit_moves_source(DType dtype, bool with_indices, bool wide) {
    const std::string text = fill_in(
        kernel_files::sort::moves,
        {{"name", "$name$"},
         {"state", wide ? "unsigned long long" : "unsigned"},
         {"indices_parameters", with_indices ? ", void* indices_to, const unsigned* indices_from, unsigned last" : ""},
         {"indices_moved", with_indices ? kernel_files::sort::indices_moved : ""}});
    return source_of(with_indices ? "sort_moves_indices" : "sort_moves",
                     tiles_text(sort_tile(dtype) / sort_threads) + text, dtype);
}

KernelSource mark_first_source(DType dtype) {
    return source_of("mark_first", kernel_files::sort::mark, dtype);
}

KernelSource search_source(DType dtype) {
    return source_of("search", kernel_files::sort::search, dtype);
}

}  // namespace pycuda::gpuarray
