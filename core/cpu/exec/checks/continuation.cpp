#include "exec/checks/continuation.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "exec/running/block.hpp"
#include "exec/running/report.hpp"

namespace cpu::exec {

namespace {

constexpr std::uint64_t mapped_page = 2 << 20;

/// How often each instruction continued after an error, by kernel and location.
struct Counts {
    std::mutex mutex;
    std::map<std::pair<std::string, std::uint32_t>, std::uint64_t> of_instruction;
};

Counts& counts() {
    static auto* const instance = new Counts;  // leaked: kernels may run while the process ends
    return *instance;
}

void tell_counts() {
    std::lock_guard lock(counts().mutex);
    std::uint64_t all = 0;
    for (const auto& [instruction, count] : counts().of_instruction) all += count;
    std::fprintf(stderr, "pycuda: continued after %llu illegal accesses (distinct instructions: %zu)\n",
                 static_cast<unsigned long long>(all), counts().of_instruction.size());
}

}  // namespace

bool lies_in_mapped_page(const Memory& memory, std::uint64_t address) {
    if (memory.contains(address)) return true;
    const auto nearest = memory.nearest(address);
    if (!nearest) return false;
    const std::uint64_t first = nearest->base / mapped_page, last = (nearest->base + nearest->size - 1) / mapped_page;
    return address / mapped_page >= first && address / mapped_page <= last;
}

std::uint64_t go_on_elsewhere(const Warp& warp, const Insn& insn, int lane, const std::string& report) {
    constexpr std::size_t max_bytes = 256;
    alignas(64) static thread_local std::byte scratch[warp_size][max_bytes];
    const Kernel& kernel = warp.block->grid.kernel;
    {
        std::lock_guard lock(counts().mutex);
        static const bool registered = std::atexit(tell_counts) == 0;
        static_cast<void>(registered);
        if (++counts().of_instruction[{kernel.info.name, pc_of(kernel, insn)}] == 1)
            std::fprintf(stderr, "pycuda: kernel %s: %s; continuing\n", kernel.info.name.c_str(), report.c_str());
    }
    std::memset(scratch[lane], 0, max_bytes);
    return reinterpret_cast<std::uint64_t>(scratch[lane]);
}

}  // namespace cpu::exec
