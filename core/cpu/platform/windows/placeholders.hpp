#pragma once

#include <cstddef>

/// Addresses that are reserved, and whose parts can be exchanged: for pages, for views of files, and back. Windows has
/// them since its version 1803.
namespace cpu::platform::placeholders {

bool exist() noexcept;

void* reserve(void* address, std::size_t bytes, std::size_t alignment) noexcept;
/// What is at these addresses, which are a part of a reservation, becomes a reservation of its own.
bool clear(void* address, std::size_t bytes) noexcept;
/// Both need such a reservation.
bool put_pages(void* address, std::size_t bytes) noexcept;
bool put_file(void* section, std::size_t offset, void* address, std::size_t bytes) noexcept;

}  // namespace cpu::platform::placeholders
