#pragma once

#include "platform/pages.hpp"
#include "state/memory/shared_file.hpp"

#include <cstddef>
#include <cstdint>

namespace cpu::state {

/// Zeroed, page-aligned memory between two inaccessible pages, so that no overrun reaches a neighbour. Small blocks
/// share mappings (packed_pages) once there are very many. Unmapped at destruction. Throws CUDA_ERROR_OUT_OF_MEMORY.
class PageBlock {
public:
    PageBlock() = default;
    explicit PageBlock(std::size_t bytes);
    ~PageBlock();
    PageBlock(PageBlock&& other) noexcept;
    PageBlock& operator=(PageBlock&& other) noexcept;

    /// Maps `bytes` bytes of the file, from the page at `offset` on, between two such pages.
    static PageBlock map_file(const SharedFile& file, std::size_t bytes, std::size_t offset = 0);

    /// Moves the block into a shared file; address and contents stay. It must not be in use meanwhile.
    void share();
    const SharedFile& file() const noexcept { return file_; }

    std::uintptr_t address() const noexcept { return address_; }
    std::byte* data() const noexcept { return reinterpret_cast<std::byte*>(address_); }
    /// The number of bytes, in whole pages.
    std::size_t size() const noexcept { return size_; }

private:
    void unmap() noexcept;

    std::uintptr_t address_ = 0;
    std::size_t size_ = 0;
    bool is_packed_ = false;
    SharedFile file_;
};

using platform::page_size;
std::size_t round_to_pages(std::size_t bytes) noexcept;

}  // namespace cpu::state
