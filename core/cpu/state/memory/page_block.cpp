#include "state/memory/page_block.hpp"

#include "platform/pages.hpp"
#include "state/error.hpp"
#include "state/memory/packed_pages.hpp"
#include "state/memory/retired_pages.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace cpu::state {

std::size_t round_to_pages(std::size_t bytes) noexcept {
    const std::size_t page = page_size();
    return (bytes + page - 1) / page * page;
}

namespace {

/// Larger blocks always have mappings of their own.
constexpr std::size_t largest_packed = 1 << 20;

std::atomic<long> live_blocks{0};  ///< with mappings of their own

/// The maximum number of such blocks. Each needs two of the mappings that the system allows a process. A quarter is
/// left for other code, which does not handle a failure.
long max_blocks() {
    static const long max = std::max(platform::max_mappings() / 8 * 3, 1024L);
    return max;
}

/// True if a block is to share mappings. Half of those that blocks may have are left for the large ones.
bool must_pack(std::size_t size) noexcept {
    return size <= largest_packed && live_blocks.load(std::memory_order_relaxed) >= max_blocks() / 2;
}

/// Reserves `size` bytes between two inaccessible pages, and returns their address.
std::uintptr_t reserve(std::size_t size) {
    void* whole = nullptr;
    if (live_blocks.fetch_add(1) < max_blocks()) whole = platform::reserve_addresses(size + 2 * page_size());
    if (!whole) {
        live_blocks.fetch_sub(1);
        fail(CUDA_ERROR_OUT_OF_MEMORY);
    }
    return reinterpret_cast<std::uintptr_t>(whole) + page_size();
}

/// The file's pages become ordinary ones again.
void forget_file(void* address, std::size_t bytes) noexcept {
    if (platform::replace_file_by_pages(address, bytes)) packed_pages::give(address, bytes);
}

}  // namespace

PageBlock::PageBlock(std::size_t bytes) {
    require(bytes <= SIZE_MAX / 2, CUDA_ERROR_OUT_OF_MEMORY);
    const std::size_t size = round_to_pages(bytes);
    size_ = size;
    is_packed_ = must_pack(size);
    if (is_packed_) {
        address_ = packed_pages::take(size);
        require(address_ != 0, CUDA_ERROR_OUT_OF_MEMORY);
        return;
    }
    address_ = reserve(size);
    if (!platform::map_pages_at(data(), size)) {
        unmap();
        fail(CUDA_ERROR_OUT_OF_MEMORY);
    }
}

PageBlock PageBlock::map_file(const SharedFile& file, std::size_t bytes, std::size_t offset) {
    PageBlock block;
    const std::size_t size = round_to_pages(bytes);
    block.address_ = reserve(size);
    block.size_ = size;
    file.map_at(block.data(), size, offset);
    return block;
}

PageBlock::~PageBlock() {
    unmap();
}

PageBlock::PageBlock(PageBlock&& other) noexcept
    : address_(std::exchange(other.address_, 0)),
      size_(std::exchange(other.size_, 0)),
      is_packed_(other.is_packed_),
      file_(std::move(other.file_)) {}

PageBlock& PageBlock::operator=(PageBlock&& other) noexcept {
    if (this != &other) {
        unmap();
        address_ = std::exchange(other.address_, 0);
        size_ = std::exchange(other.size_, 0);
        is_packed_ = other.is_packed_;
        file_ = std::move(other.file_);
    }
    return *this;
}

void PageBlock::share() {
    if (file_) return;
    SharedFile file(size_);
    file.write(0, data(), size_);
    file.map_at(data(), size_);
    file_ = std::move(file);
}

void PageBlock::unmap() noexcept {
    if (address_ == 0) return;
    if (is_packed_) {
        retired_pages::retire(data(), size_, file_ ? forget_file : packed_pages::give);
    } else {
        retired_pages::retire(data() - page_size(), size_ + 2 * page_size(), platform::unmap_pages);
        live_blocks.fetch_sub(1);
    }
    address_ = 0;
}

}  // namespace cpu::state
