#pragma once

#include <cstddef>
#include <optional>

/// Memory of the system, in whole pages. Where a function returns an address, null is a failure.
namespace cpu::platform {

std::size_t page_size() noexcept;

/// Zeroed pages that the system backs when they are first touched.
void* map_pages(std::size_t bytes) noexcept;
/// Addresses without memory.
void* reserve_addresses(std::size_t bytes) noexcept;
/// The same at `address`, if all those are free.
void* reserve_addresses_at(void* address, std::size_t bytes) noexcept;
/// The same at a multiple of `alignment`.
void* reserve_aligned_addresses(std::size_t bytes, std::size_t alignment) noexcept;
/// Puts zeroed pages at a part of reserved addresses.
bool map_pages_at(void* address, std::size_t bytes) noexcept;
/// Takes away the memory at a part of reserved addresses: pages, or that of a shared file. They stay reserved.
bool take_pages_away(void* address, std::size_t bytes) noexcept;
/// Gives up all that one of the functions above has returned.
void unmap_pages(void* address, std::size_t bytes) noexcept;

/// Gives the memory back to the system. Pages that can be accessed stay so, with zeroed or old contents.
void discard_pages(void* address, std::size_t bytes) noexcept;
/// The same for pages without users: they are zeroed again.
void clear_pages(void* address, std::size_t bytes) noexcept;

/// True if there is memory at all these addresses, of whatever kind.
bool is_mapped(const void* address, std::size_t bytes) noexcept;
/// Whether the page of an address is in memory now; nothing if there is none.
std::optional<bool> is_resident(const void* address) noexcept;

/// How many separate mappings a process may have.
long max_mappings() noexcept;

}  // namespace cpu::platform
