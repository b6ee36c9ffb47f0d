#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

/// What the instruction handlers see: plain data only. The handlers are compiled once for each instruction set, so
/// nothing here may have an out-of-line definition that the linker could pick from the wrong one.
namespace cpu::exec {

struct Warp;
struct Insn;
struct Block;
struct DelayedSums;
class TextureCache;
using Handler = void (*)(Warp&, const Insn&);

inline constexpr unsigned warp_size = 32;
inline constexpr std::uint32_t full_mask = ~0u;

/// What the interpreter does with an instruction besides, or instead of, calling its handler.
enum class Control : std::uint8_t {
    Next,                ///< run the handler, go on
    ReconvergencePoint,  ///< a place where parked splits may merge
    Guard,               ///< predicated group: narrow the mask to op[0], skip to target_pc when it is empty
    Unguard,
    Branch,
    BranchIf,       ///< op[0]: predicate
    BranchIndexed,  ///< op[0]: index into the table
    Exit,
    Sync,     ///< wait for the lanes named by op[5], then run the handler for all of them
    Barrier,  ///< bar.sync and bar.red: op[0] id, op[1] count (no_operand: all), op[2] predicate, op[3] destination
    Arrive,   ///< bar.arrive
    ClusterArrive,  ///< barrier.cluster
    ClusterWait,
    Wait,  ///< at an mbarrier: run the handler; lanes for which op[0] is then false wait
    Call,
    CallIndirect,
    Return,
    Trap,
    Widen,   ///< affine code: run the handler; where it finds that values wrap around, go on as at Expand
    Expand,  ///< affine code: go on in the code for any warp
};

/// Which window a memory operand lies in.
enum class Window : std::uint8_t { Generic, Shared, Local };

inline constexpr std::uint32_t no_operand = ~0u;

/// One decoded instruction. An operand is a byte offset into the warp's registers, or, with the lowest bit set,
/// into the launch's constants: both hold one element a lane, predicates one bit a lane. The members of a union belong
/// to different instructions.
struct alignas(64) Insn {
    Handler run[2] = {nullptr, nullptr};  ///< [1]: every lane is active; of affine code, [0]: for a group of warps
    std::uint32_t op[6] = {no_operand, no_operand, no_operand, no_operand, no_operand, no_operand};
    std::int32_t offset = 0;  ///< of a memory operand
    union {
        std::uint32_t target_pc = 0;  ///< Branch, BranchIf, Guard
        std::uint32_t branch_table;   ///< BranchIndexed: its first entry in Kernel::branch_targets
        std::uint32_t call_site;      ///< Call, CallIndirect and built-in functions: in Kernel::calls
        std::uint32_t texture;        ///< in Kernel::textures
        std::uint32_t product;        ///< in Kernel::products
        std::uint32_t fragment;       ///< in Kernel::fragments
        std::uint32_t cached_ranges;  ///< of a memory access: which pair of CachedRanges::ranges
    };
    union {
        std::uint16_t mode = 0;     ///< the row says what: a look-up table, a VideoMode, an MbarrierOp
        std::uint16_t rounding;     ///< of rows with a directed rounding mode: the two bits of MXCSR
        std::uint16_t negated;      ///< BranchIf, Guard: the predicate counts when it is false
        std::uint16_t table_size;   ///< BranchIndexed
        std::uint16_t reduction;    ///< Barrier: the ptx::Operation of bar.red
        std::uint16_t alignment;    ///< alloca
        std::uint16_t wide_target;  ///< cp.async: op[0] has 64 bits
    };
    union {
        std::uint16_t access_bytes = 0;  ///< that a memory access touches in each lane
        std::uint16_t backward;          ///< Branch, BranchIf: it closes a loop
    };
    Control control = Control::Next;
    Window window = Window::Generic;
    bool wide_address = false;  ///< the address register has 64 bits
    bool may_spin = false;      ///< of a backward branch: its loop may wait for another lane
};
static_assert(sizeof(Insn) == 64);

/// A value of which the code for whole warps keeps three numbers: lane l has base + l % 16 * low + l / 16 * high, cut
/// off to the register's width. Of a group of warps the first one has it for all: of the n-th, n * step is added.
struct Affine {
    std::uint64_t base = 0;
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::uint64_t step = 0;  ///< without meaning in a warp by itself
};
/// Bytes before a launch constant, and at the end of a warp's registers, for one.
inline constexpr std::uint32_t affine_bytes = 64;

/// A range that earlier accesses of an instruction were in. size 0: nothing.
struct CachedRange {
    std::uintptr_t base = 0;
    std::uint64_t size = 0;
};

enum class SplitState : std::uint8_t { Ready, Barrier, Sync, Mbarrier, Cluster };

/// Lanes of a warp that are at another place than the running ones.
struct Split {
    std::uint32_t pc;
    std::uint32_t mask;
    SplitState state;
    std::uint8_t barrier;
    std::uint32_t required;  ///< Sync: the lanes that the instruction names
    std::uint64_t last_run;
};

/// The part of a worker that handlers use.
struct CachedRanges {
    CachedRange* ranges = nullptr;  ///< two for each memory instruction of the kernel
    std::size_t count = 0;
    std::uint64_t generation = 0;            ///< of Memory when the ranges were found
    const std::uint64_t* current = nullptr;  ///< Memory's generation, read atomically
    TextureCache* textures = nullptr;
    DelayedSums* delayed = nullptr;  ///< none: this kernel's may not be
};

struct Warp {
    std::byte* bank[2] = {nullptr, nullptr};  ///< registers; constants, minus one byte so that the tag bit cancels
    std::uint32_t mask = 0;                   ///< running lanes
    std::uint32_t pc = 0;
    std::uint32_t live = 0;   ///< lanes that have not exited
    std::uint32_t group = 0;  ///< lanes that take part in the running Sync instruction
    CachedRanges* cache = nullptr;
    std::byte* shared = nullptr;  ///< of the block
    std::uint32_t shared_size = 0;
    std::uint32_t local_size = 0;  ///< of a lane
    const std::byte* parameters = nullptr;
    std::uint32_t parameter_size = 0;
    std::uint32_t together = 1;        ///< warps, from this one on, that run affine code as a group
    std::uint32_t register_bytes = 0;  ///< from this warp's registers to the next one's

    std::uint32_t guarded = 0;    ///< the mask outside the running guard
    std::uint32_t next_pc = ~0u;  ///< lowest pc of the parked ready splits
    std::uint32_t split_count = 0;
    std::uint32_t forced = 0;  ///< leaders to pass before the lowest pc goes first again
    std::uint32_t spins = 0;   ///< consecutive back-edges of loops that may wait
    std::uint64_t clock = 0;
    std::uint64_t last_run = 0;
    std::uint32_t index = 0;  ///< in the block
    Block* block = nullptr;
    bool done = false;
    bool wrapped = false;  ///< Widen: the values cannot be kept as Affine
    Split splits[warp_size];
    alignas(64) std::byte* local[warp_size];  ///< each lane's local memory
    alignas(
        64) std::uint64_t address[warp_size];  ///< host addresses of the running access, unless Footprint tells them
    alignas(64) std::uint64_t copy_target[warp_size];  ///< the same of what cp.async writes
    alignas(64) std::uint64_t exchange[warp_size];     ///< what the lanes of a Sync instruction brought
};

[[noreturn]] void raise_fault(Warp& warp, const Insn& insn, CUresult code, int lane, std::uint64_t address,
                              const char* what);

/// The addresses in warp.address (lanes of `mask`) that no cached range covers: finds their ranges or raises the fault.
void check_slow(Warp& warp, const Insn& insn, bool write);
/// As above, of one lane that reads fewer bytes than the instruction may.
void check_part(Warp& warp, const Insn& insn, int lane, std::uint32_t bytes);
/// Raises the fault if a lane may not access so many bytes at a generic address.
void check_range(Warp& warp, const Insn& insn, int lane, std::uint64_t address, std::uint32_t bytes,
                 std::uint32_t alignment, bool write);
/// Of offsets in a window other than the generic one: raises the fault of the first bad lane.
[[noreturn]] void window_fault(Warp& warp, const Insn& insn, Window window, bool write);
void flush_ranges(CachedRanges& cache);
/// The n-th warp of a group, with the affine address of an access as it is for that warp.
Warp& alone(Warp& group, const Insn& insn, std::uint32_t n);
/// Is the address in read-only (constant) memory?
bool is_constant(const Warp& warp, std::uint64_t address);
std::uint64_t nanoseconds_now();

// Of affine code, for a group: the handler for one warp, for each of them (affine.cpp).
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
