#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

/// What the instruction handlers see: plain data only. The handlers are compiled once for each instruction set, so
/// nothing here may have an out-of-line definition, because the linker could keep the wrong copy.
namespace cpu::exec {

struct Warp;
struct Insn;
struct Block;
struct DelayedSums;
class Lease;
class TextureCache;
using Handler = void (*)(Warp&, const Insn&);

inline constexpr unsigned warp_size = 32;
inline constexpr std::uint32_t full_mask = ~0u;

/// What the interpreter does for an instruction besides calling its handler, or instead.
enum class Control : std::uint8_t {
    Next,                ///< run the handler, then continue
    ReconvergencePoint,  ///< a place where parked splits may merge
    Guard,               ///< predicated group: narrow the mask to op[0], skip to target_pc when it is empty
    Unguard,
    Branch,
    BranchIf,       ///< op[0]: predicate
    BranchIndexed,  ///< op[0]: index into the table
    Exit,
    Sync,  ///< wait for the lanes named by op[5], then run the handler for all of them
    /// Bar.sync and bar.red: op[0] id, op[1] count (no_operand: all threads), op[2] predicate, op[3] destination.
    Barrier,
    Arrive,         ///< bar.arrive
    ClusterArrive,  ///< barrier.cluster
    ClusterWait,
    Wait,  ///< test an mbarrier: run the handler; lanes whose op[0] is then false wait
    Call,
    CallIndirect,
    Return,
    Trap,
    Widen,   ///< affine code: run the handler; if values wrap around, continue as for Expand
    Expand,  ///< affine code: continue in the generic code
};

/// The window that a memory operand lies in.
enum class Window : std::uint8_t { Generic, Shared, Local };

inline constexpr std::uint32_t no_operand = ~0u;

/// One decoded instruction. An operand is a byte offset into the warp's registers, or, with the lowest bit set, into
/// the launch's constants: both hold one value per lane, predicates one bit per lane. The members of each union belong
/// to different instructions.
struct alignas(64) Insn {
    /// [1]: for full masks; [0]: for partial masks, or, in affine code, for a group of warps.
    Handler run[2] = {nullptr, nullptr};
    std::uint32_t op[6] = {no_operand, no_operand, no_operand, no_operand, no_operand, no_operand};
    std::int32_t offset = 0;  ///< of a memory operand
    union {
        std::uint32_t target_pc = 0;  ///< Branch, BranchIf, Guard
        std::uint32_t branch_table;   ///< BranchIndexed: index of its first label in Kernel::branch_targets
        std::uint32_t call_site;      ///< Call, CallIndirect and built-in functions: index in Kernel::calls
        std::uint32_t texture;        ///< index in Kernel::textures
        std::uint32_t product;        ///< index in Kernel::products
        std::uint32_t fragment;       ///< index in Kernel::fragments
        std::uint32_t cached_ranges;  ///< memory accesses: index of the pair in CachedRanges::ranges
    };
    union {
        std::uint16_t mode = 0;     ///< depends on the row: for example a look-up table, a VideoMode or an MbarrierOp
        std::uint16_t rounding;     ///< for rows that run under a rounding mode: the HostRounding
        std::uint16_t negated;      ///< BranchIf, Guard: negate the predicate
        std::uint16_t table_size;   ///< BranchIndexed
        std::uint16_t reduction;    ///< Barrier: the ptx::Operation of bar.red
        std::uint16_t alignment;    ///< alloca
        std::uint16_t wide_target;  ///< cp.async: op[0] has 64 bits
    };
    union {
        std::uint16_t access_bytes = 0;  ///< the size of a memory access in each lane
        std::uint16_t backward;          ///< Branch, BranchIf: it closes a loop
    };
    Control control = Control::Next;
    Window window = Window::Generic;
    bool wide_address = false;  ///< the address register has 64 bits
    bool may_spin = false;      ///< for a backward branch: its loop may wait for another lane
};
static_assert(sizeof(Insn) == 64);

/// A value that affine code describes by three numbers: lane l has base + l % 16 * low + l / 16 * high, truncated to
/// the register's width. In a group, the first warp's form describes all warps: the n-th adds n * step.
struct Affine {
    std::uint64_t base = 0;
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::uint64_t step = 0;  ///< unspecified for a single warp
};
/// The size reserved for an Affine before a launch constant, and for each one at the end of a warp's registers.
inline constexpr std::uint32_t affine_bytes = 64;

/// A range that contained earlier accesses of an instruction. size 0: none yet.
struct CachedRange {
    std::uintptr_t base = 0;
    std::uint64_t size = 0;
};

enum class SplitState : std::uint8_t { Ready, Barrier, Sync, Mbarrier, Cluster };

/// Lanes of a warp that are parked: at another pc than the running lanes, or waiting.
struct Split {
    std::uint32_t pc;
    std::uint32_t mask;
    SplitState state;
    std::uint8_t barrier;
    std::uint32_t required;  ///< Sync: the lanes that the instruction names
    std::uint64_t last_run;
};

/// The part of a worker's state that handlers use.
struct CachedRanges {
    CachedRange* ranges = nullptr;   ///< two for each memory instruction of the kernel
    const Lease** leases = nullptr;  ///< of each of the ranges; null: none
    std::size_t count = 0;
    std::uint64_t generation = 0;            ///< Memory's generation when the ranges were found
    const std::uint64_t* current = nullptr;  ///< Memory's current generation, read atomically
    TextureCache* textures = nullptr;
    DelayedSums* delayed = nullptr;  ///< null: this kernel may not delay additions
};

struct Warp {
    std::byte* bank[2] = {nullptr, nullptr};  ///< registers; constants, minus one byte so that the tag bit cancels
    std::uint32_t mask = 0;                   ///< running lanes
    std::uint32_t pc = 0;
    std::uint32_t live = 0;   ///< lanes that have not exited
    std::uint32_t group = 0;  ///< lanes that take part in the current Sync instruction
    CachedRanges* cache = nullptr;
    std::byte* shared = nullptr;  ///< of the block
    std::uint32_t shared_size = 0;
    std::uint32_t local_size = 0;  ///< of a lane
    const std::byte* parameters = nullptr;
    std::uint32_t parameter_size = 0;
    std::uint32_t together = 1;        ///< number of warps, from this one on, that run affine code as a group
    std::uint32_t register_bytes = 0;  ///< the distance from this warp's registers to the next one's

    std::uint32_t guarded = 0;    ///< the mask to restore after the current guard
    std::uint32_t next_pc = ~0u;  ///< lowest pc of the parked ready splits
    std::uint32_t split_count = 0;
    std::uint32_t forced = 0;  ///< number of reconvergence points before the lowest pc has precedence again
    std::uint32_t spins = 0;   ///< back-edges of loops that may wait, taken while other splits were ready
    std::uint64_t clock = 0;
    std::uint64_t last_run = 0;
    std::uint32_t index = 0;  ///< position in the block
    Block* block = nullptr;
    bool done = false;
    bool wrapped = false;  ///< Widen: the values have no affine form
    Split splits[warp_size];
    alignas(64) std::byte* local[warp_size];  ///< each lane's local memory
    alignas(64)
        std::uint64_t address[warp_size];  ///< host addresses of the running access, unless a Footprint describes them
    alignas(64) std::uint64_t copy_target[warp_size];  ///< the addresses that cp.async writes
    alignas(64) std::uint64_t exchange[warp_size];     ///< the values of the lanes at a Sync instruction
};

[[noreturn]] void raise_fault(Warp& warp, const Insn& insn, CUresult code, int lane, std::uint64_t address,
                              const char* what);

/// Caches the ranges of the running lanes' warp.address that no cached range covers, or raises a fault.
void check_slow(Warp& warp, const Insn& insn, bool write);
/// As above, for one lane that reads fewer bytes than the instruction may.
void check_part(Warp& warp, const Insn& insn, int lane, std::uint32_t bytes);
/// Raises a fault if a lane may not access these bytes at a generic address.
void check_range(Warp& warp, const Insn& insn, int lane, std::uint64_t address, std::uint32_t bytes,
                 std::uint32_t alignment, bool write);
/// For offsets in a window other than the generic one: raises the fault of the first invalid lane.
[[noreturn]] void window_fault(Warp& warp, const Insn& insn, Window window, bool write);
void flush_ranges(CachedRanges& cache);
/// The n-th warp of a group, with the affine address of an access adjusted for that warp.
Warp& alone(Warp& group, const Insn& insn, std::uint32_t n);
/// True if the address is in read-only (constant) memory.
bool is_constant(const Warp& warp, std::uint64_t address);
std::uint64_t nanoseconds_now();

// In affine code, runs the handler for one warp for each warp of a group (affine.cpp).
void run_each(Warp& group, const Insn& insn);
void run_each_with_address(Warp& group, const Insn& insn);

// Handlers that are built once (textures/texture_access.cpp, surface_access.cpp; matrix/product.cpp, move.cpp;
// copies, running/mbarrier.cpp, cluster_address.cpp).
void run_texture(Warp& warp, const Insn& insn);
void run_texture_query(Warp& warp, const Insn& insn);
void run_surface(Warp& warp, const Insn& insn);
void run_matrix_product(Warp& warp, const Insn& insn);
void run_row_addresses(Warp& warp, const Insn& insn);
void run_rows_to_matrices(Warp& warp, const Insn& insn);
void run_matrices_to_rows(Warp& warp, const Insn& insn);
void run_transpose(Warp& warp, const Insn& insn);
void run_element_addresses(Warp& warp, const Insn& insn);
void run_pack(Warp& warp, const Insn& insn);
void run_mbarrier(Warp& warp, const Insn& insn);
void run_bulk_copy(Warp& warp, const Insn& insn);
void run_tensor_copy(Warp& warp, const Insn& insn);
void run_mapa(Warp& warp, const Insn& insn);
void run_getctarank(Warp& warp, const Insn& insn);
void run_cluster_to_generic(Warp& warp, const Insn& insn);
void run_generic_to_cluster(Warp& warp, const Insn& insn);
void run_is_cluster_shared(Warp& warp, const Insn& insn);

}  // namespace cpu::exec
