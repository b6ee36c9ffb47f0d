// Pages, reserved addresses, and files in their place.
#include "platform/pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "platform/shared_file.hpp"

namespace cpu::platform {
namespace {

bool is_zero(const std::byte* bytes, std::size_t count) {
    return std::all_of(bytes, bytes + count, [](std::byte byte) { return byte == std::byte{0}; });
}

TEST(PlatformPages, AreZeroedAndClearedAgain) {
    const std::size_t size = 4 * page_size();
    auto* const pages = static_cast<std::byte*>(map_pages(size));
    ASSERT_TRUE(pages);
    EXPECT_TRUE(is_zero(pages, size));
    std::memset(pages, 1, size);
    clear_pages(pages + page_size(), page_size());
    EXPECT_TRUE(is_zero(pages + page_size(), page_size()));
    EXPECT_FALSE(is_zero(pages, page_size()));
    discard_pages(pages, size);
    std::memset(pages, 2, size);  // still there
    EXPECT_TRUE(is_mapped(pages + 1, size - 1));
    unmap_pages(pages, size);
}

TEST(PlatformPages, APartOfReservedAddressesGetsMemory) {
    const std::size_t page = page_size(), size = 8 * page;
    auto* const start = static_cast<std::byte*>(reserve_addresses(size));
    ASSERT_TRUE(start);
    ASSERT_TRUE(map_pages_at(start + page, 2 * page));
    EXPECT_TRUE(is_zero(start + page, 2 * page));
    EXPECT_TRUE(is_mapped(start + page, 2 * page));
    std::memset(start + page, 1, 2 * page);
    EXPECT_EQ(is_resident(start + page + 1), true);
    ASSERT_TRUE(take_pages_away(start + page, 2 * page));
    ASSERT_TRUE(map_pages_at(start + page, 2 * page));
    EXPECT_TRUE(is_zero(start + page, 2 * page));
    EXPECT_FALSE(reserve_addresses_at(start + page, page)) << "they are taken";
    unmap_pages(start, size);
    EXPECT_FALSE(is_mapped(start, size));
    EXPECT_FALSE(is_resident(start).has_value());
}

TEST(PlatformPages, AddressesAreAligned) {
    constexpr std::size_t size = 1 << 21;
    void* const start = reserve_aligned_addresses(size, size);
    ASSERT_TRUE(start);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(start) % size, 0u);
    unmap_pages(start, size);
}

TEST(PlatformSharedFile, TakesThePlaceOfPages) {
    if (!can_map_files()) GTEST_SKIP() << "this system cannot put files at reserved addresses";
    const std::size_t page = page_size();
    const FileHandle file = make_shared_file(2 * page);
    ASSERT_GE(file, 0);
    EXPECT_EQ(size_of(file), 2 * page);
    const int seven = 7;
    ASSERT_TRUE(write_at(file, page, &seven, sizeof seven));
    auto* const start = static_cast<std::byte*>(reserve_addresses(4 * page));
    ASSERT_TRUE(map_pages_at(start + page, 2 * page));
    ASSERT_TRUE(map_file_at(file, 0, start + page, 2 * page));
    EXPECT_EQ(std::memcmp(start + 2 * page, &seven, sizeof seven), 0);

    const FileHandle again = open_shared_file(number_of(file).value());
    ASSERT_GE(again, 0);
    std::memset(start + page, 3, 1);
    unsigned char seen = 0;
    EXPECT_TRUE(read_at(again, 0, &seen, sizeof seen));
    EXPECT_EQ(seen, 3);
    EXPECT_FALSE(read_at(again, 2 * page, &seen, sizeof seen));
    EXPECT_LT(open_shared_file({number_of(file)->process, number_of(file)->descriptor, 1}), 0);
    close_shared_file(again);

    ASSERT_TRUE(replace_file_by_pages(start + page, 2 * page));
    EXPECT_TRUE(is_zero(start + page, 2 * page));
    unmap_pages(start, 4 * page);
    close_shared_file(file);
}

}  // namespace
}  // namespace cpu::platform
