#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "exec/handlers/op_names.hpp"
#include "exec/handlers/op_table.hpp"

namespace {

using namespace cpu::exec;

TEST(OpNames, EveryRowIsFoundByItsNameAndByItsAliases) {
    std::set<std::string_view> names;
    for (std::size_t n = 0; n < std::size(op_names); ++n) {
        EXPECT_TRUE(names.insert(op_names[n]).second) << "two rows are called " << op_names[n];
        const auto found = OpName::find(op_names[n]);
        ASSERT_TRUE(found) << op_names[n];
        EXPECT_EQ(found->row(), n);
    }
    for (const OpAlias& alias : op_aliases) {
        EXPECT_TRUE(names.insert(alias.name).second) << "two rows are called " << alias.name;
        ASSERT_TRUE(OpName::find(alias.name)) << alias.name;
        EXPECT_EQ(OpName::find(alias.name)->text(), alias.row);
    }
}

TEST(OpNames, NothingElseIsFound) {
    EXPECT_FALSE(OpName::find("sda.u32"));
    EXPECT_FALSE(OpName::find("sad"));
    EXPECT_FALSE(OpName::find(""));
    static_assert(row_called("sad.u32") && !row_called("sda.u32"));
}

TEST(OpNames, EveryInstructionSetHasTheSameRows) {
    const OpTable any = ops_baseline();
    std::vector<OpTable> tables{any};
#if defined(__x86_64__)
    tables.push_back(ops_v3());
#endif
    for (const OpTable& table : tables) {
        ASSERT_EQ(table.count, std::size(op_names)) << table.name;
        for (std::size_t n = 0; n < table.count; ++n) {
            EXPECT_EQ(table.ops[n].name, op_names[n]);
            EXPECT_TRUE(any.ops[n].all && any.ops[n].some) << op_names[n];
        }
    }
}

}  // namespace
