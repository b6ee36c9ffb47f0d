#pragma once
// How an unknown kernel is executed: by fuzz_exec.cpp and when its findings are replayed.

#include <cstdint>
#include <cstring>
#include <iterator>
#include <vector>

#include "exec/image.hpp"
#include "exec/running/launch.hpp"
#include "exec/running/memory.hpp"

namespace fuzz {

using namespace cpu::exec;

inline constexpr std::uint32_t threads = 48;  // a full warp and half a one
inline constexpr std::size_t most_shared = 227 << 10, most_local = 1 << 20;

/// Words that a kernel may add, shift by, divide by, convert or read as a float.
inline constexpr std::uint32_t extremes[] = {0x80000000u, 0x7fffffffu, 0xffffffffu, 0x7f800000u,
                                             0xff800000u, 0x7fc00001u, 0xffffffe0u, 0x00000001u,
                                             0x807fffffu, 0x3f800001u, 0x7c00fc00u, 0xdeadbeefu};

/// Memory that kernels may touch, with no other range near: small numbers, which may be indices, and extreme ones.
class Buffer {
public:
    explicit Buffer(Memory& memory) : memory_(memory), words_(1024) {
        for (std::uint32_t n = 0; n < words_.size(); ++n)
            words_[n] = n % 2 ? n % 61 : extremes[n / 2 % std::size(extremes)];
        memory_.add({address(), words_.size() * sizeof words_[0], false});
    }
    ~Buffer() { memory_.remove(address()); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(words_.data()); }

private:
    Memory& memory_;
    std::vector<std::uint32_t> words_;
};

/// Eight bytes may be a pointer: they get the buffer's address. Everything else gets a small number.
inline std::vector<std::byte> parameters(const KernelInfo& info, std::uintptr_t buffer) {
    std::vector<std::byte> block(info.parameter_bytes);
    for (const Parameter& p : info.parameters) {
        const std::uint64_t value = p.size == 8 ? buffer : 37;
        std::memcpy(block.data() + p.offset, &value, p.size < sizeof value ? p.size : sizeof value);
    }
    return block;
}

/// One launch, on this thread: it ends in a result or in a fault.
inline void execute(const Kernel& kernel, Memory& memory, double seconds) {
    const KernelInfo& about = info(kernel);
    if (about.static_shared_bytes > most_shared || about.local_bytes > most_local) return;
    const Buffer buffer(memory);
    const std::vector<std::byte> block = parameters(about, buffer.address());
    GridLaunch launch;
    launch.kernel = &kernel;
    launch.memory = &memory;
    launch.grid = {2, 1, 1};
    launch.block = {threads, 1, 1};
    launch.dynamic_shared_bytes = 256;
    launch.parameters = block;
    launch.threads = 1;
    launch.seconds = seconds;
    run(launch);
}

}  // namespace fuzz
