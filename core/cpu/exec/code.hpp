#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "exec/image.hpp"
#include "exec/matrix/move.hpp"
#include "exec/matrix/product.hpp"
#include "exec/textures/texture_access.hpp"
#include "exec/warp.hpp"
#include "ptx/program.hpp"

namespace cpu::exec {

/// What an instruction does to memory.
struct Access {
    enum class Order : std::uint8_t { Weak, Volatile, Strong };  ///< Strong: atomic, or .relaxed and stronger
    bool reads = false;
    bool writes = false;
    bool copies = false;  ///< cp.async: reads at Warp::address and writes at Warp::copy_target
    Order order = Order::Weak;
    bool releases = false;  ///< .release, .acq_rel or .sc
    bool fences = false;    ///< is a fence, which accesses nothing
    bool fixed = false;     ///< PYCUDA_CPU_CHECK=init: the address is a fixed place in a variable
    bool any() const noexcept { return reads || writes || fences; }
};

/// A value that is the same for a whole launch, kept once and broadcast to all lanes.
struct LaunchConstant {
    enum class Kind : std::uint8_t { Immediate, Parameter, ParameterAddress, Special, Reference };
    Kind kind = Kind::Immediate;
    std::uint8_t width = 4;    ///< bytes of the register: 1 predicate, 4 or 8
    std::uint8_t size = 4;     ///< Parameter: size in bytes
    bool is_signed = false;    ///< Parameter: sign-extend
    std::uint64_t bits = 0;    ///< the value, the offset in the parameter block, the SpecialRegister, or the index in
                               ///< KernelInfo::references
    std::uint32_t offset = 0;  ///< in the bank of constants

    bool same(const LaunchConstant& other) const noexcept {
        return kind == other.kind && width == other.width && size == other.size && is_signed == other.is_signed &&
               bits == other.bits;
    }
};

/// The stack that each thread gets at least for recursion, indirect calls and alloca, whose depth the code does not
/// show.
inline constexpr std::uint32_t open_ended_stack = 64 << 10;

/// Bytes moved between the frames of a caller and its callee, in every lane's local memory.
struct FrameCopy {
    std::uint32_t caller = 0;
    std::uint32_t callee = 0;
    std::uint32_t size = 0;
};

/// A register that a call must save, because the call may re-enter the same function.
struct SavedRegister {
    std::uint32_t offset = 0;  ///< in the register file
    std::uint8_t width = 4;
    std::uint32_t frame = 0;
};

struct EntryPoint {
    std::uint32_t pc = 0;
    std::uint32_t frame_bytes = 0;
};

struct CallSite {
    std::uint32_t frame_bytes = 0;  ///< size of the caller's frame; the callee's frame follows it
    std::uint32_t return_pc = 0;
    EntryPoint callee;  ///< direct calls
    std::vector<FrameCopy> arguments;
    std::vector<FrameCopy> results;
    std::vector<SavedRegister> saved;
};

/// Registers that the executor fills, as byte offsets into the register file.
struct FixedRegisters {
    std::uint32_t tid[3] = {};
    std::uint32_t ctaid[3] = {};
    std::uint32_t warpid = 0;
    std::uint32_t frame = 0;   ///< start of the running function's frame in local memory
    std::uint32_t top = 0;     ///< top of the stack that alloca uses
    std::uint32_t affine = 0;  ///< the first seven registers, in affine form
    std::uint32_t end = 0;     ///< the first free byte

    /// Where the affine form of tid, ctaid or warpid lies; no_operand for other registers.
    std::uint32_t affine_of(std::uint32_t offset) const noexcept {
        return offset <= warpid ? affine + offset / (4 * warp_size) * sizeof(Affine) : no_operand;
    }
};

/// A register that affine code keeps in affine form.
struct AffineRegister {
    std::uint32_t from = 0;  ///< where its affine form lies
    /// Where to put the lanes' values, possibly `from` itself; no_operand: they are already in place.
    std::uint32_t offset = 0;
    std::uint8_t width = 4;
    bool uniform = false;               ///< the value must be equal in all warps of a group
    std::uint32_t first = 0, last = 0;  ///< its live range, in the generic code
};

/// A variable in shared memory; size 0 means the dynamic part.
struct SharedVariable {
    std::string name;
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
};

struct CodeLine {
    std::uint32_t line = 0;              ///< of the PTX text
    std::uint32_t location = ptx::none;  ///< into Code::locations
};

struct LaunchState;

/// What an ended launch leaves for the kernel's next launch if that has blocks and clusters of the same size:
/// constants, registers, and the cached ranges of memory (running/run.cpp).
class SpareLaunch {
public:
    SpareLaunch() = default;
    ~SpareLaunch();
    SpareLaunch(const SpareLaunch&) = delete;
    SpareLaunch& operator=(const SpareLaunch&) = delete;
    std::unique_ptr<LaunchState> take();
    void put(std::unique_ptr<LaunchState> state);

private:
    std::atomic<LaunchState*> state_{nullptr};
};

/// A kernel with everything it calls, ready to run.
class Kernel {
public:
    KernelInfo info;
    std::vector<Insn> insns;
    std::vector<CodeLine> lines;   ///< one for each instruction
    std::vector<Access> accesses;  ///< one for each instruction
    std::vector<Handler> plain;    ///< the handlers of instrumented code without the checks, one for each instruction
    std::vector<LaunchConstant> constants;
    std::vector<std::uint32_t> branch_targets;  ///< of BranchIndexed
    std::vector<CallSite> calls;
    std::vector<TextureAccess> textures;                         ///< texture and surface instructions, by Insn::texture
    std::vector<MatrixProduct> products;                         ///< by Insn::product
    std::vector<FragmentInMemory> fragments;                     ///< by Insn::fragment
    std::unordered_map<std::uint64_t, EntryPoint> entry_points;  ///< by the function's address
    FixedRegisters fixed;
    std::uint32_t entry_pc = 0;
    /// A second copy of the entry's code at the end, for warps whose lanes all run: see lowering/affine_code.cpp.
    std::uint32_t affine_begin = no_operand;  ///< no_operand if there is no copy
    std::uint32_t affine_distance = 0;        ///< from an instruction to its affine copy
    std::uint32_t affine_slots = 0;           ///< offset in the register file, after the registers
    std::uint32_t affine_lane_bytes = 0;      ///< bytes of a warp's registers that affine code uses per lane
    bool affine_wants_ctaid = false;          ///< affine code also needs ctaid per lane
    std::vector<AffineRegister> affine_registers;
    std::uint32_t constant_bytes = 0;
    std::uint32_t register_bytes = 0;   ///< register bytes of a warp
    std::uint32_t cached_accesses = 0;  ///< number of memory instructions, each with two cached ranges
    /// Local memory of a thread: the frames of the deepest call chain, and the stack of alloca.
    std::uint32_t local_bytes = 0;
    std::uint32_t stack_top = 0;  ///< where alloca's stack starts in it
    bool open_ended = false;      ///< includes open_ended_stack
    std::uint32_t dynamic_shared_offset = 0;
    bool uses_dynamic_shared = false;
    /// The system's part of shared memory, where cooperative groups of several warps synchronise.
    bool uses_reserved_shared = false;
    bool delays_sums = false;                      ///< see DelayedSums
    bool may_wait = false;                         ///< one of its loops may wait for another thread
    std::vector<SharedVariable> shared_variables;  ///< by offset, the dynamic part last
    std::shared_ptr<const std::unordered_map<std::uint64_t, const Kernel*>> kernels;  ///< of the module, by address
    std::shared_ptr<const std::vector<std::string>> locations;  ///< "file:line", of the module; may be null
    mutable SpareLaunch spare_launch;
};

/// The value of a function's address, which no data has.
constexpr std::uint64_t function_address(std::uint32_t function) {
    return 0x0f00'0000'0000'0000ull + std::uint64_t{function} * 16;
}

}  // namespace cpu::exec
