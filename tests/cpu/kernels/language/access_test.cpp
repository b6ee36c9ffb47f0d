#include <array>

#include "kernels/kernel_fixture.hpp"

namespace {

using namespace kernels;

constexpr unsigned lanes = 32, slots = 64;

/// Evenly spaced lanes are moved by other code than those that are not.
const std::pair<const char*, unsigned (*)(unsigned lane)> arrangements[] = {
    {"neighbours", [](unsigned l) { return l; }},
    {"neighbours from an odd place", [](unsigned l) { return l + 3; }},
    {"one place", [](unsigned) { return 5u; }},
    {"halves alike", [](unsigned l) { return l % 16; }},
    {"a place for each half", [](unsigned l) { return l / 16 * 9; }},
    {"halves apart", [](unsigned l) { return l < 16 ? l + 40 : l - 16; }},
    {"one half in one place", [](unsigned l) { return l < 16 ? 7 : l; }},
    {"backwards", [](unsigned l) { return lanes - 1 - l; }},
    {"every second", [](unsigned l) { return 2 * l; }},
    {"scattered", [](unsigned l) { return l * 7 % slots; }},
    {"neighbours but for two inside", [](unsigned l) { return l == 3   ? 5
                                                              : l == 5 ? 3
                                                                       : l; }},
    {"one place but for a lane inside", [](unsigned l) { return l == 20 ? 1u : 2u; }},
};

class Access : public KernelTest {
protected:
    Access() : KernelTest("access") {}

    /// Runs the kernel in every arrangement, by all lanes and by some: expect(in, out before, index, mask) returns
    /// the expected contents of `out`.
    template <class In, class Out, class Expect>
    void expect_everywhere(const std::string& kernel, Expect expect) {
        for (const auto& [name, place_of] : arrangements)
            for (const unsigned mask : {~0u, 0x0f0f7ff1u}) {
                std::vector<unsigned> index(lanes);
                for (unsigned l = 0; l < lanes; ++l) index[l] = place_of(l);
                const std::vector<In> in = random_values<In>(1);
                std::vector<Out> wanted = random_values<Out>(2);
                Buffer<In> source(in);
                Buffer<Out> target(wanted);
                launch(kernel.c_str(), {1, lanes}, source, target, Buffer<unsigned>(index), mask);
                for (unsigned l = 0; l < lanes; ++l)
                    if (mask >> l & 1) expect(in, wanted, l, index[l]);
                EXPECT_EQ(target.values(), wanted) << kernel << ", " << name << ", mask " << mask;
            }
    }

    /// Elements of N values are moved as they are.
    template <class T, std::size_t N>
    void expect_copies(const std::string& type) {
        using Element = std::array<T, N>;
        for (const char* kernel : {"gather_", "shared_gather_"})
            expect_everywhere<Element, Element>(
                kernel + type, [](const auto& in, auto& out, unsigned lane, unsigned place) { out[lane] = in[place]; });
        for (const char* kernel : {"scatter_", "shared_scatter_"})
            expect_everywhere<Element, Element>(
                kernel + type, [](const auto& in, auto& out, unsigned, unsigned place) { out[place] = in[place]; });
    }

    template <class T, std::size_t N>
    void expect_widened(const std::string& type) {
        expect_everywhere<std::array<T, N>, long long>("widen_" + type,
                                                       [](const auto& in, auto& out, unsigned lane, unsigned place) {
                                                           out[lane] = 0;
                                                           for (const T value : in[place])
                                                               out[lane] = out[lane] * 1000 + value;
                                                       });
    }

    template <class T, std::size_t N>
    void expect_narrowed(const std::string& type) {
        expect_everywhere<long long, std::array<T, N>>(
            "narrow_" + type, [](const auto& in, auto& out, unsigned, unsigned place) {
                for (unsigned n = 0; n < N; ++n)
                    out[place][n] = static_cast<T>(static_cast<unsigned long long>(in[place]) * (2 * n + 1));
            });
    }

private:
    template <class T>
    static std::vector<T> random_values(unsigned seed) {
        Random random(seed);
        std::vector<T> values(slots);
        auto* bytes = reinterpret_cast<unsigned char*>(values.data());
        for (std::size_t n = 0; n < slots * sizeof(T); ++n) bytes[n] = static_cast<unsigned char>(random.bits());
        return values;
    }
};
COMPILED_EACH_WAY(access, Access);

// Bits are compared: integers stand for the floating-point types.
TEST_P(Access, MovesEveryWidthInEveryArrangement) {
    expect_copies<unsigned char, 1>("uchar1");
    expect_copies<unsigned char, 2>("uchar2");
    expect_copies<unsigned char, 4>("uchar4");
    expect_copies<unsigned short, 1>("ushort1");
    expect_copies<unsigned short, 2>("ushort2");
    expect_copies<unsigned short, 4>("ushort4");
    expect_copies<unsigned, 1>("float1");
    expect_copies<unsigned, 2>("float2");
    expect_copies<unsigned, 4>("float4");
    expect_copies<std::uint64_t, 1>("double1");
    expect_copies<std::uint64_t, 2>("double2");
}

TEST_P(Access, ExtendsNarrowValuesAsTheirSignSays) {
    expect_widened<signed char, 1>("char1");
    expect_widened<unsigned char, 1>("uchar1");
    expect_widened<short, 1>("short1");
    expect_widened<unsigned short, 1>("ushort1");
    expect_widened<int, 1>("int1");
    expect_widened<signed char, 2>("char2");
    expect_widened<short, 2>("short2");
    expect_widened<unsigned char, 4>("uchar4");
    expect_widened<short, 4>("short4");
}

TEST_P(Access, CutsOffWhatANarrowStoreDoesNotHold) {
    expect_narrowed<signed char, 1>("char1");
    expect_narrowed<short, 1>("short1");
    expect_narrowed<unsigned char, 2>("uchar2");
    expect_narrowed<unsigned short, 2>("ushort2");
    expect_narrowed<signed char, 4>("char4");
    expect_narrowed<unsigned short, 4>("ushort4");
}

}  // namespace
