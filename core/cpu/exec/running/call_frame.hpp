#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "exec/running/block.hpp"

namespace cpu::exec {

/// A lane's call of a built-in function, with its arguments and results in the caller's frame.
class CallFrame {
public:
    CallFrame(const Warp& w, const Insn& insn, int lane)
        : site_(w.block->grid.kernel.calls[insn.call_site]),
          base_(w.local[lane] + reinterpret_cast<const std::uint32_t*>(w.bank[insn.op[0] & 1] + insn.op[0])[lane]) {}

    template <class T = std::uint64_t>
    T argument(std::size_t n) const {
        T value{};
        if (n < site_.arguments.size())
            std::memcpy(&value, base_ + site_.arguments[n].caller,
                        std::min<std::size_t>(sizeof value, site_.arguments[n].size));
        return value;
    }
    void result(std::uint64_t value) {
        if (!site_.results.empty())
            std::memcpy(base_ + site_.results[0].caller, &value, std::min<std::size_t>(8, site_.results[0].size));
    }

private:
    const CallSite& site_;
    std::byte* base_;
};

}  // namespace cpu::exec
