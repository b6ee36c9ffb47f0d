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
    bool copies = false;  ///< cp.async: reads at Warp::address, writes at Warp::copy_target
    Order order = Order::Weak;
    bool releases = false;  ///< .release, .acq_rel or .sc
    bool fences = false;    ///< a fence, which accesses nothing
    bool fixed = false;     ///< PYCUDA_CPU_CHECK=init: at a place in a variable that the text says
    bool any() const noexcept { return reads || writes || fences; }
};

/// A value that is the same for a whole launch, kept once and broadcast to all lanes.
struct LaunchConstant {
    enum class Kind : std::uint8_t { Immediate, Parameter, ParameterAddress, Special, Reference };
    Kind kind = Kind::Immediate;
    std::uint8_t width = 4;    ///< bytes of the register: 1 predicate, 4 or 8
    std::uint8_t size = 4;     ///< Parameter: bytes to read
    bool is_signed = false;    ///< Parameter: extend the sign
    std::uint64_t bits = 0;    ///< the value, the offset in the parameter block, the SpecialRegister, or which of
                               ///< KernelInfo::references
    std::uint32_t offset = 0;  ///< in the constants' bank

    bool same(const LaunchConstant& other) const noexcept {
        return kind == other.kind && width == other.width && size == other.size && is_signed == other.is_signed &&
               bits == other.bits;
    }
};

/// What a thread gets at least for recursion, indirect calls and alloca, whose depth the code does not show.
inline constexpr std::uint32_t open_ended_stack = 64 << 10;

/// Bytes moved between the frames of a caller and its callee, in every lane's local memory.
struct FrameCopy {
    std::uint32_t caller = 0;
    std::uint32_t callee = 0;
    std::uint32_t size = 0;
};

/// A register that a call which may come back to the same function must keep.
struct SavedRegister {
    std::uint32_t offset = 0;  ///< in the register file
    std::uint8_t width = 4;
    std::uint32_t frame = 0;
};

struct CallSite {
    std::uint32_t frame_bytes = 0;  ///< of the caller: where the callee's frame starts
    std::uint32_t return_pc = 0;
    std::uint32_t callee_pc = 0;  ///< direct calls
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
    std::uint32_t top = 0;     ///< of alloca
    std::uint32_t affine = 0;  ///< the first seven as Affine
    std::uint32_t end = 0;     ///< first free byte

    /// Where tid, ctaid and warpid lie as Affine; no_operand for the others.
    std::uint32_t affine_of(std::uint32_t offset) const noexcept {
        return offset <= warpid ? affine + offset / (4 * warp_size) * sizeof(Affine) : no_operand;
    }
};

/// A register that affine code keeps as Affine.
struct AffineRegister {
    std::uint32_t from = 0;    ///< where that lies
    std::uint32_t offset = 0;  ///< where the lanes' values are to be, may be the same; no_operand: they are there
    std::uint8_t width = 4;
    bool uniform = false;               ///< all warps of a group must have the same
    std::uint32_t first = 0, last = 0;  ///< where it is live, in the code for any warp
};

/// A variable in shared memory; size 0: the dynamic part.
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

/// What an ended launch leaves for the kernel's next one of the same shape: constants, registers, and the ranges of
/// memory that it has met (running/run.cpp).
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
    std::vector<CodeLine> lines;   ///< one an instruction
    std::vector<Access> accesses;  ///< one an instruction
    std::vector<Handler> plain;    ///< one an instruction, of instrumented code: what it runs without checks
    std::vector<LaunchConstant> constants;
    std::vector<std::uint32_t> branch_targets;  ///< of BranchIndexed
    std::vector<CallSite> calls;
    std::vector<TextureAccess> textures;      ///< texture and surface instructions, by Insn::texture
    std::vector<MatrixProduct> products;      ///< by Insn::product
    std::vector<FragmentInMemory> fragments;  ///< by Insn::fragment
    std::unordered_map<std::uint64_t, std::uint32_t> entry_points;  ///< address of a function → pc
    FixedRegisters fixed;
    std::uint32_t entry_pc = 0;
    /// The entry's code once more at the end, for warps all of whose lanes run: see lowering/affine_code.cpp.
    std::uint32_t affine_begin = no_operand;  ///< no_operand: there is none
    std::uint32_t affine_distance = 0;        ///< from an instruction to its copy there
    std::uint32_t affine_slots = 0;           ///< in the register file, behind the registers
    std::uint32_t affine_lane_bytes = 0;      ///< of a warp's registers, what affine code uses lane by lane
    bool affine_wants_ctaid = false;          ///< lane by lane, there too
    std::vector<AffineRegister> affine_registers;
    std::uint32_t constant_bytes = 0;
    std::uint32_t register_bytes = 0;   ///< of a warp
    std::uint32_t cached_accesses = 0;  ///< memory instructions with two cached ranges each
    std::uint32_t local_bytes = 0;      ///< of a thread: frames of the deepest chain of calls, stack of alloca
    std::uint32_t stack_top = 0;        ///< where alloca starts in it
    bool open_ended = false;            ///< open_ended_stack is in it
    std::uint32_t dynamic_shared_offset = 0;
    bool uses_dynamic_shared = false;
    bool uses_reserved_shared = false;  ///< the system's part: cooperative groups of several warps meet there
    bool delays_sums = false;           ///< see DelayedSums
    bool may_wait = false;              ///< one of its loops may wait for another thread
    std::vector<SharedVariable> shared_variables;  ///< by offset, the dynamic part last
    std::shared_ptr<const std::unordered_map<std::uint64_t, const Kernel*>> kernels;  ///< of the module, by address
    std::shared_ptr<const std::vector<std::string>> locations;  ///< "file:line", of the module; may be null
    mutable SpareLaunch spare_launch;
};

/// The value of a function's address: no data lies there.
constexpr std::uint64_t function_address(std::uint32_t function) {
    return 0x0f00'0000'0000'0000ull + std::uint64_t{function} * 16;
}

}  // namespace cpu::exec
