#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pycuda/gpuarray/kernels.hpp"
#include "pycuda/gpuarray/reduction.hpp"

namespace pycuda::gpuarray {

/// How the threads of a block stand: how many lanes share a result's elements.
enum class Team : std::uint8_t {
    All,         ///< all, of which the launch says how many, for the only result
    Block,       ///< all for one result
    Warp,        ///< a warp a result
    EightLanes,  ///< eight threads a result
    Columns,     ///< adjacent threads are adjacent results, or packs of them: as many as the launch says
    Threads,     ///< a thread a result
};
/// The most that a block has.
unsigned threads_of(Team team);
/// Of columns the launch says it.
unsigned lanes_of(Team team);

/// Which launch of a reduction: the only one, the first or the second of two.
enum class Stage : std::uint8_t { Only, First, Second };

template <>
inline constexpr unsigned values_of<Team> = 6;
template <>
inline constexpr unsigned values_of<Stage> = 3;

struct ReductionKey {
    Reduction op;
    Stage stage = Stage::Only;
    Team team = Team::Block;
    DType in[2] = {DType::Bool, DType::Bool};
    DType accumulator = DType::Bool;  ///< the type of values that are accumulated
    DType out = DType::Bool;
    int kept_rank = 0, rank = 1;
    bool wide = false;     ///< 64-bit places within what is reduced
    unsigned pack = 1;     ///< neighbours in memory that a thread takes at once: of columns results, else elements
    bool aligned = false;  ///< packs are one load each

    KernelKey packed() const;
};

struct ReductionInfo {
    const char* name;
    int arity;
    enum class Accumulator : std::uint8_t { Result, Operand, Truth, Place } accumulator;
    const char *neutral, *map, *combine, *finish;
    PublicNames names;
};
const ReductionInfo& info(Reduction op);

/// The kernels that reduce() launches for these.
std::vector<Kernels::Wanted> wanted_reduction(Reduction op, const ArrayRef& out, std::span<const ArrayRef> inputs,
                                              std::uint32_t axes);

/// The most neighbours for one thread: results for columns of elements of these types, otherwise elements.
unsigned widest_pack(const ReductionKey& key);

/// Bytes of one accumulator.
std::size_t accumulator_bytes(Reduction op, DType accumulator);

/// The kernel's text. Parameters: the result's pointer, a pointer an operand, a Space.
KernelSource reduction_source(const ReductionKey& key);

}  // namespace pycuda::gpuarray
