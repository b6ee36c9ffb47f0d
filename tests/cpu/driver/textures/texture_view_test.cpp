// Views: a texture object on an array that is read in another format, or only in part.
#include <utility>

#include "driver/textures/references.hpp"

namespace {

using namespace reference_test;
using texture_test::sampling;

constexpr CUDA_RESOURCE_VIEW_DESC view_of(CUresourceViewFormat format, std::size_t width, std::size_t height = 0,
                                          std::size_t depth = 0) {
    CUDA_RESOURCE_VIEW_DESC view{};
    view.format = format;
    view.width = width;
    view.height = height;
    view.depth = depth;
    return view;
}

CUDA_RESOURCE_DESC on_array(CUarray array) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    return resource;
}

class ViewTest : public ReferenceTest {
protected:
    CUresult create(const CUDA_RESOURCE_DESC& resource, const CUDA_RESOURCE_VIEW_DESC& view,
                    const CUDA_TEXTURE_DESC& how = sampling()) {
        return cuTexObjectCreate(&object, &resource, &how, &view);
    }
    CUtexObject object = 0;
};

TEST_F(ViewTest, ReadsTexelsInEveryFormatOfTheirSize) {
    constexpr std::pair<CUarray_format, unsigned> formats[] = {
        {CU_AD_FORMAT_UNSIGNED_INT8, 1}, {CU_AD_FORMAT_SIGNED_INT8, 1},    {CU_AD_FORMAT_UNSIGNED_INT16, 2},
        {CU_AD_FORMAT_SIGNED_INT16, 2},  {CU_AD_FORMAT_UNSIGNED_INT32, 4}, {CU_AD_FORMAT_SIGNED_INT32, 4},
        {CU_AD_FORMAT_HALF, 2},          {CU_AD_FORMAT_FLOAT, 4}};
    for (const auto& [format, bytes] : formats)
        for (unsigned channels : {1u, 2u, 4u}) {
            std::vector<std::uint8_t> texels(8 * bytes * channels);
            for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<std::uint8_t>(0x3d - i * 41 % 120);
            const CUarray from = array(texels, format, channels, 8);
            for (unsigned view = CU_RES_VIEW_FORMAT_UINT_1X8; view <= CU_RES_VIEW_FORMAT_FLOAT_4X32; ++view) {
                const auto& [as, size] = formats[(view - 1) / 3];
                const unsigned count = 1u << (view - 1) % 3;
                const auto wanted = static_cast<CUresourceViewFormat>(view);
                if (size * count != bytes * channels) {
                    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create(on_array(from), view_of(wanted, 8))) << view;
                    continue;
                }
                ASSERT_OK(create(on_array(from), view_of(wanted, 8))) << view;
                const CUtexObject plain = texture(array(texels, as, count, 8), sampling());
                EXPECT_EQ(fetch<Bits>("f1_of_object", {{1.5f}, {6.5f}}, object),
                          fetch<Bits>("f1_of_object", {{1.5f}, {6.5f}}, plain))
                    << view;
            }
        }
}

TEST_F(ViewTest, RefusesWhatDoesNotFitTheArray) {
    const auto expect = [&](CUresult expected, CUarray from, CUDA_RESOURCE_VIEW_DESC view) {
        EXPECT_RESULT(expected, create(on_array(from), view));
    };
    constexpr CUresourceViewFormat same = CU_RES_VIEW_FORMAT_FLOAT_1X32;
    const CUarray plane = floats(1, 8, 4);
    expect(CUDA_SUCCESS, plane, view_of(same, 8, 4));
    for (const auto& view :
         {view_of(CU_RES_VIEW_FORMAT_NONE, 8, 4), view_of(CU_RES_VIEW_FORMAT_NONE, 0), view_of(same, 4, 4),
          view_of(same, 8, 2), view_of(same, 8, 4, 1), view_of(static_cast<CUresourceViewFormat>(99), 8, 4)})
        expect(CUDA_ERROR_INVALID_VALUE, plane, view);
    CUDA_RESOURCE_VIEW_DESC view = view_of(same, 8, 4);
    view.lastMipmapLevel = 1;
    expect(CUDA_ERROR_INVALID_VALUE, plane, view);
    view = view_of(same, 8, 4);
    view.lastLayer = 1;
    expect(CUDA_ERROR_INVALID_VALUE, plane, view);
    view = view_of(same, 8, 4);
    view.reserved[0] = 1;
    expect(CUDA_ERROR_INVALID_VALUE, plane, view);
    const CUarray layers = floats(1, 8, 4, 5, CUDA_ARRAY3D_LAYERED);
    view = view_of(same, 8, 4, 5);
    view.firstLayer = 3;
    view.lastLayer = 1;
    expect(CUDA_ERROR_INVALID_VALUE, layers, view);
    expect(CUDA_ERROR_INVALID_VALUE, layers, view_of(same, 8, 4, 3));
    expect(CUDA_SUCCESS, layers, view_of(same, 8, 4, 5));
}

TEST_F(ViewTest, CompressedFormatsAreRefusedByName) {
    const CUarray blocks = array(std::vector<std::uint32_t>(8), CU_AD_FORMAT_UNSIGNED_INT32, 2, 2, 2);
    const CUresult expected = on_cpu_device() ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
    EXPECT_RESULT(expected, create(on_array(blocks), view_of(CU_RES_VIEW_FORMAT_UNSIGNED_BC1, 8, 8)));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create(on_array(blocks), view_of(CU_RES_VIEW_FORMAT_UNSIGNED_BC1, 2, 2)));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create(on_array(blocks), view_of(CU_RES_VIEW_FORMAT_UNSIGNED_BC7, 8, 8)));
}

TEST_F(ViewTest, OfLayersCountsFromItsFirst) {
    CUDA_RESOURCE_VIEW_DESC view = view_of(CU_RES_VIEW_FORMAT_FLOAT_1X32, 4, 2, 5);
    view.firstLayer = 1;
    view.lastLayer = 3;
    ASSERT_OK(create(on_array(floats(1, 4, 2, 5, CUDA_ARRAY3D_LAYERED)), view));
    const auto seen = fetch("a2_of_object", {{0.5f, 0.5f, 0, 0}, {0.5f, 0.5f, 0, 2}, {0.5f, 0.5f, 0, 3}}, object);
    EXPECT_EQ(seen[0].x, 9);
    EXPECT_EQ(seen[1].x, 25);
    EXPECT_EQ(seen[2].x, 25);  // the last layer of the view, not of the array
}

/// They are layers of the view, and zero.
TEST_F(ViewTest, HasTheLayersBehindTheArray) {
    CUDA_RESOURCE_VIEW_DESC view = view_of(CU_RES_VIEW_FORMAT_FLOAT_1X32, 4, 2, 5);
    view.firstLayer = 3;
    view.lastLayer = 9;
    const CUarray layers = floats(1, 4, 2, 5, CUDA_ARRAY3D_LAYERED);
    ASSERT_OK(create(on_array(layers), view));
    const std::vector<Vector4> points{{0.5f, 0.5f, 0, 0}, {0.5f, 0.5f, 0, 1}, {0.5f, 0.5f, 0, 2}, {0.5f, 0.5f, 0, 20}};
    auto seen = fetch("a2_of_object", points, object);
    EXPECT_EQ(seen[0].x, 25);
    EXPECT_EQ(seen[1].x, 33);
    EXPECT_EQ(seen[2].x, 0);
    EXPECT_EQ(seen[3].x, 0);
    view.firstLayer = view.lastLayer = 7;
    ASSERT_OK(create(on_array(layers), view));
    seen = fetch("a2_of_object", points, object);
    EXPECT_EQ(seen[0].x, 0);
}

/// The first layer is a face, but as many cubes follow as faces are named.
TEST_F(ViewTest, OfCubesCountsFacesAsCubes) {
    CUDA_RESOURCE_VIEW_DESC view = view_of(CU_RES_VIEW_FORMAT_FLOAT_1X32, 2, 2, 18);
    view.firstLayer = 1;
    view.lastLayer = 2;
    const CUarray cubes = floats(1, 2, 2, 18, CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
    ASSERT_OK(create(on_array(cubes), view,
                     sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, CU_TRSF_NORMALIZED_COORDINATES)));
    const std::vector<Vector4> points{{1, 0.5f, -0.5f, 0}, {1, 0.5f, -0.5f, 1}, {1, 0.5f, -0.5f, 2}};
    const auto seen = fetch("acube_of_object", points, object);
    EXPECT_EQ(seen[0].x, 6);   // texel 1 of face 1
    EXPECT_EQ(seen[1].x, 30);  // of face 7
    EXPECT_EQ(seen[2].x, 30);
}

TEST_F(ViewTest, OfLevelsCountsFromItsFirst) {
    const CUDA_ARRAY3D_DESCRIPTOR shape{16, 16, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    ASSERT_OK(cuMipmappedArrayCreate(&resource.res.mipmap.hMipmappedArray, &shape, 5));
    for (unsigned i = 0; i < 5; ++i) {
        CUarray level = nullptr;
        ASSERT_OK(cuMipmappedArrayGetLevel(&level, resource.res.mipmap.hMipmappedArray, i));
        const std::size_t width = 16u >> i;
        fill(level, std::vector<float>(width * width, 10.0f * static_cast<float>(i + 1)), width, width, 0);
    }
    CUDA_RESOURCE_VIEW_DESC view = view_of(CU_RES_VIEW_FORMAT_FLOAT_1X32, 16, 16);
    view.firstMipmapLevel = 1;
    view.lastMipmapLevel = 3;
    CUDA_TEXTURE_DESC how = sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, CU_TRSF_NORMALIZED_COORDINATES);
    ASSERT_OK(create(resource, view, how));
    const auto seen = fetch("level_of_object", {{0.5f, 0.5f, 0, 0}, {0.5f, 0.5f, 0, 2}, {0.5f, 0.5f, 0, 4}}, object);
    EXPECT_EQ(seen[0].x, 20);
    EXPECT_EQ(seen[1].x, 40);
    EXPECT_EQ(seen[2].x, 40);
}

TEST_F(ViewTest, IsGivenBackAsItWasGiven) {
    CUDA_RESOURCE_VIEW_DESC view = view_of(CU_RES_VIEW_FORMAT_UINT_1X32, 4, 2, 5), seen{};
    view.firstLayer = 1;
    view.lastLayer = 3;
    const CUarray layers = floats(1, 4, 2, 5, CUDA_ARRAY3D_LAYERED);
    ASSERT_OK(create(on_array(layers), view));
    EXPECT_OK(cuTexObjectGetResourceViewDesc(&seen, object));
    EXPECT_EQ(std::memcmp(&seen, &view, sizeof view), 0);
    CUDA_RESOURCE_VIEW_DESC none{};  // a driver leaves it as it is
    EXPECT_OK(cuTexObjectGetResourceViewDesc(&none, texture(layers, sampling())));
    EXPECT_EQ(none.format, CU_RES_VIEW_FORMAT_NONE);
    EXPECT_EQ(none.width, 0u);
}

/// Linear memory has no views: a given one is ignored.
TEST_F(ViewTest, OfLinearMemoryDoesNotMatter) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear.devPtr = counted(16);
    resource.res.linear.format = CU_AD_FORMAT_FLOAT;
    resource.res.linear.numChannels = 1;
    resource.res.linear.sizeInBytes = 64;
    CUDA_RESOURCE_VIEW_DESC seen{};
    ASSERT_OK(create(resource, view_of(CU_RES_VIEW_FORMAT_UINT_4X8, 3)));
    EXPECT_EQ(fetch("i1_of_object", {{2}}, object)[0].x, 3);
    EXPECT_OK(cuTexObjectGetResourceViewDesc(&seen, object));
    EXPECT_EQ(seen.width, 0u);
}

}  // namespace
