#include "state/memory/page_block.hpp"

#include "state/error.hpp"
#include "state/memory/packed_pages.hpp"
#include "state/memory/retired_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <utility>

namespace cpu::state {

std::size_t page_size() noexcept {
    static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return size;
}

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
    static const long max = [] {
        long mappings = 65530;  // Linux's default
        std::ifstream("/proc/sys/vm/max_map_count") >> mappings;
        return std::max(mappings / 8 * 3, 1024L);
    }();
    return max;
}

/// True if a block is to share mappings. Half of those that blocks may have are left for the large ones.
bool must_pack(std::size_t size) noexcept {
    return size <= largest_packed && live_blocks.load(std::memory_order_relaxed) >= max_blocks() / 2;
}

/// Reserves `size` bytes between two inaccessible pages, and returns their address.
std::uintptr_t reserve(std::size_t size) {
    void* whole = MAP_FAILED;
    if (live_blocks.fetch_add(1) < max_blocks())
        whole = mmap(nullptr, size + 2 * page_size(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (whole == MAP_FAILED) {
        live_blocks.fetch_sub(1);
        fail(CUDA_ERROR_OUT_OF_MEMORY);
    }
    return reinterpret_cast<std::uintptr_t>(whole) + page_size();
}

void unmap_pages(void* address, std::size_t bytes) noexcept {
    munmap(address, bytes);
}

/// The file's pages become ordinary ones again.
void forget_file(void* address, std::size_t bytes) noexcept {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    if (mmap(address, bytes, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED) packed_pages::give(address, bytes);
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
    if (mprotect(data(), size, PROT_READ | PROT_WRITE) != 0) {
        unmap();
        fail(CUDA_ERROR_OUT_OF_MEMORY);
    }
}

PageBlock PageBlock::map_file(int fd, std::size_t bytes, std::size_t offset) {
    PageBlock block;
    const std::size_t size = round_to_pages(bytes);
    block.address_ = reserve(size);
    block.size_ = size;
    require(mmap(block.data(), size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, static_cast<off_t>(offset)) !=
                MAP_FAILED,
            CUDA_ERROR_MAP_FAILED);
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
    for (std::size_t done = 0; done < size_;) {
        const ssize_t written = pwrite(file.descriptor(), data() + done, size_ - done, static_cast<off_t>(done));
        require(written > 0, CUDA_ERROR_OUT_OF_MEMORY);
        done += static_cast<std::size_t>(written);
    }
    require(mmap(data(), size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file.descriptor(), 0) != MAP_FAILED,
            CUDA_ERROR_MAP_FAILED);
    file_ = std::move(file);
}

void PageBlock::unmap() noexcept {
    if (address_ == 0) return;
    if (is_packed_) {
        retired_pages::retire(data(), size_, file_ ? forget_file : packed_pages::give);
    } else {
        retired_pages::retire(data() - page_size(), size_ + 2 * page_size(), unmap_pages);
        live_blocks.fetch_sub(1);
    }
    address_ = 0;
}

}  // namespace cpu::state
