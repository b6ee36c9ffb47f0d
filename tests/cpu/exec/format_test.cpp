// The text that device printf makes from a format and its packed arguments.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "exec/builtins/format.hpp"

namespace {

class Packed {
public:
    template <class... T>
    explicit Packed(T... values) {
        (add(values), ...);
    }
    std::string with(const char* format) {
        return cpu::exec::format_text(format, bytes_, [](std::uint64_t) { return "text"; }, count);
    }
    int count = 0;

private:
    template <class T>
    void add(T value) {
        bytes_.resize((bytes_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T) + sizeof(T));
        std::memcpy(bytes_.data() + bytes_.size() - sizeof(T), &value, sizeof(T));
    }
    std::vector<std::byte> bytes_;
};

TEST(Format, Conversions) {
    Packed packed(7, -2.5, 'x' + 0, 1ll << 40, 99ull);
    EXPECT_EQ(packed.with("%03d|%+.2f|%c|%lld|%s|%%"), "007|-2.50|x|1099511627776|text|%");
    EXPECT_EQ(packed.count, 5);
    EXPECT_EQ(Packed(6, 2, 1.0).with("[%*.*f]"), "[  1.00]");
    EXPECT_EQ(Packed(-4, 5).with("[%*d]"), "[5   ]");
}

TEST(Format, ShortNumbersAreCutAsInC) {
    EXPECT_EQ(Packed(300, 300, -1, 255).with("%hhd %hhu %hhx %hhi"), "44 44 ff -1");
    EXPECT_EQ(Packed(70000, 70000, -1, 40000).with("%hd %hu %hx %hi"), "4464 4464 ffff -25536");
    EXPECT_EQ(Packed(70000).with("%8hd|"), "    4464|");
    EXPECT_EQ(Packed(300, 70000).with("%5hhd|%-6hd|"), "   44|4464  |");
}

TEST(Format, MissingArgumentsAndOddFormatsStand) {
    EXPECT_EQ(Packed(1).with("%d %d"), "1 %d");
    EXPECT_EQ(Packed(1).with("%"), "%");
    EXPECT_EQ(Packed(1).with("100%!"), "100%!");
    EXPECT_EQ(Packed().with("%*d"), "%*d");
}

TEST(Format, WidthsAreLimited) {
    EXPECT_EQ(Packed(5).with("%2000000000d").size(), 99999u);
    EXPECT_EQ(Packed(5).with("%00002000000000d").size(), 99999u);
    EXPECT_EQ(Packed(2147483647, 5).with("%*d").size(), 99999u);
    EXPECT_EQ(Packed(-2147483647 - 1, 5).with("%*d").size(), 99999u);
    EXPECT_EQ(Packed(1.0).with("%.99999999999f").size(), 100001u);
}

}  // namespace
