#include "exec/running/report.hpp"

#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>

#include "exec/observation.hpp"
#include "exec/running/block.hpp"

namespace cpu::exec {

namespace {

/// The name in the source; PTX contains it mangled, except for `extern "C"`.
std::string demangled(const std::string& name) {
    int status = 0;
    char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    const std::string result = status == 0 && name.starts_with("_Z") ? text : name;
    std::free(text);
    return result;
}

std::string describe(const Range& range) {
    return hex(range.base) + " of " + byte_count(range.size) + (range.read_only ? " (constant)" : "");
}

}  // namespace

std::string triple(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return "(" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ")";
}

std::string hex(std::uint64_t value) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

std::string byte_count(std::uint64_t bytes) {
    return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::string block_name(const Block& block) {
    return triple(block.ctaid[0], block.ctaid[1], block.ctaid[2]);
}

std::string thread_name(const Block& block, std::uint32_t t) {
    const auto& size = block.grid.block;
    return triple(t % size[0], t / size[0] % size[1], t / size[0] / size[1]);
}

std::uint32_t thread_number(const Warp& warp, int lane) {
    return warp.index * warp_size + static_cast<std::uint32_t>(lane);
}

std::uint32_t pc_of(const Kernel& kernel, const Insn& insn) {
    return static_cast<std::uint32_t>(&insn - kernel.insns.data());
}

std::string code_location(const Kernel& kernel, std::uint32_t pc) {
    const CodeLine line = kernel.lines[pc];
    std::string text = line.line ? "PTX line " + std::to_string(line.line) : "";
    if (kernel.locations && line.location < kernel.locations->size())
        text += (text.empty() ? "" : ", ") + (*kernel.locations)[line.location];
    return text;
}

std::string location(const Warp& warp, const Insn& insn, int lane) {
    const Block& block = *warp.block;
    const Kernel& kernel = block.grid.kernel;
    std::string text = "block " + block_name(block);
    if (lane >= 0) text += ", thread " + thread_name(block, thread_number(warp, lane));
    const std::string code = code_location(kernel, pc_of(kernel, insn));
    return code.empty() ? text : text + ", " + code;
}

std::string near_memory(const Memory& memory, const QueuedAt& work, std::uint64_t address) {
    std::string text;
    const auto range = memory.nearest(address, work);
    const std::uint64_t end = range ? range->base + range->size : 0;
    const bool inside = range && address >= range->base && address < end;
    if (!inside)
        if (const auto freed = memory.freed(address))
            text = "; " + byte_count(address - freed->base) + " into memory freed earlier, " + describe(*freed) +
                   memory_lines(address, true);
    if (!range) return text + "; no memory is allocated";
    const std::string where = address < range->base ? byte_count(range->base - address) + " before"
                              : address == end      ? "just past the end of"
                              : !inside             ? byte_count(address - end) + " past the end of"
                                                    : byte_count(address - range->base) + " into";
    return text + "; " + where + " the nearest allocation, " + describe(*range) + memory_lines(range->base, false);
}

std::string near_memory(const Grid& grid, std::uint64_t address) {
    return near_memory(grid.memory, grid.launch.queued, address);
}

std::string shared_location(const Kernel& kernel, std::uint32_t offset) {
    for (const SharedVariable& v : kernel.shared_variables)
        if (offset - v.offset < v.size || (v.size == 0 && offset >= v.offset))
            return demangled(v.name) + (offset == v.offset ? "" : " + " + std::to_string(offset - v.offset));
    return "byte " + std::to_string(offset);
}

}  // namespace cpu::exec
