#include <array>

#include "driver/driver_test.hpp"

namespace {

constexpr const char* text = R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry any() { ret; }
.visible .entry two() .explicitcluster .reqnctapercluster 2, 1, 1 { ret; }
.visible .entry plain_two() .reqnctapercluster 2, 1, 1 { ret; }
.visible .entry must() .explicitcluster { ret; }
.visible .entry most() .maxclusterrank 4 { ret; }
)";

using Size = std::array<unsigned, 3>;

/// Launches with clusters, with the codes that driver 580 returned.
class ClusterArgumentsTest : public InContext {
protected:
    void SetUp() override {
        InContext::SetUp();
        ASSERT_OK(cuModuleLoadData(&module_, text));
    }
    CUfunction function(const char* name) {
        CUfunction found = nullptr;
        EXPECT_OK(cuModuleGetFunction(&found, module_, name));
        return found;
    }
    static int attribute(CUfunction f, CUfunction_attribute which) {
        int value = -1;
        EXPECT_OK(cuFuncGetAttribute(&value, which, f));
        return value;
    }
    template <class F>
    static CUresult with(Size grid, Size cluster, F f) {
        CUlaunchAttribute attribute{};
        attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        attribute.value.clusterDim = {cluster[0], cluster[1], cluster[2]};
        const CUlaunchConfig config{grid[0], grid[1], grid[2], 32, 1, 1, 0, nullptr, &attribute, 1};
        return f(&config);
    }
    /// The launch and both questions about it give the same code.
    void expect(CUresult code, const char* name, Size grid, Size cluster) {
        const CUfunction f = function(name);
        int blocks = 0;
        EXPECT_RESULT(code, with(grid, cluster, [&](auto* c) { return cuLaunchKernelEx(c, f, nullptr, nullptr); }))
            << name;
        EXPECT_RESULT(code, with(grid, cluster, [&](auto* c) { return cuOccupancyMaxActiveClusters(&blocks, f, c); }));
        EXPECT_RESULT(code,
                      with(grid, cluster, [&](auto* c) { return cuOccupancyMaxPotentialClusterSize(&blocks, f, c); }));
        EXPECT_OK(cuCtxSynchronize());
    }

    CUmodule module_ = nullptr;
    static constexpr CUresult bad = CUDA_ERROR_INVALID_CLUSTER_SIZE;
};

TEST_F(ClusterArgumentsTest, Sizes) {
    for (const char* name : {"any", "must"}) {
        for (const Size cluster : {Size{1, 1, 1}, {2, 1, 1}, {4, 1, 1}, {2, 2, 1}})
            expect(CUDA_SUCCESS, name, {4, 4, 1}, cluster);
        expect(CUDA_SUCCESS, name, {8, 1, 1}, {8, 1, 1});
        expect(bad, name, {3, 1, 1}, {2, 1, 1});
        expect(bad, name, {9, 1, 1}, {9, 1, 1});
        expect(bad, name, {16, 1, 1}, {16, 1, 1});
        expect(bad, name, {4, 1, 1}, {0, 1, 1});
        EXPECT_OK(cuFuncSetAttribute(function(name), CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
        expect(CUDA_SUCCESS, name, {16, 1, 1}, {16, 1, 1});
        EXPECT_RESULT(bad, with({32, 1, 1}, {32, 1, 1},
                                [&](auto* c) { return cuLaunchKernelEx(c, function(name), nullptr, nullptr); }));
    }
    expect(CUDA_SUCCESS, "any", {4, 1, 1}, {});
    expect(CUDA_SUCCESS, "most", {8, 1, 1}, {4, 1, 1});
    expect(bad, "most", {8, 1, 1}, {8, 1, 1});
    expect(bad, "must", {4, 1, 1}, {});
    for (const char* name : {"two", "plain_two"}) {
        expect(CUDA_SUCCESS, name, {4, 1, 1}, {2, 1, 1});
        expect(CUDA_SUCCESS, name, {4, 1, 1}, {});
        expect(bad, name, {3, 1, 1}, {});
        expect(bad, name, {4, 1, 1}, {1, 1, 1});
        expect(bad, name, {4, 1, 1}, {4, 1, 1});
        expect(bad, name, {4, 4, 1}, {2, 2, 1});
        const CUfunction f = function(name);
        EXPECT_OK(cuLaunchKernel(f, 4, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr));
        EXPECT_RESULT(bad, cuLaunchKernel(f, 3, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr));
    }
    EXPECT_OK(cuCtxSynchronize());
}

TEST_F(ClusterArgumentsTest, Attributes) {
    const auto set = [](CUfunction f, CUfunction_attribute which, int value) {
        return cuFuncSetAttribute(f, which, value);
    };
    constexpr auto width = CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, height = CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT,
                   depth = CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, must = CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET;
    const CUfunction any = function("any"), two = function("two"), plain = function("plain_two");
    EXPECT_EQ(0, attribute(any, must));
    EXPECT_EQ(1, attribute(two, must));
    EXPECT_EQ(0, attribute(plain, must));
    EXPECT_EQ(1, attribute(function("must"), must));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, set(any, must, 1));
    for (const CUfunction f : {two, plain}) {
        EXPECT_EQ(2, attribute(f, width));
        EXPECT_EQ(1, attribute(f, height));
        EXPECT_EQ(1, attribute(f, depth));
        EXPECT_OK(set(f, width, 2));
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, set(f, width, 0));
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, set(f, height, 2));
    }
    EXPECT_EQ(0, attribute(any, width));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, set(any, width, -1));
    EXPECT_OK(set(any, width, 2));
    EXPECT_EQ(2, attribute(any, width));
    EXPECT_RESULT(bad, cuLaunchKernel(any, 4, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr));
    EXPECT_OK(set(any, height, 1));
    EXPECT_OK(set(any, depth, 1));
    EXPECT_OK(cuLaunchKernel(any, 4, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr));
    EXPECT_RESULT(bad, cuLaunchKernel(any, 3, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr));
    int has = 0;
    EXPECT_OK(cuDeviceGetAttribute(&has, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 0));
    EXPECT_EQ(1, has);
}

TEST_F(ClusterArgumentsTest, Occupancy) {
    int largest = 0, active = 0;
    const CUfunction any = function("any");
    EXPECT_OK(with({4, 1, 1}, {}, [&](auto* c) { return cuOccupancyMaxPotentialClusterSize(&largest, any, c); }));
    EXPECT_EQ(8, largest);
    EXPECT_OK(with({4, 1, 1}, {}, [&](auto* c) { return cuOccupancyMaxActiveClusters(&active, any, c); }));
    EXPECT_EQ(0, active);
    EXPECT_OK(with({4, 1, 1}, {4, 1, 1}, [&](auto* c) { return cuOccupancyMaxActiveClusters(&active, any, c); }));
    EXPECT_GT(active, 0);
    EXPECT_OK(cuFuncSetAttribute(any, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    EXPECT_OK(with({4, 1, 1}, {}, [&](auto* c) { return cuOccupancyMaxPotentialClusterSize(&largest, any, c); }));
    EXPECT_EQ(16, largest);
}

}  // namespace
