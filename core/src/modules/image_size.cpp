#include "modules/image_size.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

namespace pycuda {
namespace {

constexpr std::size_t incomplete = std::numeric_limits<std::size_t>::max();

template <class T>
T read(const void* image, std::size_t at) noexcept {
    T value;
    std::memcpy(&value, static_cast<const char*>(image) + at, sizeof value);
    return value;
}

std::size_t sum(std::uint64_t a, std::uint64_t b) noexcept {
    return a > incomplete - b ? incomplete : static_cast<std::size_t>(a + b);
}

/// The size of a 64-bit ELF file: the end of its tables, which linkers write last.
std::size_t size_of_elf(const void* image, std::size_t nbytes) noexcept {
    constexpr std::size_t header = 64;
    if (nbytes < header) return incomplete;
    const auto table = [&](std::size_t offset, std::size_t entry_bytes, std::size_t count) {
        const std::uint64_t bytes =
            std::uint64_t{read<std::uint16_t>(image, entry_bytes)} * read<std::uint16_t>(image, count);
        return bytes == 0 ? 0 : sum(read<std::uint64_t>(image, offset), bytes);
    };
    return std::max({header, table(32, 54, 56), table(40, 58, 60)});
}

std::size_t size_of_fatbin(const void* image, std::size_t nbytes) noexcept {
    constexpr std::size_t header = 16;
    if (nbytes < header) return incomplete;
    return sum(std::max<std::uint64_t>(read<std::uint16_t>(image, 6), header), read<std::uint64_t>(image, 8));
}

}  // namespace

std::size_t size_of_image(const void* image, std::size_t nbytes) noexcept {
    constexpr unsigned char elf[] = {0x7f, 'E', 'L', 'F'};
    constexpr unsigned char fatbin[] = {0x50, 0xed, 0x55, 0xba};
    if (nbytes < 4) return 0;
    if (std::memcmp(image, elf, 4) == 0) return size_of_elf(image, nbytes);
    if (std::memcmp(image, fatbin, 4) == 0) return size_of_fatbin(image, nbytes);
    return 0;
}

}  // namespace pycuda
