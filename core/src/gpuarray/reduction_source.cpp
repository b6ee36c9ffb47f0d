#include "gpuarray/reduction_source.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <string>

#include "gpuarray/device_types.hpp"
#include "gpuarray/text.hpp"
#include "kernel_files.hpp"

namespace pycuda::gpuarray {
namespace {

/// Several independent sums. The source is longer, but bytes arrive so fast that a single dependent sum would take
/// longer than the loads.
constexpr const char* sum_before_loop = "        S sums# = $nothing$;\n";
/// Without the neutral element, which makes NaN of the finite part of an infinite number.
constexpr const char* complex_product = "a == A(1) ? b : b == A(1) ? a : a * b";
constexpr const char* sum_in_loop = "            sums# = combine(sums#, next#);\n";

using std::to_string;
using Accumulator = ReductionInfo::Accumulator;

constexpr ReductionInfo reduction_infos[] = {
#define X(name, arity, accumulator, neutral, map, combine, finish, ...) \
    {#name, arity, Accumulator::accumulator, neutral, map, combine, finish, {__VA_ARGS__}},
#include "pycuda/gpuarray/reductions.def"
#undef X
};

bool is_row(Team team) {
    return team == Team::Warp || team == Team::EightLanes;
}

bool is_block(Team team) {
    return team == Team::All || team == Team::Block;
}

/// The last 32 lanes of a block are one warp; the other threads are done by then.
std::string join_text(Team team) {
    if (team == Team::Threads) return {};
    return fill_in(kernel_files::reduction::join,
                   {{"threads", to_string(threads_of(team))},
                    {"goes_on", is_block(team) ? " && (count > 32 || lane < 32)" : ""},
                    {"wait", is_row(team)     ? "__syncwarp();"
                             : is_block(team) ? "if (count > 32) __syncthreads(); else __syncwarp();"
                                              : "__syncthreads();"},
                    {"apart", team == Team::Columns ? "space.width" : "1"}});
}

std::string neutral_text(const ReductionKey& key) {
    std::string text = info(key.op).neutral;
    const DType dtype = arithmetic_dtype(key.accumulator);
    if (text.starts_with("@nan_or_"))
        text = is_floating(dtype) ? "__int_as_float(0x7fc00000)" : "@" + text.substr(std::strlen("@nan_or_"));
    if (text == "@lowest") text = lowest_value(dtype);
    if (text == "@highest") text = highest_value(dtype);
    return info(key.op).accumulator == Accumulator::Index ? "A(" + text + ", ~0ull)" : text;
}

bool packs_results(const ReductionKey& key) {
    return key.pack > 1 && key.team == Team::Columns;
}

bool packs_elements(const ReductionKey& key) {
    return key.pack > 1 && key.team != Team::Columns;
}

/// Whether the moments of a pack's elements are computed together.
bool has_moments_of_packs(const ReductionKey& key) {
    return packs_elements(key) && info(key.op).accumulator == Accumulator::Moments;
}

/// The types with which packs are loaded, and what their elements have in common.
std::string pack_text(const ReductionKey& key) {
    if (key.pack == 1) return {};
    const std::string pack = to_string(key.pack);
    std::string text = fill_in(kernel_files::reduction::pack_type,
                               {{"pack", pack}, {"alignment", key.aligned ? "sizeof(E) * " + pack : "alignof(E)"}});
    if (has_moments_of_packs(key)) text += fill_in(kernel_files::reduction::moments_of_pack, {{"pack", pack}});
    return text;
}

/// The threads of a block, and how many blocks must fit on a processor. Moments would take a few registers more than
/// leave room for all blocks of a large array on an H100 at once: the rest would run alone, on a third of the
/// processors.
std::string bounds_text(const ReductionKey& key) {
    const std::string threads = to_string(threads_of(key.team));
    const bool is_tight = key.team == Team::Block && has_moments_of_packs(key) && key.accumulator == DType::Float32;
    return is_tight ? threads + ", 8" : threads;
}

/// How many elements to load ahead, to keep the memory busy.
int elements_ahead(const ReductionKey& key) {
    if (key.team == Team::All) return 2;
    if (key.team == Team::Threads) return 4;
    if (packs_results(key)) return 2;
    // Packs of bytes, and of elements with an index, need much code.
    if (packs_elements(key) && info(key.op).accumulator == Accumulator::Index) return 1;
    if (packs_elements(key) && key.pack == 16) return 2;
    const int bytes = info(key.in[0]).size * info(key.op).arity * static_cast<int>(key.pack);
    return key.team == Team::Columns || bytes > 8 ? (bytes <= 16 ? 4 : 2) : 8;
}

/// Adds the elements that were loaded together, name0, name1, ..., pairwise.
std::string add_up(const std::string& name, int count, const std::string& indent) {
    std::string text;
    for (int half = count / 2; half > 0; half /= 2)
        for (int k = 0; k < half; ++k) {
            const std::string own = name + to_string(k);
            text += indent + own + " = combine(" + own + ", " + name + to_string(k + half) + ");\n";
        }
    return text + indent + "sum = combine(sum, " + name + "0);\n";
}

/// Advances the pointers along the axes of results; the remaining index is the position along the first.
std::string to_result_text(int rank, const std::string& moves) {
    std::string axes;
    for (int axis = rank - 1; axis >= 0; --axis)
        axes += each(axis, axis + 1,
                     fill_in(kernel_files::reduction::along_result_axis,
                             {{"at_coordinate", axis > 0 ? kernel_files::reduction::coordinate_along_result
                                                         : "const long long at = rest;"},
                              {"moves", moves}}));
    return fill_in(kernel_files::reduction::to_result, {{"axes", axes}});
}

std::string offsets_text(int rank, int inputs) {
    std::string axes;
    for (int axis = rank - 1; axis > 0; --axis) {
        const std::string moves = each(0, inputs, "        at# += here * space.stride[#][" + to_string(axis) + "];\n");
        axes += each(axis, axis + 1, fill_in(kernel_files::reduction::along_reduced_axis, {{"moves", moves}}));
    }
    return fill_in(kernel_files::reduction::element_offsets,
                   {{"offsets", each(0, inputs, "    Offset at# = 0;\n")},
                    {"axes", axes},
                    {"last", each(0, inputs, "    at# += static_cast<Offset>(rest) * space.stride[#][0];\n")}});
}

std::string name_of(const ReductionKey& key) {
    static constexpr const char* teams[] = {"_all", "_block", "_warp", "_eighth", "_columns", "_threads"};
    static constexpr const char* stages[] = {"", "_stage1", "_stage2"};
    std::string name = info(key.op).name;
    for (int k = 0; k < info(key.op).arity; ++k) name += std::string("_") + info(key.in[k]).short_name;
    if (key.out != key.in[0]) name += std::string("_to_") + info(key.out).short_name;
    name += teams[static_cast<int>(key.team)];
    name += "_" + to_string(key.result_rank) + to_string(key.rank);
    if (key.pack > 1) name += (key.aligned ? "_by" : "_each") + to_string(key.pack);
    return name + (key.wide ? "_wide" : "") + stages[static_cast<int>(key.stage)];
}

/// The number of the element of type `type` at an address; for elements that are computed.
std::string index_of(const std::string& address, const std::string& type) {
    return "reinterpret_cast<unsigned long long>(" + address + ") / sizeof(" + type + ")";
}

/// The element of operand k at an address.
std::string element_of(const ComputedOperands* computed, int k, const std::string& type, const std::string& address) {
    return computed ? "computed.at(" + index_of(address, type) + ").r" + to_string(k)
                    : "*reinterpret_cast<const " + type + "*>(" + address + ")";
}

/// The pack of operand k: of results at the address `at`, or number r of those from `first` on.
std::string pack_of(const ComputedOperands* computed, const ReductionKey& key, int k, const std::string& type,
                    const std::string& first, const std::string& at) {
    if (computed)
        return "pack" + to_string(k) + "(computed, " +
               (packs_results(key) ? index_of(at, type)
                                   : index_of(first, type) + " + r * " + to_string(key.pack) + "ull") +
               ")";
    const std::string from = "reinterpret_cast<const Pack<" + type + ">*>(";
    return packs_results(key) ? "*" + from + at + ")" : from + first + ")[r]";
}

const char* accumulator_type(Accumulator accumulator) {
    if (accumulator == Accumulator::Index) return kernel_files::reduction::index_type;
    if (accumulator == Accumulator::Moments) return kernel_files::reduction::moments_type;
    return "typedef V A;  // the type to accumulate in\n";
}

}  // namespace

Reduction reduction_of_name(const char* name) {
    for (std::size_t k = 0; k < std::size(reduction_infos); ++k)
        if (std::strcmp(reduction_infos[k].name, name) == 0) return static_cast<Reduction>(k);
    throw std::invalid_argument(std::string("unknown reduction '") + name + "'");
}

unsigned threads_of(Team team) {
    return team == Team::All ? 1024 : 256;
}

unsigned lanes_of(Team team) {
    static constexpr unsigned lanes[] = {1024, 256, 32, 8, 1, 1};
    return lanes[static_cast<int>(team)];
}

KernelKey ReductionKey::packed() const {
    return KernelFields(Family::Reduction)
        .field(op)
        .field(stage)
        .field(team)
        .field(in[0])
        .field(in[1])
        .field(accumulator)
        .field(out)
        .field<4>(result_rank)
        .field<4>(rank)
        .field(wide)
        .field<5>(pack)
        .field(aligned);
}

const ReductionInfo& info(Reduction op) {
    return reduction_infos[static_cast<std::size_t>(op)];
}

unsigned widest_pack(const ReductionKey& key) {
    const ReductionInfo& row = info(key.op);
    const bool with_index = row.accumulator == Accumulator::Index;
    if (key.team == Team::Threads || (with_index && (key.team == Team::Columns || info(key.in[0]).size == 8))) return 1;
    std::size_t widest = key.team == Team::Columns ? 4 : 1;
    for (int k = 0; k < row.arity; ++k) widest = std::max<std::size_t>(widest, info(key.in[k]).size);
    const auto pack = static_cast<unsigned>(16 / widest);
    return key.team == Team::Columns && widest > 8 ? 1 : pack;
}

std::size_t accumulator_bytes(Reduction op, DType accumulator) {
    const auto size = static_cast<std::size_t>(info(arithmetic_dtype(accumulator)).size);
    if (info(op).accumulator == Accumulator::Moments) return 4 * size;
    if (info(op).accumulator != Accumulator::Index) return size;
    return 8 + std::max<std::size_t>(8, size);
}

KernelSource reduction_source(const ReductionKey& key, const ComputedOperands* computed) {
    const ReductionInfo& row = info(key.op);
    const bool second = key.stage == Stage::Second, with_index = row.accumulator == Accumulator::Index;
    const int inputs = second ? 1 : row.arity;
    // any and all test the operand itself; other operations first convert it to the accumulator's type.
    const bool asked = row.accumulator == Accumulator::Truth || key.op == Reduction::count_nonzero;
    const DType accumulated = arithmetic_dtype(key.accumulator);
    const bool is_complex_product = is_complex(key.accumulator) && row.neutral == std::string_view("A(1)");
    const std::string combine = is_complex_product ? complex_product : row.combine;
    std::string types, operands, given, arguments, loads, packs, elements, first_of_pack, singles, moves, map;
    if (computed) arguments = "computed, ";
    for (int k = 0; k < inputs; ++k) {
        const std::string upper(1, static_cast<char>('I' + k)), lower(1, static_cast<char>('a' + k));
        const std::string own = arithmetic_type(key.in[k]), value = "static_cast<" + own + ">(" + lower + ")";
        types += "typedef " + (second ? "A" : storage_type(key.in[k])) + " " + upper + ";\n";
        operands += "const " + upper + "& " + lower + ", ";
        given += "const char* " + lower + ", ";
        arguments += lower + ", ";
        const std::string at = lower + " + at" + to_string(k);
        loads += element_of(computed, k, upper, at) + ", ";
        packs +=
            "    const Pack<" + upper + "> " + lower + "s = " + pack_of(computed, key, k, upper, lower, at) + ";\n";
        elements += lower + (packs_results(key) ? "s.v[#], " : "s.v[j], ");
        first_of_pack += lower + "s.v[0], ";
        singles += computed ? "computed.at(" + index_of(lower, upper) + " + last).r" + to_string(k) + ", "
                            : "reinterpret_cast<const " + upper + "*>(" + lower + ")[last], ";
        moves += "            " + lower + " += at * space.result_stride[" + to_string(k + 1) + "][#];\n";
        const std::string operand = asked ? value : converted(value, arithmetic_dtype(key.in[k]), accumulated);
        if (!second) map += std::string("    const ") + (asked ? own : "V") + " " + "xy"[k] + " = " + operand + ";\n";
        if (!second && std::strstr(row.map, "is_nan"))
            map += "    const bool is_nan = " + value + " != " + value + ";\n";
    }
    map += second       ? "    return a;\n"
           : with_index ? "    return A(x, i);\n"
                        : fill_in("    return static_cast<A>($map$);\n", {{"map", row.map}});
    const std::string store =
        key.stage == Stage::First
            ? "*reinterpret_cast<A*>(out + part * space.results * sizeof(A)) = a;"
            : "const double n = space.elements;\n        static_cast<void>(n);\n        *reinterpret_cast<R*>(out) = " +
                  converted(row.finish, with_index ? DType::Int64 : accumulated, key.out) + ";";
    const std::string neutral = neutral_text(key), pack = to_string(key.pack);
    const std::string lanes = key.team == Team::All ? "blockDim.x" : to_string(lanes_of(key.team));
    const bool columns = key.team == Team::Columns, block = is_block(key.team);
    const std::string results = columns ? "static_cast<unsigned long long>(space.width)"
                                        : to_string(threads_of(key.team) / lanes_of(key.team)) + "ull";
    const std::string offsets = offsets_text(key.rank, inputs);
    const int in_pack = static_cast<int>(key.pack), ahead = elements_ahead(key);
    const std::string element =
        packs_results(key)
            ? offsets + fill_in(kernel_files::reduction::element_of_results,
                                {{"packs", packs}, {"maps", each(0, in_pack, "map(" + elements + "r), ")}})
        : packs_elements(key)
            ? fill_in(has_moments_of_packs(key) ? kernel_files::reduction::moments_of_elements
                                                : kernel_files::reduction::elements_of_result,
                      {{"packs", packs}, {"pack", pack}, {"first_of_pack", first_of_pack}, {"elements", elements}})
            : offsets + "    return map(" + loads + "r);\n";
    const std::string exact = with_index && packs_elements(key)
                                  ? fill_in(kernel_files::reduction::index_in_pack,
                                            {{"nothing", neutral}, {"pack", pack}, {"singles", singles}})
                                  : "";
    const std::string stores =
        packs_results(key) ? each(0, in_pack,
                                  fill_in(kernel_files::reduction::packed_result,
                                          {{"last", to_string(std::max(key.result_rank, 1) - 1)}, {"store", store}}))
                           : fill_in(kernel_files::reduction::one_result, {{"exact", exact}, {"store", store}});
    const std::string nothing = packs_results(key) ? "nothing()" : neutral;
    // Small integers are compared in full registers.
    const bool is_small = with_index && info(accumulated).size < 4;
    const std::string value = is_small ? "int" : arithmetic_type(key.accumulator);
    const bool side_by_side = packs_elements(key) && info(key.in[0]).size == 1;
    KernelSource source;
    source.name = (computed ? computed->name + "_" : "") + name_of(key);
    source.compute = key.accumulator;
    source.result = key.out;
    source.rounds = true;
    source.text = fill_in(
        kernel_files::reduction::kernel,
        {{"includes", computed && computed->is_complex
                          ? includes_for({DType::Complex64})
                          : includes_for({key.in[0], key.in[1], key.accumulator, key.out})},
         {"computed", computed ? computed->types : ""},
         {"gathered", computed ? computed->gathered : ""},
         {"value", value},
         {"accumulator", accumulator_type(row.accumulator)},
         {"types", types},
         {"out", storage_type(key.out)},
         {"index", key.wide ? "unsigned long long" : "unsigned"},
         {"offset", key.wide ? "long long" : "int"},
         {"divisor", key.wide ? "WideDivisor" : "Divisor"},
         {"combine", with_index ? row.combine : "static_cast<A>(" + combine + ")"},
         {"operands", operands},
         {"map", map},
         {"pack_type", pack_text(key) + (computed ? computed->packs : "")},
         {"sum_type", packs_results(key) ? fill_in(kernel_files::reduction::packed_sum,
                                                   {{"pack", pack},
                                                    {"sums", each(0, in_pack, "combine(a.v[#], b.v[#]), ")},
                                                    {"neutrals", each(0, in_pack, "A(" + neutral + "), ")}})
                                         : "typedef A S;\n"},
         {"result_size", to_string(std::max(key.result_rank, 1))},
         {"arrays", to_string(inputs + 1)},
         {"inputs", to_string(inputs)},
         {"rank", to_string(key.rank)},
         {"pointers", (computed ? "const Computed& computed, " : "") + given},
         {"unit", packs_elements(key) ? "pack" : "element"},
         {"units", packs_elements(key) ? pack : "1"},
         {"element", element},
         {"bounds", bounds_text(key)},
         {"name", source.name},
         {"parameters", computed ? computed->parameters + given : given},
         {"arguments", arguments},
         {"lane", block     ? "threadIdx.x"
                  : columns ? "threadIdx.x / space.width"
                            : "threadIdx.x % " + lanes},
         {"parts", key.stage == Stage::First ? "space.parts" : "1"},
         {"result_index",
          block ? "    const unsigned long long result = group;\n"
                : fill_in(kernel_files::reduction::result_in_group,
                          {{"across", columns ? "threadIdx.x - lane * space.width" : "threadIdx.x / " + lanes},
                           {"results", results},
                           {"pack", columns ? pack : "1"}})},
         {"if_exists", block     ? ""
                       : columns ? "if (lane < lanes && result < space.results) "
                                 : "if (result < space.results) "},
         {"and_exists", block ? "" : " && result < space.results"},
         {"to_result", key.result_rank == 0 ? "" : to_result_text(key.result_rank, moves)},
         {"nothing", nothing},
         {"before_loop", side_by_side ? each(0, ahead, fill_in(sum_before_loop, {{"nothing", nothing}})) : ""},
         {"more",
          each(1, ahead, fill_in(kernel_files::reduction::one_more, {{"arguments", arguments}, {"nothing", nothing}}))},
         {"in_loop", side_by_side ? each(0, ahead, sum_in_loop) : add_up("next", ahead, "            ")},
         {"after_loop", side_by_side ? add_up("sums", ahead, "        ") : ""},
         {"lanes", columns ? "256 / space.width" : lanes},
         {"ahead", to_string(ahead)},
         {"rest", packs_elements(key)
                      ? fill_in(kernel_files::reduction::after_packs, {{"pack", pack}, {"singles", singles}})
                      : ""},
         {"join", join_text(key.team)},
         {"store", stores}});
    return source;
}

std::string lowest_value(DType dtype) {
    const DTypeInfo& row = info(dtype);
    if (dtype == DType::Float64) return "__longlong_as_double(0xfff0000000000000ll)";
    if (row.kind == DTypeKind::Floating) return "__int_as_float(0xff800000)";
    if (row.kind == DTypeKind::Bool) return "false";
    if (row.kind == DTypeKind::Unsigned) return "0";
    if (row.kind == DTypeKind::Complex) throw ArgumentTypeError("minimum is not defined for complex numbers");
    return row.size == 8 ? "(-9223372036854775807l - 1)"
                         : "(" + std::to_string(-(1ll << (8 * row.size - 1)) + 1) + " - 1)";
}

std::string highest_value(DType dtype) {
    const DTypeInfo& row = info(dtype);
    if (dtype == DType::Float64) return "__longlong_as_double(0x7ff0000000000000ll)";
    if (row.kind == DTypeKind::Floating) return "__int_as_float(0x7f800000)";
    if (row.kind == DTypeKind::Bool) return "true";
    if (row.kind == DTypeKind::Complex) throw ArgumentTypeError("maximum is not defined for complex numbers");
    if (row.kind == DTypeKind::Unsigned)
        return row.size == 8 ? "18446744073709551615ul" : std::to_string((1ull << 8 * row.size) - 1) + "u";
    return row.size == 8 ? "9223372036854775807l" : std::to_string((1ll << (8 * row.size - 1)) - 1);
}

}  // namespace pycuda::gpuarray
