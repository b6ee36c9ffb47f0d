#include "files/forms_file.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "files/short_text.hpp"

namespace forms_file {

const std::vector<std::string> types = {"u8",     "u16",    "u32",     "u64",   "s8",    "s16",   "s32",
                                        "s64",    "b16",    "b32",     "b64",   "f16",   "bf16",  "f16x2",
                                        "bf16x2", "f32",    "f64",     "pred",  "u16x2", "s16x2", "e4m3x2",
                                        "e5m2x2", "mf16x2", "mbf16x2", "mtf32", "mf32",  "mf64"};

unsigned bits_of(const std::string& type) {
    if (type == "pred") return 1;
    if (type == "e4m3x2" || type == "e5m2x2") return 16;
    if (type.ends_with("x2")) return 32;
    return static_cast<unsigned>(std::stoul(type.substr(type.find_first_of("0123456789"))));
}

namespace {

std::vector<std::string> words(const std::string& text) {
    std::istringstream in(text);
    return {std::istream_iterator<std::string>(in), {}};
}

}  // namespace

std::vector<Form> read(const std::string& path) {
    std::ifstream in(path);
    std::vector<Form> forms;
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line[0] == '#') continue;
        Form form;
        const std::size_t equals = line.find('='), colon = line.find(':'), results_at = line.find(" @");
        form.results = words(line.substr(0, equals));
        form.operands = words(line.substr(equals + 1, colon - equals - 1));
        std::vector<std::string> results;
        for (std::size_t at = results_at; at != line.npos;) {
            const std::size_t next = line.find(" @", at + 1);
            results.push_back(line.substr(at + 2, next - at - 2));
            at = next;
        }
        const auto texts = short_text::alternatives(line.substr(colon + 2, results_at - colon - 2));
        if (results.size() > 1 && results.size() != texts.size())
            throw std::runtime_error("a result for each: " + line);
        for (std::size_t n = 0; n < texts.size(); ++n) {
            form.text = texts[n];
            form.line = line.substr(0, colon + 2) + texts[n];
            if (!results.empty()) form.expected = results[std::min(n, results.size() - 1)];
            forms.push_back(form);
        }
    }
    return forms;
}

const std::string header = R"(.version 8.5
.target sm_90
.address_size 64
.const .align 16 .b8 c[64] = {1, 130, 3, 132, 5, 134, 7, 136, 9, 138, 11, 140, 13, 142, 15, 144, 17, 18, 19, 20, 21, 22, 23,
                              24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46};
.func (.param .align 16 .b8 r[16]) same(.param .align 16 .b8 a[16]) {
.reg .b64 %a, %b;
ld.param.v2.b64 {%a, %b}, [a]; st.param.v2.b64 [r], {%a, %b}; ret;
}
)";

namespace {

std::string register_type(unsigned bits) {
    return bits == 1 ? ".pred" : bits <= 16 ? ".b16" : bits == 32 ? ".b32" : ".b64";
}

/// Each lane's memory, and a few more registers, for the texts that name them.
std::string memory_of(const std::string& text) {
    static const char* const names[] = {"%gl", "%sh", "%lo", "%ge", "%w"};
    if (std::none_of(std::begin(names), std::end(names),
                     [&](const char* name) { return text.find(name) != text.npos; }))
        return "";
    return ".reg .b64 %gl, %sh, %lo, %gegl, %gesh, %gelo; .shared .align 128 .b8 shared_bytes[32768]; "
           ".local .align 16 .b8 local_bytes[64];\n"
           "ld.param.u64 %gegl, [scratch]; mad.wide.u32 %gegl, %t, 64, %gegl; cvta.to.global.u64 %gl, %gegl; "
           "mov.u64 %sh, shared_bytes; mad.wide.u32 %sh, %t, 64, %sh; cvta.shared.u64 %gesh, %sh; "
           "mov.u64 %lo, local_bytes; cvta.local.u64 %gelo, %lo;\n" +
           std::string(text.find("%w") == text.npos
                           ? ""
                           : ".reg .b64 %own, %wgl, %wsh, %wge; mov.u32 %v, %laneid; mul.wide.u32 %own, %v, 64; "
                             "sub.u64 %wgl, %gl, %own; sub.u64 %wsh, %sh, %own; sub.u64 %wge, %gegl, %own;\n");
}

}  // namespace

unsigned Form::results_a_lane() const {
    return text.find("%x0_") != text.npos || results[0].find('*') != std::string::npos ? most_results_a_lane : 3;
}

std::string kernel_text(const Form& form, std::size_t number) {
    std::ostringstream out;
    out << ".visible .entry k" << number
        << "(.param .u64 in, .param .u64 out, .param .u64 scratch, .param .align 16 .b8 bytes[64]) {\n"
        << short_text::scratch << ".reg .b128 %q<4>; .reg .b32 %t, %n, %v; .reg .b64 %in, %out, %at, %wide;\n"
        << "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %wide, %t, "
        << 8 * form.results_a_lane() << "; add.u64 %out, %out, %wide;\n";
    std::vector<short_text::Operand> all;
    for (const auto* words : {&form.results, &form.operands})
        for (const std::string& word : *words) {
            const short_text::Operand& operand = all.emplace_back(word, all.size());
            for (const std::string& name : operand.registers)
                out << ".reg " << register_type(bits_of(operand.type)) << " " << name << ";\n";
        }
    std::size_t k = 0;
    for (std::size_t n = form.results.size(); n < all.size(); ++n) {
        const auto pool = std::find(types.begin(), types.end(), all[n].type) - types.begin();
        const unsigned bits = bits_of(all[n].type);
        for (const std::string& name : all[n].registers) {
            out << "mad.lo.u32 %n, %t, " << 2 * k + 3 + 64 * k << ", " << 509 * k + 7 << "; and.b32 %n, %n, "
                << pool_size - 1 << "; mul.wide.u32 %at, %n, 8; add.u64 %at, %at, %in;\n";
            const std::string address = "[%at+" + std::to_string(pool * 8 * pool_size) + "];\n";
            if (bits == 1)
                out << "ld.global.u32 %v, " << address << "setp.ne.u32 " << name << ", %v, 0;\n";
            else
                out << "ld.global" << (bits == 8 ? ".u8" : register_type(bits)) << " " << name << ", " << address;
            ++k;
        }
    }
    out << memory_of(form.text) << short_text::filled_in(form.text, all) << "\n";
    std::size_t r = 0;
    for (std::size_t n = 0; n < form.results.size(); ++n) {
        const unsigned bits = bits_of(all[n].type);
        for (const std::string& name : all[n].registers) {
            const std::string address = "[%out+" + std::to_string(8 * r++) + "], ";
            if (bits == 1)
                out << "selp.u32 %v, 1, 0, " << name << "; st.global.b32 " << address << "%v;\n";
            else
                out << "st.global" << register_type(bits) << " " << address << name << ";\n";
        }
    }
    out << "ret;\n}\n";
    return out.str();
}

}  // namespace forms_file
