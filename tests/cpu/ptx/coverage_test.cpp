// Each row of opcodes.def with each of its types, and each modifier that changes a result, stands in a committed file
// of instructions with expected values: one of instructions/ or a line of forms/forms.txt. What changes no result
// (scopes, orderings, hints) stands there at least once with each opcode.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "files/forms_file.hpp"
#include "files/ptx_file.hpp"
#include "ptx/ptx_forms.hpp"
#include "ptx/ptx_text.hpp"

using namespace cpu::ptx;

namespace {

bool is_hint(Group group) {
    switch (group) {
        case Group::Semantics:
        case Group::Scope:
        case Group::Cache:
        case Group::Eviction:
        case Group::EvictL2:
        case Group::Secondary:
        case Group::PrefetchSize:
            return true;
        default:
            return false;
    }
}

bool is_hint(Flag flag) {
    return flag == Flag::CacheHint || flag == Flag::Unified || flag == Flag::Mmio || flag == Flag::Nc ||
           flag == Flag::Uni || flag == Flag::Aligned;
}

/// What distinguishes one form from another: "cvt.rn.sat.f16.f32 2", the number of operands last.
std::string key(const Instruction& i) {
    std::string text(name(i.opcode));
    const auto add = [&](std::string_view word) { text.append(".").append(word); };
    // Comparing and combining are separate: one comparison with each Boolean operation stands for all.
    const bool combines = i.modifiers.compare != Compare::None && i.modifiers.operation != Operation::None;
    for (std::size_t g = 0; g < group_count; ++g)
        if (const Group group = static_cast<Group>(g); !is_hint(group) && value_of(i.modifiers, group))
            if (group != Group::Compare || !combines) add(spelling(group, value_of(i.modifiers, group)));
    for (std::size_t f = 0; f < static_cast<std::size_t>(Flag::Count); ++f)
        if (const Flag flag = static_cast<Flag>(f); i.modifiers.has(flag) && !is_hint(flag)) add(spelling(flag));
    for (const Type type : i.types)
        if (type != Type::None) add(name(type));
    const std::size_t policy = i.modifiers.has(Flag::CacheHint);
    return text + (i.paired ? " | " : " ") + std::to_string(i.operand_count - policy);
}

/// "ld .acquire" for each hint of an instruction.
std::vector<std::string> hints(const Instruction& i) {
    std::vector<std::string> out;
    const auto add = [&](std::string_view word) {
        out.push_back(std::string(name(i.opcode)) + " ." + std::string(word));
    };
    for (std::size_t g = 0; g < group_count; ++g)
        if (const Group group = static_cast<Group>(g); is_hint(group) && value_of(i.modifiers, group))
            add(spelling(group, value_of(i.modifiers, group)));
    for (std::size_t f = 0; f < static_cast<std::size_t>(Flag::Count); ++f)
        if (const Flag flag = static_cast<Flag>(f); i.modifiers.has(flag) && is_hint(flag)) add(spelling(flag));
    return out;
}

class Coverage {
public:
    Coverage() {
        for (const auto& entry : std::filesystem::directory_iterator(INSTRUCTIONS_DIRECTORY))
            add(ptx_file::read(entry.path()).text);
        std::string forms = forms_file::header;
        std::size_t number = 0;
        for (const auto& form : forms_file::read(FORMS_FILE)) forms += forms_file::kernel_text(form, number++);
        add(forms);
    }
    bool has(const std::string& wanted) const { return seen_.contains(wanted); }

private:
    void add(const std::string& text) {
        for (const Function& function : parse(text).functions)
            for (const Instruction& instruction : function.instructions) {
                seen_.insert(key(instruction));
                for (std::string& hint : hints(instruction)) seen_.insert(std::move(hint));
            }
    }
    std::set<std::string> seen_;
};

/// A row without its hints where it can be, and with one hint at a time.
std::vector<std::string> wanted_instructions(ptx_forms::Row row) {
    using Kind = ptx_forms::Dimension::Kind;
    std::vector<std::string> out;
    ptx_forms::Row plain = row;
    for (ptx_forms::Dimension& d : row.dimensions) {
        const bool hint = (d.kind == Kind::Group && is_hint(static_cast<Group>(d.index))) ||
                          (d.kind == Kind::Flag && is_hint(static_cast<Flag>(d.index)));
        if (hint) plain.dimensions[static_cast<std::size_t>(&d - row.dimensions.data())].values.resize(1);
    }
    out = ptx_forms::instructions(plain, 1u << 20);
    for (std::size_t n = 0; n < row.dimensions.size(); ++n) {
        if (plain.dimensions[n].values.size() == row.dimensions[n].values.size()) continue;
        ptx_forms::Row one = plain;
        for (ptx_forms::Dimension& d : one.dimensions) d.values.resize(1);
        one.dimensions[n] = row.dimensions[n];
        for (std::string& text : ptx_forms::instructions(one, 1u << 20)) out.push_back(std::move(text));
    }
    return out;
}

TEST(PtxCoverage, EveryFormHasAnExecutableTest) {
    const Coverage coverage;
    std::set<std::string> missing;
    std::size_t forms = 0;
    for (std::size_t o = 0; o < static_cast<std::size_t>(Opcode::Count); ++o)
        for (const ptx_forms::Row& row : ptx_forms::rows(static_cast<Opcode>(o))) {
            const bool refused = row.opcode == Opcode::Istypep;  // when it is lowered, by name
            if (refused || !ptx_forms::writable(*row.form)) continue;
            for (const std::string& text : wanted_instructions(row)) {
                if (!ptx_text::error_of(ptx_text::kernel(text)).empty()) continue;
                const Program module = parse(ptx_text::kernel(text));
                const Instruction& instruction = module.function("k")->instructions.front();
                ++forms;
                if (const std::string k = key(instruction); !coverage.has(k)) missing.insert(k);
                for (const std::string& hint : hints(instruction))
                    if (!coverage.has(hint)) missing.insert(hint);
            }
        }
    EXPECT_GT(forms, 3000u);
    std::string list;
    for (const std::string& form : missing) list += "\n  " + form;
    EXPECT_TRUE(missing.empty()) << missing.size() << " of " << forms << " forms have no test:" << list;
}

}  // namespace
