#include "reduction_source.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <string>

#include "device_types.hpp"
#include "text.hpp"

namespace pycuda::gpuarray {
namespace {

using std::to_string;
using Accumulator = ReductionInfo::Accumulator;

constexpr ReductionInfo infos[] = {
#define X(name, arity, accumulator, ...) {#name, arity, Accumulator::accumulator, __VA_ARGS__},
#include "pycuda/gpuarray/reductions.def"
#undef X
};

/// A value and its place. Without a value the place is -1.
constexpr const char* place_type = R"(struct A {
    V value;
    long long index;
    __device__ A() : value(), index(-1) {}
    __device__ A(V value, long long index) : value(value), index(index) {}
    /// `other` comes before this one: it is `better`, the first NaN, or the first of equals.
    __device__ bool is_before(const A& other, bool better) const {
        if (index < 0 || other.index < 0) return index < 0;
        if (value != value) return other.value != other.value && other.index < index;
        return better || other.value != other.value || (other.value == value && other.index < index);
    }
};
)";

constexpr const char* kernel = R"($includes$typedef $value$ V;
$accumulator$$types$typedef $out$ R;
typedef $index$ Index;
typedef $offset$ Offset;

__device__ __forceinline__ A combine(const A& a, const A& b)
{
    return $combine$;
}

$sum_type$
__device__ __forceinline__ A map($operands$long long i)
{
$map$}

struct Space {
    unsigned long long kept;      // results
    unsigned long long elements;  // of each result
    Index length;                 // the same, or what the first stage made of them
    unsigned parts;               // blocks that share a result
    pycuda::arrays::WideDivisor kept_axis[$kept_size$];
    long long kept_stride[$arrays$][$kept_size$];  // of the result, then of the operands
    pycuda::arrays::$divisor$ axis[$rank$];
    Offset stride[$inputs$][$rank$];
};

/// The element of place r of the result that the pointers stand at.
__device__ __forceinline__ S element($pointers$const Space& space, Index r)
{
    Offset at[$inputs$] = {};
    Index rest = r;
#pragma unroll
    for (int axis = $rank$ - 1; axis > 0; --axis) {
        const Index next = space.axis[axis].divide(rest);
        const Offset here = rest - next * space.axis[axis].size;
        rest = next;
#pragma unroll
        for (int k = 0; k < $inputs$; ++k) at[k] += here * space.stride[k][axis];
    }
#pragma unroll
    for (int k = 0; k < $inputs$; ++k) at[k] += static_cast<Offset>(rest) * space.stride[k][0];
$element$}

extern "C" __global__ void __launch_bounds__(256) $name$(char* out, $parameters$const Space space)
{
    const unsigned across = $across$, lane = $lane$;
    const unsigned group = blockIdx.x / space.parts, part = blockIdx.x - group * space.parts;
    const unsigned long long result = group * $results$ull + across * $pack$;
    S sum = $nothing$;
    if (result < space.kept) {
        unsigned long long rest = result;
#pragma unroll
        for (int axis = $kept_rank$ - 1; axis >= 0; --axis) {
            const unsigned long long next = space.kept_axis[axis].divide(rest);
            const long long at = rest - next * space.kept_axis[axis].size;
            rest = next;
            out += at * space.kept_stride[0][axis];
$moves$        }
        const Index step = $lanes$ * space.parts;
        Index r = part * $lanes$ + lane;
        enum { ahead = $ahead$ };  // elements that are loaded before the first of them is needed
        if (r < space.length && space.length - r > (ahead - 1) * step) {
            S sums[ahead];
#pragma unroll
            for (int k = 0; k < ahead; ++k) sums[k] = element($arguments$space, r + k * step);
            r += ahead * step;
            for (; r < space.length && space.length - r > (ahead - 1) * step; r += ahead * step) {
                S next[ahead];
#pragma unroll
                for (int k = 0; k < ahead; ++k) next[k] = element($arguments$space, r + k * step);
#pragma unroll
                for (int k = 0; k < ahead; ++k) sums[k] = combine(sums[k], next[k]);
            }
#pragma unroll
            for (int half = ahead / 2; half > 0; half /= 2)
#pragma unroll
                for (int k = 0; k < half; ++k) sums[k] = combine(sums[k], sums[k + half]);
            sum = combine(sum, sums[0]);
        }
        for (; r < space.length; r += step) sum = combine(sum, element($arguments$space, r));
    }
$join$    if (lane == 0 && result < space.kept) {
$store$    }
}
)";

/// Sums of adjacent results.
constexpr const char* packed_sum = R"(
struct S {
    A v[$pack$];
};

template <class E>
struct alignas($alignment$) Pack {
    E v[$pack$];
};

__device__ __forceinline__ S combine(const S& a, const S& b)
{
    S both;
#pragma unroll
    for (int j = 0; j < $pack$; ++j) both.v[j] = combine(a.v[j], b.v[j]);
    return both;
}

__device__ __forceinline__ S nothing()
{
    S sum;
#pragma unroll
    for (int j = 0; j < $pack$; ++j) sum.v[j] = $neutral$;
    return sum;
}
)";

constexpr const char* packed_element = R"($packs$    S all;
#pragma unroll
    for (int j = 0; j < $pack$; ++j) all.v[j] = map($elements$r);
    return all;
)";

constexpr const char* one_result = R"(        const A& a = sum;
        $store$
)";

constexpr const char* packed_results = R"(#pragma unroll
        for (int j = 0; j < $pack$; ++j, out += space.kept_stride[0][$last$]) {
            const A& a = sum.v[j];
            $store$
        }
)";

/// A warp's sum in its lane 0.
constexpr const char* join_warp = R"(#pragma unroll
    for (unsigned distance = 16; distance > 0; distance /= 2)
        sum = combine(sum, pycuda::arrays::shuffle_down(sum, distance));
)";

constexpr const char* join_block = R"(    __shared__ pycuda::arrays::Room<A> sums[8];
    if (lane % 32 == 0) sums[lane / 32].put(sum);
    __syncthreads();
    if (lane < 32) {
        sum = $neutral$;
        if (lane < 8) sum = sums[lane].get();
#pragma unroll
        for (unsigned distance = 4; distance > 0; distance /= 2)
            sum = combine(sum, pycuda::arrays::shuffle_down(sum, distance));
    }
)";

constexpr const char* join_columns = R"(    __shared__ pycuda::arrays::Room<S> sums[8][32];
    sums[lane][across].put(sum);
    __syncthreads();
    if (lane == 0)
#pragma unroll
        for (int k = 1; k < 8; ++k) sum = combine(sum, sums[k][across].get());
)";

std::string join_text(Team team, const std::string& neutral) {
    switch (team) {
        case Team::Block:
            return std::string(join_warp) + fill_in(join_block, {{"neutral", neutral}});
        case Team::Warp:
            return join_warp;
        case Team::Columns:
            return join_columns;
        default:
            return {};
    }
}

std::string neutral_text(const ReductionKey& key) {
    const std::string text = info(key.op).neutral;
    if (text == "@lowest") return lowest_value(arithmetic_dtype(key.accumulator));
    if (text == "@highest") return highest_value(arithmetic_dtype(key.accumulator));
    return text;
}

/// Enough bytes on their way to keep the memory busy.
int elements_ahead(const ReductionKey& key) {
    if (key.pack > 1) {
        const auto bytes = key.pack * info(arithmetic_dtype(key.accumulator)).size;
        return bytes <= 16 ? 8 : bytes <= 32 ? 4 : 2;
    }
    const int size = key.stage == Stage::Second ? 8 : info(key.in[0]).size;
    return size == 1 ? 16 : size <= 4 ? 8 : 4;
}

std::string name_of(const ReductionKey& key) {
    static constexpr const char* teams[] = {"_block", "_warp", "_columns", "_threads"};
    static constexpr const char* stages[] = {"", "_stage1", "_stage2"};
    std::string name = info(key.op).name;
    for (int k = 0; k < info(key.op).arity; ++k) name += std::string("_") + info(key.in[k]).short_name;
    if (key.out != key.in[0]) name += std::string("_to_") + info(key.out).short_name;
    name += teams[static_cast<int>(key.team)];
    name += "_" + to_string(key.kept_rank) + to_string(key.rank);
    if (key.pack > 1) name += (key.aligned ? "_by" : "_each") + to_string(key.pack);
    return name + (key.wide ? "_wide" : "") + stages[static_cast<int>(key.stage)];
}

}  // namespace

Reduction reduction_of_name(const char* name) {
    for (std::size_t k = 0; k < std::size(infos); ++k)
        if (std::strcmp(infos[k].name, name) == 0) return static_cast<Reduction>(k);
    throw std::invalid_argument(std::string("unknown reduction '") + name + "'");
}

unsigned results_of(Team team) {
    static constexpr unsigned results[] = {1, 8, 32, 256};
    return results[static_cast<int>(team)];
}

unsigned lanes_of(Team team) {
    return reduction_threads / results_of(team);
}

std::uint64_t ReductionKey::packed() const noexcept {
    const auto bits = [](auto value, int at) { return static_cast<std::uint64_t>(value) << at; };
    return 1ull << 62 | bits(op, 40) | bits(stage, 36) | bits(team, 32) | bits(in[0], 28) | bits(in[1], 24) |
           bits(accumulator, 20) | bits(out, 16) | bits(kept_rank, 8) | bits(rank, 4) | bits(pack, 1) | bits(wide, 0) |
           bits(aligned, 56);
}

const ReductionInfo& info(Reduction op) {
    return infos[static_cast<std::size_t>(op)];
}

unsigned widest_pack(const ReductionKey& key) {
    const ReductionInfo& row = info(key.op);
    if (key.team != Team::Columns || row.accumulator == Accumulator::Place) return 1;
    std::size_t widest = 4;
    for (int k = 0; k < row.arity; ++k) widest = std::max<std::size_t>(widest, info(key.in[k]).size);
    return widest > 8 ? 1 : static_cast<unsigned>(16 / widest);
}

std::size_t accumulator_bytes(Reduction op, DType accumulator) {
    if (info(op).accumulator != Accumulator::Place) return info(arithmetic_dtype(accumulator)).size;
    return 8 + std::max<std::size_t>(8, info(arithmetic_dtype(accumulator)).size);
}

KernelSource reduction_source(const ReductionKey& key) {
    const ReductionInfo& row = info(key.op);
    const bool second = key.stage == Stage::Second, place = row.accumulator == Accumulator::Place;
    const int inputs = second ? 1 : row.arity;
    // Truth is asked of the operand itself; all else is converted to what is accumulated first.
    const bool asked = row.accumulator == Accumulator::Truth || key.op == Reduction::count_nonzero;
    const DType accumulated = arithmetic_dtype(key.accumulator);
    std::string types, operands, pointers, arguments, loads, packs, elements, moves, map;
    for (int k = 0; k < inputs; ++k) {
        const std::string upper(1, static_cast<char>('I' + k)), lower(1, static_cast<char>('a' + k));
        const std::string own = arithmetic_type(key.in[k]), value = "static_cast<" + own + ">(" + lower + ")";
        types += "typedef " + (second ? "A" : storage_type(key.in[k])) + " " + upper + ";\n";
        operands += "const " + upper + "& " + lower + ", ";
        pointers += "const char* " + lower + ", ";
        arguments += lower + ", ";
        loads += "*reinterpret_cast<const " + upper + "*>(" + lower + " + at[" + to_string(k) + "]), ";
        const std::string type = "Pack<" + upper + ">", at = lower + " + at[" + to_string(k) + "]";
        packs += "    const " + type + " " + lower + "s = *reinterpret_cast<const " + type + "*>(" + at + ");\n";
        elements += lower + "s.v[j], ";
        moves += "            " + lower + " += at * space.kept_stride[" + to_string(k + 1) + "][axis];\n";
        const std::string operand = asked ? value : converted(value, arithmetic_dtype(key.in[k]), accumulated);
        if (!second) map += std::string("    const ") + (asked ? own : "V") + " " + "xy"[k] + " = " + operand + ";\n";
    }
    map += second  ? "    return a;\n"
           : place ? "    return A(x, i);\n"
                   : fill_in("    return static_cast<A>($map$);\n", {{"map", row.map}});
    const std::string store =
        key.stage == Stage::First
            ? "*reinterpret_cast<A*>(out + part * space.kept * sizeof(A)) = a;"
            : "const double n = space.elements;\n        static_cast<void>(n);\n        *reinterpret_cast<R*>(out) = " +
                  converted(row.finish, place ? DType::Int64 : accumulated, key.out) + ";";
    const std::string neutral = neutral_text(key);
    const bool rows = key.team == Team::Block || key.team == Team::Warp;
    const std::string pack = to_string(key.pack), lanes = to_string(lanes_of(key.team));
    const std::string results = to_string(results_of(key.team)), covered = to_string(results_of(key.team) * key.pack);
    const bool packed = key.pack > 1;
    const std::string sum_type =
        packed ? fill_in(packed_sum, {{"pack", pack},
                                      {"alignment", key.aligned ? "sizeof(E) * " + pack : "alignof(E)"},
                                      {"neutral", neutral}})
               : "typedef A S;\n";
    const std::string element =
        packed ? fill_in(packed_element, {{"packs", packs}, {"pack", pack}, {"elements", elements}})
               : "    return map(" + loads + "r);\n";
    const std::string stores =
        packed ? fill_in(packed_results,
                         {{"pack", pack}, {"last", to_string(std::max(key.kept_rank, 1) - 1)}, {"store", store}})
               : fill_in(one_result, {{"store", store}});
    KernelSource source;
    source.name = name_of(key);
    source.compute = key.accumulator;
    source.result = key.out;
    source.text =
        fill_in(kernel, {{"includes", includes_for({key.in[0], key.in[1], key.accumulator, key.out})},
                         {"value", arithmetic_type(key.accumulator)},
                         {"accumulator", place ? place_type : "typedef V A;  // accumulates in\n"},
                         {"types", types},
                         {"out", storage_type(key.out)},
                         {"index", key.wide ? "unsigned long long" : "unsigned"},
                         {"offset", key.wide ? "long long" : "int"},
                         {"divisor", key.wide ? "WideDivisor" : "Divisor"},
                         {"combine", place ? row.combine : "static_cast<A>(" + std::string(row.combine) + ")"},
                         {"operands", operands},
                         {"map", map},
                         {"kept_size", to_string(std::max(key.kept_rank, 1))},
                         {"kept_rank", to_string(key.kept_rank)},
                         {"arrays", to_string(inputs + 1)},
                         {"inputs", to_string(inputs)},
                         {"rank", to_string(key.rank)},
                         {"pointers", pointers},
                         {"sum_type", sum_type},
                         {"element", element},
                         {"name", source.name},
                         {"parameters", pointers},
                         {"arguments", arguments},
                         {"across", rows ? "threadIdx.x / " + lanes : "threadIdx.x % " + results},
                         {"lane", rows ? "threadIdx.x % " + lanes : "threadIdx.x / " + results},
                         {"results", covered},
                         {"pack", pack},
                         {"nothing", packed ? "nothing()" : neutral},
                         {"lanes", lanes},
                         {"neutral", neutral},
                         {"moves", moves},
                         {"ahead", to_string(elements_ahead(key))},
                         {"join", join_text(key.team, neutral)},
                         {"store", stores}});
    return source;
}

}  // namespace pycuda::gpuarray
