#include "pycuda/constants/constants.hpp"

#include <cuda.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

using namespace pycuda;

namespace {

const EnumTable* find_table(std::string_view python_name) {
    for (const EnumTable& table : enum_tables()) {
        if (python_name == table.python_name) {
            return &table;
        }
    }
    return nullptr;
}

const EnumValue* find_value(const EnumTable& table, std::string_view name) {
    for (const EnumValue& value : table.values) {
        if (name == value.name) {
            return &value;
        }
    }
    return nullptr;
}

TEST(Constants, TypesHaveTheValuesOfCuda) {
    EXPECT_EQ(static_cast<int>(DeviceAttribute::WARP_SIZE), CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    EXPECT_EQ(static_cast<int>(SharedCarveout::DEFAULT), CU_SHAREDMEM_CARVEOUT_DEFAULT);
    EXPECT_EQ(static_cast<int>(JitTarget::COMPUTE_90A), CU_TARGET_COMPUTE_90A);
    EXPECT_EQ(CtxFlags::SCHED_SPIN | CtxFlags::MAP_HOST, unsigned{CU_CTX_SCHED_SPIN | CU_CTX_MAP_HOST});
    EXPECT_EQ(TR_DEFAULT, CU_PARAM_TR_DEFAULT);
}

TEST(Constants, AliasesEqualTheirCanonicalValue) {
    EXPECT_EQ(DeviceAttribute::SHARED_MEMORY_PER_BLOCK, DeviceAttribute::MAX_SHARED_MEMORY_PER_BLOCK);
    EXPECT_EQ(Array3dFlags::_2DARRAY, Array3dFlags::LAYERED);
}

TEST(Constants, TableNamesWhatTheTypesHold) {
    const EnumTable* table = find_table("device_attribute");
    ASSERT_NE(table, nullptr);
    EXPECT_STREQ(table->cpp_name, "DeviceAttribute");
    EXPECT_STREQ(table->cuda_name, "CUdevice_attribute");
    EXPECT_FALSE(table->flags);

    const EnumValue* canonical = find_value(*table, "MAX_REGISTERS_PER_BLOCK");
    ASSERT_NE(canonical, nullptr);
    EXPECT_EQ(canonical->value, 12);
    EXPECT_FALSE(canonical->alias);
    EXPECT_STREQ(canonical->cuda_name, "CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK");

    const EnumValue* alias = find_value(*table, "REGISTERS_PER_BLOCK");
    ASSERT_NE(alias, nullptr);
    EXPECT_EQ(alias->value, 12);
    EXPECT_TRUE(alias->alias);
    EXPECT_STREQ(alias->canonical, "MAX_REGISTERS_PER_BLOCK");
}

TEST(Constants, FlagsAreMarked) {
    const EnumTable* table = find_table("event_flags");
    ASSERT_NE(table, nullptr);
    EXPECT_TRUE(table->flags);
    EXPECT_EQ(table->values.size(), 4u);
}

TEST(Constants, EveryTableAndNameExistsOnce) {
    std::set<std::string> tables;
    for (const EnumTable& table : enum_tables()) {
        EXPECT_TRUE(tables.insert(table.python_name).second) << table.python_name;
        EXPECT_FALSE(table.values.empty()) << table.python_name;
        std::set<std::string> names;
        for (const EnumValue& value : table.values) {
            EXPECT_TRUE(names.insert(value.name).second) << table.python_name << "." << value.name;
            const EnumValue* canonical = find_value(table, value.canonical);
            ASSERT_NE(canonical, nullptr) << value.canonical;
            EXPECT_EQ(canonical->value, value.value);
        }
    }
    EXPECT_FALSE(module_constants().empty());
}

}  // namespace
