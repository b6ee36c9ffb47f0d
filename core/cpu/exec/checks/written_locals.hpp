#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

namespace cpu::exec {

/// Which bytes of its threads' local memory a block has written, for PYCUDA_CPU_CHECK=init. Offsets are in a thread's
/// own.
class WrittenLocals {
public:
    WrittenLocals(std::size_t threads, std::uint32_t bytes_each);
    /// Another block starts.
    void clear();
    void set(std::size_t thread, std::uint32_t offset, std::uint32_t size);
    /// A function is entered: its frame and all behind it are new.
    void forget_from(std::size_t thread, std::uint32_t offset);
    /// The first byte that the thread has not written.
    std::optional<std::uint32_t> first_unwritten(std::size_t thread, std::uint32_t offset, std::uint32_t size) const;

private:
    struct Free {
        void operator()(std::uint8_t* p) const noexcept { std::free(p); }
    };
    std::uint32_t bytes_each_;
    std::unique_ptr<std::uint8_t[], Free> written_;  ///< one a byte; calloc, so that untouched stacks cost nothing
    std::vector<std::uint32_t> ends_;                ///< of each thread: nothing is written from there on
};

}  // namespace cpu::exec
