#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pycuda/gpuarray/kernels.hpp"
#include "pycuda/gpuarray/reduction.hpp"

namespace pycuda::gpuarray {

/// How the threads of a block share the work: which lanes reduce the elements of one result.
enum class Team : std::uint8_t {
    All,         ///< all threads, whose number the launch gives, for the only result
    Block,       ///< all threads for one result
    Warp,        ///< one warp for each result
    EightLanes,  ///< eight threads for each result
    Columns,     ///< adjacent threads have adjacent results, or packs of them: as many as the launch says
    Threads,     ///< one thread for each result
};
/// The maximum number of threads in a block.
unsigned threads_of(Team team);
/// For Columns the launch gives the number.
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
    int result_rank = 0, rank = 1;
    bool wide = false;  ///< 64-bit indices within what is reduced
    /// Number of neighbours in memory that a thread processes together: results for columns, else elements.
    unsigned pack = 1;
    bool aligned = false;  ///< each pack is a single load

    KernelKey packed() const;
};

struct ReductionInfo {
    const char* name;
    int arity;
    enum class Accumulator : std::uint8_t { Result, Input, Truth, Index, Moments } accumulator;
    const char *neutral, *map, *combine, *finish;
    PublicNames names;
};
const ReductionInfo& info(Reduction op);

/// The kernels that reduce() would launch for these arguments.
std::vector<Kernels::Wanted> wanted_reduction(Reduction op, const ArrayRef& out, std::span<const ArrayRef> inputs,
                                              std::uint32_t axes);

/// The maximum number of neighbours for one thread: results for columns of elements of these types, otherwise elements.
unsigned widest_pack(const ReductionKey& key);

/// The size of one accumulator.
std::size_t accumulator_bytes(Reduction op, DType accumulator);

/// The text of operands that are computed instead of loaded, by a structure `computed`.
struct ComputedOperands {
    std::string name;        ///< in front of the kernel's
    std::string types;       ///< the structure, and what it needs
    std::string packs;       ///< functions pack0, pack1, ..., for adjacent elements
    std::string parameters;  ///< of the kernel
    std::string gathered;    ///< makes the structure of them
    bool is_complex;
};

/// The kernel's text. Parameters: the result's pointer, a pointer for each operand, and a Space. Elements that are
/// computed have addresses from 0 on, as if they stood in a packed array there.
KernelSource reduction_source(const ReductionKey& key, const ComputedOperands* computed = nullptr);

}  // namespace pycuda::gpuarray
