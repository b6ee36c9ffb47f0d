#include "exec/builtins/builtins.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

#include "exec/builtins/device_heap.hpp"
#include "exec/builtins/format.hpp"
#include "exec/running/call_frame.hpp"
#include "exec/running/device_runtime.hpp"

namespace cpu::exec {

namespace {

/// The bytes from `address` on that a kernel may read.
std::span<const std::byte> readable(const Warp& w, int lane, std::uint64_t address) {
    const auto window = [&](const std::byte* base, std::uint64_t size) -> std::span<const std::byte> {
        const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(base);
        return offset < size ? std::span(base + offset, size - offset) : std::span<const std::byte>();
    };
    auto found = window(w.local[lane], w.local_size);
    if (found.empty()) found = window(w.shared, w.shared_size);
    if (found.empty()) found = window(w.parameters, w.parameter_size);
    if (!found.empty()) return found;
    const auto range = w.block->grid.memory.find(address, w.block->grid.launch.queued);
    if (!range) return {};
    return {reinterpret_cast<const std::byte*>(address), range->base + range->size - address};
}

std::string text_at(const Warp& w, int lane, std::uint64_t address) {
    const auto bytes = readable(w, lane, address);
    if (bytes.empty()) return "(null)";
    const char* text = reinterpret_cast<const char*>(bytes.data());
    return std::string(text, strnlen(text, bytes.size()));
}

void print(Warp& w, const Insn& insn) {
    for (std::uint32_t rest = w.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        CallFrame frame(w, insn, lane);
        const std::string format = text_at(w, lane, frame.argument(0));
        const auto arguments = frame.argument(1) ? readable(w, lane, frame.argument(1)) : std::span<const std::byte>();
        int count = 0;
        w.block->grid.print(
            format_text(format, arguments, [&](std::uint64_t a) { return text_at(w, lane, a); }, count));
        frame.result(static_cast<std::uint64_t>(count));
    }
}

void allocate(Warp& w, const Insn& insn) {
    Grid& grid = w.block->grid;
    for (std::uint32_t rest = w.mask; rest; rest &= rest - 1) {
        CallFrame frame(w, insn, std::countr_zero(rest));
        frame.result(device_heap_allocate(grid.memory, frame.argument(0), grid.heap_bytes));
    }
}

void release(Warp& w, const Insn& insn) {
    for (std::uint32_t rest = w.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        CallFrame frame(w, insn, lane);
        if (!device_heap_free(w.block->grid.memory, frame.argument(0)))
            raise_fault(w, insn, CUDA_ERROR_ILLEGAL_ADDRESS, lane, frame.argument(0),
                        "free of an address that malloc did not return,");
    }
}

/// __assertfail(message, file, line, function, char size)
void fail_assertion(Warp& w, const Insn& insn) {
    const Block& block = *w.block;
    const auto& size = block.grid.block;
    for (std::uint32_t rest = w.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        CallFrame frame(w, insn, lane);
        const std::uint32_t t = w.index * warp_size + static_cast<std::uint32_t>(lane);
        char where[256];
        std::snprintf(where, sizeof where, ": block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `", block.ctaid[0],
                      block.ctaid[1], block.ctaid[2], t % size[0], t / size[0] % size[1], t / size[0] / size[1]);
        const std::string line =
            text_at(w, lane, frame.argument(1)) + ":" + std::to_string(static_cast<std::uint32_t>(frame.argument(2))) +
            ": " + text_at(w, lane, frame.argument(3)) + where + text_at(w, lane, frame.argument(0)) + "` failed.\n";
        std::fputs(line.c_str(), stderr);
    }
    raise_fault(w, insn, CUDA_ERROR_ASSERT, std::countr_zero(w.mask), 0, "assertion failed");
}

}  // namespace

Handler find_builtin(std::string_view name) {
    if (name == "vprintf") return print;
    if (name == "malloc") return allocate;
    if (name == "free") return release;
    if (name == "__assertfail") return fail_assertion;
    return find_device_runtime(name);
}

}  // namespace cpu::exec
