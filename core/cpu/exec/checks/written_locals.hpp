#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

namespace cpu::exec {

/// Tracks which bytes of each thread's local memory a block has written, for PYCUDA_CPU_CHECK=init. Offsets are
/// relative to the thread's own local memory.
class WrittenLocals {
public:
    WrittenLocals(std::size_t threads, std::uint32_t bytes_each);
    /// Another block starts.
    void clear();
    void set(std::size_t thread, std::uint32_t offset, std::uint32_t size);
    /// A function was entered: its frame, and everything after it, is uninitialised again.
    void forget_from(std::size_t thread, std::uint32_t offset);
    /// The first byte that the thread has not written.
    std::optional<std::uint32_t> first_unwritten(std::size_t thread, std::uint32_t offset, std::uint32_t size) const;

private:
    struct Free {
        void operator()(std::uint8_t* p) const noexcept { std::free(p); }
    };
    std::uint32_t bytes_each_;
    std::unique_ptr<std::uint8_t[], Free>
        written_;                      ///< one flag per byte; calloc, so that untouched stacks cost nothing
    std::vector<std::uint32_t> ends_;  ///< by thread: nothing is written from this offset on
};

}  // namespace cpu::exec
