// Advice about managed memory, as cuMemRangeGetAttribute reports it.
#include <vector>

#include "driver/driver_test.hpp"

class ManagedTest : public InContext {
protected:
    void SetUp() override {
        InContext::SetUp();
        ASSERT_OK(cuMemAllocManaged(&memory, bytes, CU_MEM_ATTACH_GLOBAL));
    }
    void TearDown() override {
        EXPECT_OK(cuMemFree(memory));
        InContext::TearDown();
    }
    int told(CUmem_range_attribute attribute, size_t from = 0, size_t count = bytes) {
        int value = -99;
        EXPECT_OK(cuMemRangeGetAttribute(&value, sizeof value, attribute, memory + from, count));
        return value;
    }
    std::vector<int> accessors() {
        std::vector<int> places(4, -99);
        EXPECT_OK(cuMemRangeGetAttribute(places.data(), 16, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, memory, bytes));
        return places;
    }
    static constexpr size_t bytes = 1 << 20;
    static constexpr size_t page = 4096;
    const CUmemLocation here{CU_MEM_LOCATION_TYPE_DEVICE, {0}}, host{CU_MEM_LOCATION_TYPE_HOST, {0}};
    CUdeviceptr memory = 0;
};

TEST_F(ManagedTest, NothingIsSaidAtFirst) {
    EXPECT_EQ(0, told(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY));
    EXPECT_EQ(CU_DEVICE_INVALID, told(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION));
    EXPECT_EQ(CU_MEM_LOCATION_TYPE_INVALID, told(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE));
    EXPECT_EQ(CU_DEVICE_INVALID, told(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID));
    EXPECT_EQ(CU_DEVICE_INVALID, told(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION));
    EXPECT_EQ(CU_MEM_LOCATION_TYPE_INVALID, told(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE));
    EXPECT_EQ(std::vector<int>(4, CU_DEVICE_INVALID), accessors());
}

TEST_F(ManagedTest, AdviceIsOfPages) {
    EXPECT_OK(cuMemAdvise(memory + page + 100, 10, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
    EXPECT_EQ(1, told(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, page, page));
    EXPECT_EQ(0, told(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, 0, page));
    EXPECT_EQ(0, told(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY));
    EXPECT_OK(cuMemAdvise(memory, bytes, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
    EXPECT_EQ(1, told(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY));
    EXPECT_OK(cuMemAdvise(memory, page, CU_MEM_ADVISE_UNSET_READ_MOSTLY, here));
    EXPECT_EQ(0, told(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY));
    EXPECT_EQ(1, told(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, page, bytes - page));
}

TEST_F(ManagedTest, Places) {
    EXPECT_OK(cuMemAdvise(memory, bytes, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, here));
    EXPECT_EQ(0, told(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION));
    EXPECT_EQ(CU_MEM_LOCATION_TYPE_DEVICE, told(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE));
    EXPECT_OK(cuMemAdvise(memory, bytes, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, host));
    EXPECT_EQ(CU_DEVICE_CPU, told(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION));
    EXPECT_EQ(CU_MEM_LOCATION_TYPE_HOST, told(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE));
    EXPECT_OK(cuMemAdvise(memory, bytes, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, here));
    EXPECT_EQ(CU_DEVICE_INVALID, told(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION));

    EXPECT_OK(cuMemAdvise(memory, bytes, CU_MEM_ADVISE_SET_ACCESSED_BY, here));
    EXPECT_OK(cuMemAdvise(memory, bytes, CU_MEM_ADVISE_SET_ACCESSED_BY, host));
    EXPECT_EQ((std::vector<int>{0, CU_DEVICE_CPU, CU_DEVICE_INVALID, CU_DEVICE_INVALID}), accessors());
    EXPECT_OK(cuMemAdvise(memory, page, CU_MEM_ADVISE_UNSET_ACCESSED_BY, host));
    EXPECT_EQ((std::vector<int>{0, CU_DEVICE_INVALID, CU_DEVICE_INVALID, CU_DEVICE_INVALID}), accessors());

    EXPECT_OK(cuMemPrefetchAsync(memory, bytes, here, 0, nullptr));
    EXPECT_OK(cuCtxSynchronize());
    EXPECT_EQ(0, told(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION));
    EXPECT_EQ(CU_MEM_LOCATION_TYPE_DEVICE, told(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE));
    EXPECT_OK(cuMemPrefetchAsync(memory, page, host, 0, nullptr));
    EXPECT_OK(cuCtxSynchronize());
    EXPECT_EQ(CU_DEVICE_CPU, told(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, 0, page));
    EXPECT_EQ(CU_DEVICE_INVALID, told(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION));
}

TEST_F(ManagedTest, ManyAttributesAtOnce) {
    EXPECT_OK(cuMemAdvise(memory, bytes, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
    int mostly = -9, preferred = -9;
    void* out[] = {&mostly, &preferred};
    size_t sizes[] = {sizeof mostly, sizeof preferred};
    CUmem_range_attribute which[] = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION};
    EXPECT_OK(cuMemRangeGetAttributes(out, sizes, which, 2, memory, bytes));
    EXPECT_EQ(1, mostly);
    EXPECT_EQ(CU_DEVICE_INVALID, preferred);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                  cuMemRangeGetAttribute(&mostly, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, memory + bytes - 8, 8192));
}
