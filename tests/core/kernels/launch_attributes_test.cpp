#include "pycuda/kernels/launch_attributes.hpp"

#include <gtest/gtest.h>

#include <set>

#include "pycuda/errors/error.hpp"
#include "support.hpp"

using namespace pycuda;
using namespace pycuda::test;

namespace {

using Type = LaunchFieldValue::Type;

LaunchFieldValue number(std::int64_t value) {
    return {.type = Type::Integer, .integer = value};
}

const CUlaunchAttributeValue& only(const LaunchAttributes& attributes) {
    return attributes.list()[0].value;
}

TEST(LaunchAttributesTest, TheTableHasEveryAttributeOnce) {
    std::set<int> rows;
    for (const LaunchAttributeInfo& info : launch_attributes()) {
        EXPECT_TRUE(rows.insert(static_cast<int>(info.id)).second) << info.name;
        EXPECT_EQ(&launch_attribute(info.name), &info);
        EXPECT_EQ(&launch_attribute(info.id), &info);
        EXPECT_GE(info.since, 11080);
    }
    for (const EnumTable& table : enum_tables()) {
        if (std::string(table.cpp_name) != "LaunchAttribute") continue;
        for (const EnumValue& value : table.values) {
            if (value.value == 0) continue;  // IGNORE
            std::string name = value.name;
            for (char& c : name) c = static_cast<char>(std::tolower(c));
            EXPECT_EQ(launch_attribute(name).id, static_cast<LaunchAttribute>(value.value));
        }
    }
}

TEST(LaunchAttributesTest, ValuesGoToTheirFields) {
    LaunchAttributes attributes;
    attributes.set(launch_attribute("access_policy_window"),
                   std::vector<LaunchFieldValue>{
                       {.type = Type::Address, .address = 4096}, number(512), {.type = Type::Real, .real = 0.5}});
    const CUaccessPolicyWindow& window = only(attributes).accessPolicyWindow;
    EXPECT_EQ(window.base_ptr, reinterpret_cast<void*>(4096));
    EXPECT_EQ(window.num_bytes, 512u);
    EXPECT_EQ(window.hitRatio, 0.5f);
    EXPECT_EQ(window.hitProp, CU_ACCESS_PROPERTY_PERSISTING);
    EXPECT_EQ(window.missProp, CU_ACCESS_PROPERTY_STREAMING);

    LaunchAttributes domains;
    domains.set(launch_attribute(LaunchAttribute::MEM_SYNC_DOMAIN_MAP), std::vector{number(1), number(3)});
    EXPECT_EQ(only(domains).memSyncDomainMap.default_, 1);
    EXPECT_EQ(only(domains).memSyncDomainMap.remote, 3);

    LaunchAttributes cluster;
    cluster.set(launch_attribute("cluster_dimension"), std::vector{number(4)});
    EXPECT_EQ(only(cluster).clusterDim.x, 4u);
    EXPECT_EQ(only(cluster).clusterDim.z, 1u);
}

TEST(LaunchAttributesTest, WrongValuesAreRefusedByName) {
    LaunchAttributes attributes;
    const auto refuse = [&]<class E>(const char* name, std::vector<LaunchFieldValue> fields) {
        return message_of<E>([&] { attributes.set(launch_attribute(name), fields); });
    };
    EXPECT_HAS(refuse.operator()<ArgumentTypeError>("priority", {}), "'priority' takes (value), given 0 values");
    EXPECT_HAS(refuse.operator()<ArgumentTypeError>("cluster_dimension", {number(1), number(1), number(1), number(1)}),
               "takes (x, y, z), given 4 values");
    EXPECT_HAS(refuse.operator()<ArgumentTypeError>("priority", {{.type = Type::Real, .real = 1}}),
               "'priority': expected an integer");
    EXPECT_HAS(refuse.operator()<ArgumentTypeError>("launch_completion_event", {number(1)}), "expected an Event");
    EXPECT_HAS(refuse.operator()<ArgumentTypeError>("access_policy_window", {number(1), number(1)}),
               "'access_policy_window', address: expected device memory");
    EXPECT_HAS(refuse.operator()<std::invalid_argument>("cluster_dimension", {number(-1)}), "-1 is out of range");
    EXPECT_HAS(refuse.operator()<std::invalid_argument>("mem_sync_domain_map", {number(0), number(256)}),
               "256 is out of range");
    EXPECT_HAS(message_of<std::invalid_argument>([] { launch_attribute("speed"); }),
               "no attribute 'speed' (it takes access_policy_window, cooperative");
    EXPECT_HAS(message_of<std::invalid_argument>([] { launch_attribute(static_cast<LaunchAttribute>(99)); }),
               "no attribute 99");
    EXPECT_TRUE(attributes.empty());
}

}  // namespace
