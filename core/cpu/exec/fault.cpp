// Slow paths of memory access, and what is said when one is wrong.
#include <bit>
#include <cstdio>
#include <sstream>

#include "exec/block.hpp"

namespace cpu::exec {

namespace {

std::string hex(std::uint64_t value) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

std::string place(const Warp& w, const Insn& insn, int lane) {
    const Block& block = *w.block;
    const Grid& grid = block.grid;
    std::ostringstream out;
    out << "block (" << block.ctaid[0] << ", " << block.ctaid[1] << ", " << block.ctaid[2] << ")";
    if (lane >= 0) {
        const std::uint32_t t = w.index * warp_size + static_cast<std::uint32_t>(lane);
        out << ", thread (" << t % grid.block[0] << ", " << t / grid.block[0] % grid.block[1] << ", "
            << t / grid.block[0] / grid.block[1] << ")";
    }
    const Kernel& kernel = grid.kernel;
    const CodeLine line = kernel.lines[static_cast<std::size_t>(&insn - kernel.insns.data())];
    if (line.line) out << ", PTX line " << line.line;
    if (kernel.locations && line.location < kernel.locations->size()) out << ", " << (*kernel.locations)[line.location];
    return out.str();
}

std::string nearest(const Memory& memory, std::uint64_t address) {
    const auto range = memory.nearest(address);
    if (!range) return "; no memory is allocated";
    const std::uint64_t end = range->base + range->size;
    const std::string where = address < range->base ? std::to_string(range->base - address) + " bytes before"
                              : address >= end      ? std::to_string(address - end) + " bytes behind the end of"
                                                    : std::to_string(address - range->base) + " bytes into";
    return "; " + where + " the nearest allocation, " + hex(range->base) + " of " + std::to_string(range->size) +
           " bytes" + (range->read_only ? " (constant)" : "");
}

[[noreturn]] void access_fault(const Warp& w, const Insn& insn, int lane, bool write, bool misaligned,
                               std::uint64_t address, const std::string& detail) {
    std::ostringstream out;
    out << (misaligned ? "misaligned " : "illegal ") << (write ? "write" : "read") << " of " << insn.size
        << " bytes at " << hex(address) << detail << "; " << place(w, insn, lane);
    throw FaultSignal{misaligned ? CUDA_ERROR_MISALIGNED_ADDRESS : CUDA_ERROR_ILLEGAL_ADDRESS, out.str()};
}

bool within(std::uint64_t address, std::uint64_t base, std::uint64_t extent, std::uint64_t size) {
    return extent >= size && address - base <= extent - size;
}

/// In the lane's own local memory, the block's shared memory or, for reading, the parameters?
bool in_window(const Warp& w, int lane, std::uint64_t address, std::uint64_t size, bool write) {
    const std::uint64_t local =
        reinterpret_cast<std::uint64_t>(w.local) + static_cast<std::uint64_t>(lane) * w.local_size;
    return within(address, reinterpret_cast<std::uint64_t>(w.shared), w.shared_size, size) ||
           within(address, local, w.local_size, size) ||
           (!write && within(address, reinterpret_cast<std::uint64_t>(w.parameters), w.parameter_size, size));
}

}  // namespace

void raise_fault(Warp& w, const Insn& insn, CUresult code, int lane, std::uint64_t address, const char* what) {
    throw FaultSignal{code, std::string(what) + (address ? " " + hex(address) : "") + "; " + place(w, insn, lane)};
}

void check_slow(Warp& w, const Insn& insn, bool write) {
    const std::uint64_t size = insn.size;
    Hit* hits = w.cache->hits + 2 * std::size_t{insn.target};
    const Memory& memory = w.block->grid.memory;
    for (std::uint32_t rest = w.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::uint64_t address = w.address[lane];
        const bool known =
            within(address, hits[0].base, hits[0].size, size) || within(address, hits[1].base, hits[1].size, size);
        if (!known && !in_window(w, lane, address, size, write)) {
            const auto range = memory.find(address);
            if (!range || !within(address, range->base, range->size, size))
                access_fault(w, insn, lane, write, false, address, nearest(memory, address));
            if (write && range->read_only) access_fault(w, insn, lane, write, false, address, nearest(memory, address));
            hits[1] = hits[0];
            hits[0] = {range->base, range->size};
        }
        if (address & (size - 1)) access_fault(w, insn, lane, write, true, address, "");
    }
}

void window_fault(Warp& w, const Insn& insn, bool write) {
    const std::uint64_t size = insn.size;
    const bool shared = insn.window == Window::Shared;
    const std::uint64_t extent = shared ? w.shared_size : w.local_size;
    for (std::uint32_t rest = w.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::uint64_t address = w.address[lane];
        const bool outside = !within(address, 0, extent, size);
        if (!outside && !(address & (size - 1))) continue;
        access_fault(
            w, insn, lane, write, !outside, address,
            " of " + std::to_string(extent) + " bytes of " + (shared ? "shared memory" : "the thread's local memory"));
    }
    throw FaultSignal{CUDA_ERROR_UNKNOWN, "internal: a window fault without a bad lane"};
}

void flush_hits(HitCache& cache) {
    cache.generation = __atomic_load_n(cache.current, __ATOMIC_ACQUIRE);
    for (std::size_t n = 0; n < cache.count; ++n) cache.hits[n] = Hit{};
}

bool is_constant(const Warp& w, std::uint64_t address) {
    const auto range = w.block->grid.memory.find(address);
    return range && range->read_only;
}

std::uint64_t nanoseconds_now() {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count());
}

}  // namespace cpu::exec
