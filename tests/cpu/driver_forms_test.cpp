// One kernel for each legal form of each instruction that computes a value, on edge cases and random bits, through the
// driver's C ABI, against what an H200 gave (exec/forms.txt, whose lines exec/make_forms.py writes).
// FORMS_RECORD=file: writes the lines there with the hashes of what this driver gives, which is how they came to be.
#include "driver_test.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

namespace {

constexpr unsigned lanes = 512, pool_size = 2048, results_a_lane = 3;
const std::vector<std::string> types = {"u8",  "u16",  "u32",   "u64",   "s8",     "s16",   "s32",    "s64",
                                        "b16", "b32",  "b64",   "f16",   "bf16",   "f16x2", "bf16x2", "f32",
                                        "f64", "pred", "u16x2", "s16x2", "e4m3x2", "e5m2x2"};

struct Form {
    std::vector<std::string> results, operands;
    std::string text;
    std::string line;      ///< of the file, but what is expected
    std::string expected;  ///< a hash, or "~tolerance": nothing to compare bit by bit
};

unsigned bits_of(const std::string& type) {
    if (type == "pred") return 1;
    if (type == "e4m3x2" || type == "e5m2x2") return 16;
    if (type.ends_with("x2")) return 32;
    return static_cast<unsigned>(std::stoul(type.substr(type.find_first_of("0123456789"))));
}

std::vector<Form> read_forms() {
    std::ifstream in(std::string(EXEC_TEST_DIRECTORY) + "/forms.txt");
    std::vector<Form> forms;
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line[0] == '#') continue;
        Form form;
        const std::size_t equals = line.find('='), colon = line.find(':'), bar = line.find('@');
        std::istringstream results(line.substr(0, equals)), operands(line.substr(equals + 1, colon - equals - 1));
        for (std::string word; results >> word;) form.results.push_back(word);
        for (std::string word; operands >> word;) form.operands.push_back(word);
        form.text = line.substr(colon + 2, bar == std::string::npos ? bar : bar - colon - 3);
        form.line = line.substr(0, line.find(" @"));
        if (bar != std::string::npos) form.expected = line.substr(bar + 1);
        forms.push_back(form);
    }
    return forms;
}

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

std::uint64_t value(const std::string& type, std::uint64_t random) {
    const std::uint64_t high = mix(random);
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

std::string replaced(std::string text, std::size_t number, const std::string& name) {
    const std::string key = "$" + std::to_string(number);
    for (std::size_t at; (at = text.find(key)) != std::string::npos;) text.replace(at, key.size(), name);
    return text;
}

std::string kernel_text(const Form& form, std::size_t number) {
    std::ostringstream out;
    std::string text = form.text;
    out << ".visible .entry k" << number
        << "(.param .u64 in, .param .u64 out) {\n.reg .b32 %t, %n, %v; .reg .b64 %in, %out, %at, %wide;\n"
        << "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %wide, %t, "
        << 8 * results_a_lane << "; add.u64 %out, %out, %wide;\n";
    std::size_t n = 0;
    const auto declare = [&](const std::string& type) {
        const std::string name = "%x" + std::to_string(n);
        out << ".reg "
            << (type == "pred"        ? ".pred "
                : bits_of(type) <= 16 ? ".b16 "
                : bits_of(type) == 32 ? ".b32 "
                                      : ".b64 ")
            << name << ";\n";
        text = replaced(text, n++, name);
        return name;
    };
    std::vector<std::string> results;
    for (const std::string& type : form.results) results.push_back(declare(type));
    for (std::size_t k = 0; k < form.operands.size(); ++k) {
        const std::string& type = form.operands[k];
        const std::string name = declare(type);
        const auto pool = std::find(types.begin(), types.end(), type) - types.begin();
        out << "mad.lo.u32 %n, %t, " << 2 * k + 3 + 64 * k << ", " << 509 * k + 7 << "; and.b32 %n, %n, "
            << pool_size - 1 << "; mul.wide.u32 %at, %n, 8; add.u64 %at, %at, %in;\n";
        const std::string address = "[%at+" + std::to_string(pool * 8 * pool_size) + "];\n";
        if (type == "pred")
            out << "ld.global.u32 %v, " << address << "setp.ne.u32 " << name << ", %v, 0;\n";
        else
            out << (bits_of(type) == 8    ? "ld.global.u8 "
                    : bits_of(type) == 16 ? "ld.global.b16 "
                    : bits_of(type) == 32 ? "ld.global.b32 "
                                          : "ld.global.b64 ")
                << name << ", " << address;
    }
    out << text << "\n";
    for (std::size_t r = 0; r < results.size(); ++r) {
        const std::string address = "[%out+" + std::to_string(8 * r) + "], ";
        const unsigned bits = bits_of(form.results[r]);
        if (bits == 1)
            out << "selp.u32 %v, 1, 0, " << results[r] << "; st.global.b32 " << address << "%v;\n";
        else
            out << (bits <= 16   ? "st.global.b16 "
                    : bits == 32 ? "st.global.b32 "
                                 : "st.global.b64 ")
                << address << results[r] << ";\n";
    }
    out << "ret;\n}\n";
    return out.str();
}

const std::string header = ".version 8.5\n.target sm_90\n.address_size 64\n";

std::string hash(const std::vector<std::uint64_t>& values) {
    std::uint64_t h = 0xcbf29ce484222325ull;
    for (std::uint64_t v : values) h = mix(h ^ v);
    char text[20];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(h));
    return text;
}

class Forms : public InContext {
protected:
    void SetUp() override {
        InContext::SetUp();
        const std::vector<std::uint64_t> input = pools();
        ASSERT_OK(cuMemAlloc(&in_, 8 * input.size()));
        ASSERT_OK(cuMemAlloc(&out_, 8 * result_count));
        ASSERT_OK(cuMemcpyHtoD(in_, input.data(), 8 * input.size()));
    }

    /// The hash of what kernel `number` gives.
    std::string run(CUmodule module, std::size_t number) {
        CUfunction function = nullptr;
        EXPECT_OK(cuModuleGetFunction(&function, module, ("k" + std::to_string(number)).c_str()));
        EXPECT_OK(cuMemsetD8(out_, 0, 8 * result_count));
        void* parameters[] = {&in_, &out_};
        EXPECT_OK(cuLaunchKernel(function, 1, 1, 1, lanes, 1, 1, 0, nullptr, parameters, nullptr));
        std::vector<std::uint64_t> got(result_count);
        EXPECT_OK(cuMemcpyDtoH(got.data(), out_, 8 * result_count));
        return hash(got);
    }

    static constexpr std::size_t result_count = lanes * results_a_lane;
    CUdeviceptr in_ = 0, out_ = 0;
};

TEST_F(Forms, GiveWhatAGpuGives) {
    const std::vector<Form> forms = read_forms();
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
        ASSERT_OK(cuModuleLoadData(&module, text.c_str())) << forms[first].text;
        for (std::size_t n = first; n < last; ++n) {
            const bool approximate = forms[n].expected.starts_with('~');
            const std::string got = run(module, n);
            if (record) {
                recorded << forms[n].line << " @" << (approximate ? forms[n].expected : got) << "\n";
            } else if (!approximate) {
                EXPECT_EQ(got, forms[n].expected) << forms[n].text;
            }
        }
        EXPECT_OK(cuModuleUnload(module));
    }
}

}  // namespace
