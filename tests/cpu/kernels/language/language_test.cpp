#include <algorithm>
#include <cstdio>

#include "kernels/kernel_fixture.hpp"

namespace {

using namespace kernels;
KERNELS_OF(language, Language);

TEST_P(Language, VirtualFunctions) {
    const int n = 1000;
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) {
        const int kind = i * 7 % 3, area = kind == 0 ? i * (i + 1) : i * i;
        expected[i] = area * 10 + (kind < 2 ? 4 : 3) + (i % 2 ? 9 : 2 * i);
    }
    Buffer<int> out(n);
    launch("shapes", {blocks_for(n, 96), 96}, out, n);
    EXPECT_EQ(out.values(), expected);
    expect_recorded("language/shapes", out.values());
}

TEST_P(Language, TableOfFunctions) {
    const int n = 3000, length = 9;
    Random random(40);
    std::vector<unsigned char> programs;
    std::vector<float> expected;
    for (int i = 0; i < n; ++i) {
        std::vector<float> stack;
        for (int k = 0, pushed = 0; k < length; ++k) {  // five digits and four operations
            if (stack.size() < 2 || (pushed < 5 && random.integer(0, 2))) {
                programs.push_back(static_cast<unsigned char>(random.integer(0, 10)));
                stack.push_back(programs.back());
                ++pushed;
                continue;
            }
            programs.push_back(static_cast<unsigned char>(random.integer(10, 14)));
            const float b = stack.back(), a = stack[stack.size() - 2];
            stack.pop_back();
            const float results[] = {a + b, a - b, a * b, std::max(a, b)};
            stack.back() = results[programs.back() - 10];
        }
        expected.push_back(stack[0]);
    }
    Buffer<unsigned char> in(programs);
    Buffer<float> out(n);
    launch("calculate", {blocks_for(n, 128), 128}, in, length, out, n);
    EXPECT_EQ(out.values(), expected);
    expect_recorded("language/calculate", out.values());
}

TEST_P(Language, LambdasInTemplates) {
    const int n = 500;
    const auto slopes = Random(41).integers<double>(n, -64, 64);
    Buffer<double> in(slopes), out(n);
    launch("integrals", {blocks_for(n, 64), 64}, in, out, n);
    const auto got = out.values();
    for (int i = 0; i < n; ++i) EXPECT_EQ(got[i], 2 * slopes[i] + 2 + slopes[i] * 21 / 64 + 0.5) << i;  // exact
    expect_recorded("language/integrals", got);
}

TEST_P(Language, Recursion) {
    const int n = 200, each = 40;
    auto values = Random(42).integers(n * each, -1000, 1000);
    Buffer<int> data(values), out(30);
    launch("quicksorts", {blocks_for(n, 64), 64}, data, each, n);
    for (int i = 0; i < n; ++i) std::sort(values.begin() + i * each, values.begin() + (i + 1) * each);
    EXPECT_EQ(data.values(), values);
    launch("ackermanns", {1, 30}, out);
    std::vector<int> expected;
    for (int k = 0; k < 10; ++k) expected.insert(expected.end(), {k + 1, k + 2, 2 * k + 3});
    EXPECT_EQ(out.values(), expected);
    expect_recorded("language/quicksorts", data.values());
}

TEST_P(Language, ListsOnTheHeap) {
    const int n = 600;
    Buffer<CUdeviceptr> heads(n);
    Buffer<int> sums(n);
    launch("build_lists", {blocks_for(n, 128), 128}, heads, n);
    launch("sum_lists", {blocks_for(n, 128), 128}, heads, sums, n);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) {
        const int from = n - 1 - i, length = from % 20;
        for (int k = 0; k < length; ++k) expected[i] += (length - k) * (from + k);
    }
    EXPECT_EQ(sums.values(), expected);
    expect_recorded("language/lists", sums.values());
}

TEST_P(Language, LargeParametersAndThreeDimensions) {
    struct Volume {
        unsigned char tag = 200;
        short size[3] = {37, 21, 11};
        double weights[3] = {1, 40, -2000};
        struct {
            CUdeviceptr data = 0;
            signed char name[5] = {97, 98, -3, 100, 101};
        } out;
        int table[100];
    } volume;
    for (int k = 0; k < 100; ++k) volume.table[k] = k * k - 50;
    const int offsets[3][4] = {{1, 2, 3, 4}, {10, 20, 30, 40}, {100, 200, 300, 0}};
    Buffer<float> out(37 * 21 * 11);
    volume.out.data = out.address();
    launch("fill", {{5, 6, 4}, {8, 4, 3}}, volume, -7);
    const auto got = out.values();
    for (int i = 0; i < 37 * 21 * 11; ++i) {
        const int x = i % 37, y = i / 37 % 21, z = i / 37 / 21;
        const double expected = (x + 40.0 * y - 2000.0 * z) * 0.5 + offsets[z % 3][x % 4] + volume.table[i % 100] +
                                volume.out.name[y % 5] + 200 - 7;
        ASSERT_EQ(got[i], expected) << i;
    }
    expect_recorded("language/fill", got);
}

TEST_P(Language, IntegersOf128Bits) {
    __extension__ typedef unsigned __int128 Wide;
    __extension__ typedef __int128 Signed;
    const int n = 1000;
    Random random(55);
    std::vector<std::uint64_t> in(3 * n), expected;
    for (auto& value : in) value = (std::uint64_t{random.bits()} << 32 | random.bits()) >> random.integer(0, 50) | 1;
    for (int i = 0; i < n; ++i) {
        const std::uint64_t base = in[3 * i], exponent = in[3 * i + 1], modulus = in[3 * i + 2];
        Wide power = 1 % modulus;
        for (int bit = 63; bit >= 0; --bit) {
            power = power * power % modulus;
            if (exponent >> bit & 1) power = power * (base % modulus) % modulus;
        }
        const Wide quotient = (Wide{base} << 64 | exponent) / modulus;
        const Signed product = Signed{static_cast<std::int64_t>(base)} * static_cast<std::int64_t>(exponent);
        expected.push_back(static_cast<std::uint64_t>(power));
        expected.push_back(static_cast<std::uint64_t>(quotient));
        expected.push_back(static_cast<std::uint64_t>(quotient >> 64));
        expected.push_back(static_cast<std::uint64_t>(product / static_cast<std::int64_t>(modulus >> 1 | 1)));
    }
    Buffer<std::uint64_t> numbers(in), out(4 * n);
    launch("powers", {blocks_for(n, 64), 64}, numbers, out, n);
    EXPECT_EQ(out.values(), expected);
    expect_recorded("language/powers", out.values());
}

/// What `action` writes to the process's standard output.
template <class F>
std::string stdout_of(F action) {
    testing::internal::CaptureStdout();
    action();
    std::fflush(stdout);
    return testing::internal::GetCapturedStdout();
}

TEST_P(Language, Printf) {
    const std::vector<int> values{0, 12345, -1, 1 << 30, -2000000000};
    Buffer<int> in(values);
    std::string expected;
    for (int i = 0; i < 5; ++i) {
        char line[200];
        std::snprintf(line, sizeof line, "%s %2d: %+d 0x%08x %-6u| %7.3f %e %g %c %lld%%\n", i % 2 ? "odd" : "even", i,
                      values[i], static_cast<unsigned>(values[i]), static_cast<unsigned>(values[i]) & 1023,
                      values[i] / 8.0, static_cast<double>(static_cast<float>(values[i]) * 0.125f), 1.0 / (i + 1),
                      'a' + i, values[i] * 1000000007ll);
        expected += line;
    }
    // Blocks run in any order.
    std::string text = stdout_of([&] { launch("report", {5, 64}, in); });
    const auto lines = [](const std::string& all) {
        std::vector<std::string> result;
        for (std::size_t at = 0, end; (end = all.find('\n', at)) != std::string::npos; at = end + 1)
            result.push_back(all.substr(at, end - at));
        std::ranges::sort(result);
        return result;
    };
    EXPECT_EQ(lines(text), lines(expected));
}

}  // namespace
