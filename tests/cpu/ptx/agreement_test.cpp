// What opcodes.def accepts and refuses, against ptxas, which sees every combination of every row, and every row with
// modifiers of others: a part of those, or all with PTX_AGREEMENT=all. accepted.txt and refused.txt hold answers about
// others, and about some of the rest.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>

#include "ptx/ptx_forms.hpp"
#include "ptx/ptx_text.hpp"

using namespace cpu::ptx;

namespace {

/// Instructions that ptxas accepts although the PTX manual does not define them.
constexpr const char* undocumented[] = {
    "addc.u16 ",
    "addc.s16 ",
    "subc.u16 ",
    "subc.s16 ",
    "madc.lo.u16 ",
    "madc.lo.s16 ",
    "madc.hi.u16 ",
    "madc.hi.s16 ",
    "fma.rz.",
    "fma.rm.",
    "fma.rp.",
    "fma.rn.sat.oob.",  // half precision
    "rcp.rn.ftz.f64 ",
    "rcp.rz.ftz.f64 ",
    "rcp.rm.ftz.f64 ",
    "rcp.rp.ftz.f64 ",
    "testp.f32 ",
    "testp.f64 ",  // without a property
    "atom.and.",
    "atom.or.",
    "atom.xor.",
    "atom.exch.",  // with a second operand
    "mma.sync.aligned.and.",
    "mma.sync.aligned.xor.",  // of .u4
};

bool is_undocumented(const std::string& text) {
    for (const char* start : undocumented)
        if (text.starts_with(start)) return true;
    // After .b01 in a scalar video instruction, which has no such part, ptxas takes the whole register.
    if (text.find(".b01,") != text.npos || text.find(".b01;") != text.npos) return true;
    // Stores that do not say how they complete, and an mbarrier that is not in brackets.
    const bool completes = text.find("mbarrier::complete_tx::bytes") != text.npos;
    if (text.starts_with("st.async.") && !completes) return true;
    if (text.starts_with("cp.async.bulk.") && completes && std::count(text.begin(), text.end(), '[') == 2) return true;
    // 32-bit addresses: refused for sm_90 too, but not before code is generated.
    return text.starts_with("cvta.") && text.find(".u32 ") != text.npos;
}

bool accepts(const std::string& instruction) {
    return ptx_text::error_of(ptx_text::kernel(instruction)).empty();
}

/// The numbers of the instructions that ptxas refuses. It reads them only: nothing is compiled.
std::set<std::size_t> refused_by_assembler(std::vector<std::string> instructions) {
    if (!std::filesystem::exists(PTX_ASSEMBLER)) throw std::runtime_error("there is no " PTX_ASSEMBLER " beside nvcc");
    const std::string path = testing::TempDir() + "/ptx_agreement." + std::to_string(getpid()) + ".ptx";
    std::set<std::size_t> refused;
    while (true) {
        std::string body;
        for (const std::string& instruction : instructions) body += instruction + "\n";
        const std::string text = ptx_text::newest(ptx_text::kernel(body));
        const auto before =
            static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<long>(text.find(body)), '\n'));
        std::ofstream(path) << text;
        FILE* const answers = popen((PTX_ASSEMBLER " -arch=compute_90 " + path + " 2>&1").c_str(), "r");
        if (!answers) throw std::runtime_error("cannot run " PTX_ASSEMBLER);
        char line[1024];
        std::size_t number = 0, fatal = 0;
        while (std::fgets(line, sizeof line, answers)) {
            const std::string answer = line;
            const std::size_t at = answer.find(", line ");
            if (at == answer.npos || std::sscanf(line + at, ", line %zu", &number) != 1) continue;
            if (answer.find("; error") != answer.npos) refused.insert(number - 1 - before);
            if (answer.find("; fatal") != answer.npos) fatal = number;
        }
        pclose(answers);
        if (!fatal) break;
        refused.insert(fatal - 1 - before);  // ptxas stops reading at a line that it cannot parse
        instructions.at(fatal - 1 - before) = "";
    }
    std::filesystem::remove(path);
    return refused;
}

void expect_agreement(const std::vector<std::string>& instructions) {
    constexpr std::size_t file = 500;  // lines: ptxas is started again after each that it cannot parse
    std::size_t all_refused = 0;
    for (std::size_t first = 0; first < instructions.size(); first += file) {
        const auto begin = instructions.begin() + static_cast<std::ptrdiff_t>(first);
        const std::vector<std::string> some(
            begin, begin + static_cast<std::ptrdiff_t>(std::min(file, instructions.size() - first)));
        const std::set<std::size_t> refused = refused_by_assembler(some);
        all_refused += refused.size();
        for (std::size_t n = 0; n < some.size(); ++n) {
            const bool wanted = !refused.contains(n);
            if (wanted && is_undocumented(some[n])) continue;
            EXPECT_EQ(accepts(some[n]), wanted) << some[n];
        }
    }
    EXPECT_LT(all_refused, instructions.size()) << "ptxas refuses everything";
}

/// Up to `limit` of a row; beyond that, two parts at a time.
std::vector<std::string> all_instructions(std::vector<ptx_forms::Row> (*rows_of)(Opcode), std::size_t limit) {
    std::set<std::string> out;
    for (std::size_t o = 0; o < static_cast<std::size_t>(Opcode::Count); ++o)
        for (const ptx_forms::Row& row : rows_of(static_cast<Opcode>(o)))
            if (ptx_forms::writable(*row.form))
                out.merge([&] {
                    const auto some = ptx_forms::instructions(row, limit);
                    return std::set<std::string>(some.begin(), some.end());
                }());
    return {out.begin(), out.end()};
}

TEST(PtxAgreement, OnTheRowsOfTheTable) {
    expect_agreement(all_instructions(ptx_forms::rows, 3000));
}

/// `text` with a blank before each part of its name.
void add_with_blanks(const std::string& text, std::set<std::string>& out) {
    const std::size_t end = text.find(' ');
    for (std::size_t dot = text.find('.'); dot < end; dot = text.find('.', dot + 1))
        out.insert(text.substr(0, dot) + " " + text.substr(dot));
}

TEST(PtxAgreement, OnBlanks) {
    std::set<std::string> with_blanks, names;
    for (const std::string& text : all_instructions(ptx_forms::rows, 20))
        if (names.insert(text.substr(0, text.find(' '))).second && !is_undocumented(text))
            add_with_blanks(text, with_blanks);
    expect_agreement({with_blanks.begin(), with_blanks.end()});
}

/// Seven in eight of many instructions, the same ones in each run.
bool is_left_out(const std::string& text) {
    return std::hash<std::string>()(text) % 8 != 0;
}

TEST(PtxAgreement, OnWhatIsBesideThem) {
    std::vector<std::string> instructions = all_instructions(ptx_forms::widened_rows, 200);
    // It refuses many of these only when it generates code, and some make it crash.
    std::erase_if(instructions, [](const std::string& text) { return text.starts_with("wmma."); });
    const char* wanted = std::getenv("PTX_AGREEMENT");
    if (!wanted || wanted != std::string("all")) std::erase_if(instructions, is_left_out);
    EXPECT_GT(instructions.size(), 20000u);
    expect_agreement(instructions);
}

/// An instruction with one operand written otherwise: with a part of its register, negated, as a constant.
std::vector<std::string> with_other_operands(const std::string& name, std::size_t operands) {
    static constexpr const char* const others[] = {
        "%r4.b0",    "%r4.b3",    "%r4.b4",    "%r4.h0",    "%r4.h1",   "%r4.h2",   "%r4.b10",  "%r4.b20",
        "%r4.b01",   "%r4.b22",   "%r4.b321",  "%r4.b3210", "%r4.b210", "%r4.b310", "%r4.b013", "%r4.b0123",
        "%r4.b7654", "%r4.b7700", "%r4.b8210", "%r4.h10",   "%r4.h01",  "%r4.h00",  "%r4.h32",  "%r4.h33",
        "%r4.h42",   "%r4.h210",  "%r4.b",     "%r4.w0",    "-%r4",     "-%r4.b1",  "-%r4.h1",  "!%r4",
        "-%p4",      "5",         "-5",        "_",         "%laneid",  "g",        "-g",       "0f3f800000"};
    std::vector<std::string> out;
    for (std::size_t changed = 0; changed < operands; ++changed)
        for (const std::string_view other : others) {
            // ptxas reports constants as destinations only where nothing else is wrong.
            if (changed == 0 && other.find_first_of("%g") == other.npos) continue;
            std::string text = name;
            for (std::size_t n = 0; n < operands; ++n)
                text.append(n ? ", " : " ").append(n == changed ? other : "%r" + std::to_string(n));
            out.push_back(text + ";");
        }
    return out;
}

TEST(PtxAgreement, OnPartsOfRegistersAndSigns) {
    static constexpr std::pair<const char*, std::size_t> names[] = {{"vadd.u32.s32.u32", 3},
                                                                    {"vadd.u32.s32.u32.sat", 4},
                                                                    {"vmin.s32.s32.u32.add", 4},
                                                                    {"vshl.u32.s32.u32.clamp", 4},
                                                                    {"vset.u32.s32.lt", 3},
                                                                    {"vset.u32.s32.lt", 4},
                                                                    {"vset.s32.s32.ge.max", 4},
                                                                    {"vmad.u32.u32.u32", 4},
                                                                    {"vmad.s32.u32.u32.sat.shr7", 4},
                                                                    {"vmad.s32.u32.s32.po", 4},
                                                                    {"vadd2.s32.u32.s32.sat", 4},
                                                                    {"vavrg2.s32.u32.s32.add", 4},
                                                                    {"vset2.u32.s32.ne", 4},
                                                                    {"vsub4.s32.u32.s32", 4},
                                                                    {"vabsdiff4.u32.u32.u32.add", 4},
                                                                    {"vset4.u32.s32.gt.add", 4},
                                                                    {"add.u32", 3},
                                                                    {"mad.lo.s32", 4},
                                                                    {"selp.b32", 4},
                                                                    {"mov.b32", 2}};
    std::vector<std::string> all;
    for (const auto& [name, operands] : names)
        for (std::string& text : with_other_operands(name, operands)) all.push_back(std::move(text));
    for (const char* signs : {"-%r1, %r2, -%r3", "%r1, -%r2, -%r3", "-%r1, -%r2, -%r3", "-%r1.b0, -%r2.h1, %r3",
                              "-%r1, -3, -%r3", "-3, %r1, -%r3", "%r1, - %r2, %r3"})
        all.push_back(std::string("vmad.u32.s32.u32 %r0, ") + signs + ";");
    expect_agreement(all);
}

}  // namespace
