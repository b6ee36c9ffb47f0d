// One kernel for each legal form of each instruction that computes a value, on edge cases and random bits, through the
// driver's C ABI, against an H200's results (forms/forms.txt, whose lines forms/make_forms.py writes).
// FORMS_RECORD=file: writes a line for each form there with the digest of what this driver gives; join_forms.py makes
// forms.txt of them.
#include "driver/driver_test.hpp"
#include "files/forms_file.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

namespace {

using namespace forms_file;

std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

std::uint64_t half_value(const std::string& type, std::uint64_t random) {
    static const std::uint64_t f16[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x3c00, 0xbc00,
                                        0x3c01, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xfe01,
                                        0x3800, 0x4248, 0x5640, 0xd640, 0x6400, 0x2e66};
    static const std::uint64_t bf16[] = {0,      0x8000, 1,      0x8001, 0x7f,   0x80,   0x3f80, 0xbf80,
                                         0x3f81, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0x7f81, 0xffc1,
                                         0x3f00, 0x4049, 0x42c8, 0xc2c8, 0x4f00, 0x3dcd};
    if (random & 1) return random >> 16 & 0xffff;
    const std::size_t n = (random >> 8) % std::size(f16);
    return type.starts_with("f16") ? f16[n] : bf16[n];
}

/// One of a matrix's numbers: about one in size; 1 in 32 is zero or subnormal, 1 in 2,048 an infinity or NaN.
std::uint64_t matrix_value(unsigned exponent_bits, unsigned fraction_bits, std::uint64_t random) {
    const std::uint64_t fraction = mix(random) & ((1ull << fraction_bits) - 1),
                        bias = (1ull << (exponent_bits - 1)) - 1;
    const std::uint64_t rare = random >> 40 & 2047, sign = random >> 52 & 1;
    std::uint64_t exponent = bias - 4 + (random >> 54 & 7);
    if (rare < 64) exponent = 0;
    if (rare == 2047) exponent = 2 * bias + 1;
    const bool plain = rare < 32 || (rare == 2047 && (random >> 57 & 1));
    return (sign << exponent_bits | exponent) << fraction_bits | (plain ? 0 : fraction);
}

std::uint64_t value(const std::string& type, std::uint64_t random) {
    const std::uint64_t high = mix(random);
    if (type == "mf16x2") return matrix_value(5, 10, random) | matrix_value(5, 10, high) << 16;
    if (type == "mbf16x2") return matrix_value(8, 7, random) | matrix_value(8, 7, high) << 16;
    if (type == "mtf32" || type == "mf32") return matrix_value(8, 23, random);
    if (type == "mf64") return matrix_value(11, 52, random);
    if (type.ends_with("f16")) return half_value(type, random);
    if (type == "f16x2" || type == "bf16x2") return half_value(type, random) | half_value(type, high) << 16;
    if (type == "f32") {
        static const std::uint32_t edges[] = {
            0,          0x80000000, 1,          0x80000001, 0x7fffff,   0x800000,   0x80800000, 0x3f800000, 0xbf800000,
            0x3f800001, 0x3f7fffff, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345,
            0x3f000000, 0x3fc00000, 0x40200000, 0xbf000000, 0xc0200000, 0x4b000000, 0x4b800001, 0x4f000000, 0x4effffff,
            0xcf000000, 0x4f800000, 0x5f000000, 0xdf000000, 0x5f800000, 0x43000000, 0x437f0000, 0x43800000, 0xc3000000,
            0x47000000, 0x477fe000, 0x477ff000, 0x33000000, 0x33800000, 0x38800000, 0x387fffff, 0x42f60000};
        if (random & 1) return edges[(random >> 8) % std::size(edges)];
        if (random & 2) return high & 0xffffffff;
        const float moderate =
            std::ldexp(static_cast<float>(static_cast<std::int32_t>(high)), -20 - static_cast<int>(random >> 8 & 15));
        return __builtin_bit_cast(std::uint32_t, moderate);
    }
    if (type == "f64") {
        static const double edges[] = {0.0,
                                       -0.0,
                                       5e-324,
                                       -5e-324,
                                       2.2250738585072014e-308,
                                       1.0,
                                       -1.0,
                                       1.0000000000000002,
                                       0.5,
                                       1.5,
                                       2.5,
                                       -0.5,
                                       -2.5,
                                       1.7976931348623157e308,
                                       -1.7976931348623157e308,
                                       HUGE_VAL,
                                       -HUGE_VAL,
                                       2147483647.0,
                                       2147483647.5,
                                       2147483648.0,
                                       -2147483648.0,
                                       -2147483649.0,
                                       4294967295.0,
                                       4294967296.0,
                                       9223372036854775807.0,
                                       -9223372036854775808.0,
                                       1.8446744073709552e19,
                                       127.0,
                                       128.0,
                                       255.5,
                                       32767.5,
                                       65535.5,
                                       65519.9,
                                       65520.0,
                                       3.4028235677973366e38,
                                       1.1754943e-38,
                                       1e-40,
                                       5.9e-8,
                                       2.9e-8,
                                       4503599627370497.5};
        if (random & 1) return __builtin_bit_cast(std::uint64_t, edges[(random >> 8) % std::size(edges)]);
        if (random & 2) return high >> 52 == 0x7ff || high >> 52 == 0xfff ? 0x7ff8000000000000ull : high;
        return __builtin_bit_cast(std::uint64_t, std::ldexp(static_cast<double>(static_cast<std::int64_t>(high)),
                                                            -40 - static_cast<int>(random >> 8 & 31)));
    }
    if (type == "pred") return random >> 7 & 1;
    const unsigned bits = bits_of(type);
    const std::uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
    switch (random & 7) {
        case 0:
        case 1:
            return random >> 8 & 0x3f & mask;
        case 2:
            return (std::uint64_t{0} - (random >> 8 & 0x1f)) & mask;
        case 3:
            return ((1ull << (bits - 1)) + (random >> 8 & 3) - 2) & mask;
        case 4:
            return 1ull << (random >> 8) % bits;
        default:
            return high & mask;
    }
}

std::vector<std::uint64_t> pools() {
    std::vector<std::uint64_t> all;
    for (std::size_t t = 0; t < types.size(); ++t)
        for (unsigned n = 0; n < pool_size; ++n) all.push_back(value(types[t], mix(t << 32 | n)));
    return all;
}

/// A hash of all values, and the first result of two lanes to make a failure readable.
std::string digest(const std::vector<std::uint64_t>& values) {
    std::uint64_t h = 0xcbf29ce484222325ull;
    for (std::uint64_t v : values) h = mix(h ^ v);
    char text[60];
    const auto number = [](std::uint64_t v) { return static_cast<unsigned long long>(v); };
    std::snprintf(text, sizeof text, "%016llx %llx %llx", number(h), number(values[0]),
                  number(values[values.size() / 2]));
    return text;
}

class Forms : public InContext {
protected:
    void SetUp() override {
        InContext::SetUp();
        const std::vector<std::uint64_t> input = pools();
        ASSERT_OK(cuMemAlloc(&in_, 8 * input.size()));
        ASSERT_OK(cuMemAlloc(&out_, 8 * most_results));
        ASSERT_OK(cuMemAlloc(&scratch_, 64 * lanes));
        for (unsigned n = 0; n < sizeof bytes_; ++n) bytes_[n] = static_cast<unsigned char>(200 - 5 * n);
        ASSERT_OK(cuMemcpyHtoD(in_, input.data(), 8 * input.size()));
    }

    /// The digest of the results of kernel `number`.
    std::string run(CUmodule module, std::size_t number, std::size_t result_count) {
        CUfunction function = nullptr;
        EXPECT_OK(cuModuleGetFunction(&function, module, ("k" + std::to_string(number)).c_str()));
        EXPECT_OK(cuMemsetD8(out_, 0, 8 * result_count));
        EXPECT_OK(cuMemsetD8(scratch_, 0x5a, 64 * lanes));
        void* parameters[] = {&in_, &out_, &scratch_, bytes_};
        EXPECT_OK(cuLaunchKernel(function, 1, 1, 1, lanes, 1, 1, 0, nullptr, parameters, nullptr));
        std::vector<std::uint64_t> got(result_count);
        EXPECT_OK(cuMemcpyDtoH(got.data(), out_, 8 * result_count));
        return digest(got);
    }

    static constexpr std::size_t most_results = lanes * most_results_a_lane;
    CUdeviceptr in_ = 0, out_ = 0, scratch_ = 0;
    unsigned char bytes_[64];
};

TEST_F(Forms, GiveWhatAGpuGives) {
    const std::vector<Form> forms = read(FORMS_FILE);
    ASSERT_GT(forms.size(), 1000u);
    const char* record = std::getenv("FORMS_RECORD");
    std::ofstream recorded;
    if (record) recorded.open(record);
    constexpr std::size_t in_a_module = 250;
    for (std::size_t first = 0; first < forms.size(); first += in_a_module) {
        const std::size_t last = std::min(first + in_a_module, forms.size());
        std::string text = header;
        for (std::size_t n = first; n < last; ++n) text += kernel_text(forms[n], n);
        CUmodule module = nullptr;
        char log[1024] = "";
        CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
        void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
        ASSERT_OK(cuModuleLoadDataEx(&module, text.c_str(), 2, options, values)) << log;
        for (std::size_t n = first; n < last; ++n) {
            const bool approximate = forms[n].expected.starts_with('~');
            const std::string got = run(module, n, lanes * forms[n].results_a_lane());
            if (record) {
                recorded << forms[n].line << " @" << (approximate ? forms[n].expected : got) << "\n";
            } else if (!approximate) {
                EXPECT_EQ(got, forms[n].expected)
                    << forms[n].text << ": hash of all, and the first result of lanes 0 and " << lanes / 2;
            }
        }
        EXPECT_OK(cuModuleUnload(module));
    }
}

}  // namespace
