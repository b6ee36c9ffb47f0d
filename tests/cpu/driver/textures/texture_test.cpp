// Textures through the driver's C ABI; the expected values are computed here by the CUDA guide's formulas.
#include <cmath>
#include <functional>

#include "driver/textures/textures.hpp"

namespace {

using namespace texture_test;

/// tex(x) of a row of n texels; x in texels. `texel` gives T[i] for any i, following the address mode.
float linear1(const std::function<float(int)>& texel, float x) {
    const float below = std::floor(x - 0.5f);
    const float alpha = std::round((x - 0.5f - below) * 256) / 256;  // 8 bits of fraction
    const int i = static_cast<int>(below);
    return (1 - alpha) * texel(i) + alpha * texel(i + 1);
}

int clamped(int i, int n) {
    return std::min(std::max(i, 0), n - 1);
}
int wrapped(int i, int n) {
    while (i < 0) i += n;
    return i % n;
}
int mirrored(int i, int n) {
    i = wrapped(i, 2 * n);
    return i < n ? i : 2 * n - 1 - i;
}

TEST_F(TextureTest, PointSamplingTakesTheTexelBelow) {
    const CUarray texels = array(row, CU_AD_FORMAT_FLOAT, 1, 5);
    const auto seen = fetch("tex1", texture(texels, sampling()), {{0}, {0.99f}, {1}, {2.5f}, {4.9f}, {7}, {-3}});
    const float expected[] = {10, 10, 20, 40, 160, 160, 10};
    for (int i = 0; i < 7; ++i) EXPECT_EQ(seen[i].x, expected[i]) << i;
}

/// Coordinates from far left to far right of the texels, exactly on centres and in between.
TEST_F(TextureTest, AddressModes) {
    const CUarray texels = array(row, CU_AD_FORMAT_FLOAT, 1, 5);
    struct Mode {
        CUaddress_mode mode;
        std::function<float(int)> texel;
    };
    const Mode modes[] = {
        {CU_TR_ADDRESS_MODE_CLAMP, [&](int i) { return row[clamped(i, 5)]; }},
        {CU_TR_ADDRESS_MODE_WRAP, [&](int i) { return row[wrapped(i, 5)]; }},
        {CU_TR_ADDRESS_MODE_MIRROR, [&](int i) { return row[mirrored(i, 5)]; }},
        {CU_TR_ADDRESS_MODE_BORDER, [&](int i) { return i < 0 || i > 4 ? -8.0f : row[i]; }},
    };
    std::vector<Vector4> points;
    for (int n = -70; n <= 130; ++n) points.push_back({static_cast<float>(n) / 64 + 1.0f / 1024});
    for (const Mode& m : modes) {
        CUDA_TEXTURE_DESC how = sampling(m.mode, CU_TR_FILTER_MODE_POINT, CU_TRSF_NORMALIZED_COORDINATES);
        how.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;  // a row with a border above is filtered with it
        how.borderColor[0] = -8;
        const auto point = fetch("tex1", texture(texels, how), points);
        how.filterMode = CU_TR_FILTER_MODE_LINEAR;
        const auto linear = fetch("tex1", texture(texels, how), points);
        for (std::size_t n = 0; n < points.size(); ++n) {
            const float x = 5 * points[n].x;
            EXPECT_EQ(point[n].x, m.texel(static_cast<int>(std::floor(x)))) << m.mode << " at " << x;
            EXPECT_NEAR(linear[n].x, linear1(m.texel, x), 160.0f / 256) << m.mode << " at " << x;
        }
    }
}

TEST_F(TextureTest, WrappingNeedsNormalizedCoordinates) {
    const CUarray texels = array(row, CU_AD_FORMAT_FLOAT, 1, 5);
    for (CUaddress_mode mode : {CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_MIRROR}) {
        const auto seen = fetch("tex1", texture(texels, sampling(mode)), {{6}, {-2}});
        EXPECT_EQ(seen[0].x, 160);
        EXPECT_EQ(seen[1].x, 10);
    }
}

TEST_F(TextureTest, LinearFilteringHasWeightsOf256ths) {
    const CUarray texels = array(std::vector<float>{0, 1024}, CU_AD_FORMAT_FLOAT, 1, 2);
    const CUtexObject linear = texture(texels, sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR));
    const auto seen = fetch("tex1", linear, {{0.5f}, {0.75f}, {1}, {1.5f}, {0.5f + 3.0f / 256}, {0.5f + 3.25f / 256}});
    const float expected[] = {0, 256, 512, 1024, 12, 12};
    for (int i = 0; i < 6; ++i) EXPECT_EQ(seen[i].x, expected[i]) << i;
}

TEST_F(TextureTest, LinearInTwoAndThreeDimensions) {
    std::vector<float> values(4 * 3 * 2);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * i);
    const auto at = [&](int x, int y, int z) {
        return values[static_cast<std::size_t>(clamped(x, 4) + 4 * clamped(y, 3) + 12 * clamped(z, 2))];
    };
    const auto plane = [&](float x, float y, int z) {
        return linear1([&](int j) { return linear1([&](int i) { return at(i, j, z); }, x); }, y);
    };
    std::vector<Vector4> points;
    for (int n = 0; n < 150; ++n)
        points.push_back({static_cast<float>(n % 11) * 0.5f - 0.25f, static_cast<float>(n % 7) * 0.625f,
                          static_cast<float>(n % 5) * 0.5f});
    const CUDA_TEXTURE_DESC how = sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR);
    const auto flat = fetch("tex2", texture(array(values, CU_AD_FORMAT_FLOAT, 1, 4, 6), how), points);
    const auto solid = fetch("tex3", texture(array(values, CU_AD_FORMAT_FLOAT, 1, 4, 3, 2), how), points);
    for (std::size_t n = 0; n < points.size(); ++n) {
        const Vector4 p = points[n];
        EXPECT_NEAR(solid[n].x, linear1([&](int k) { return plane(p.x, p.y, k); }, p.z), 1e-3) << n;
        if (p.y < 2.5f) {
            EXPECT_NEAR(flat[n].x, plane(p.x, p.y, 0), 1e-3) << n;
        }
    }
}

TEST_F(TextureTest, ReadModesAndFormats) {
    const std::vector<Vector4> second{{1.5f, 0.5f}};
    const unsigned integers = CU_TRSF_READ_AS_INTEGER;
    const CUarray bytes =
        array(std::vector<unsigned char>{1, 2, 3, 4, 255, 51, 0, 128}, CU_AD_FORMAT_UNSIGNED_INT8, 4, 2, 1);
    auto f = fetch("tex2", texture(bytes, sampling()), second)[0];
    EXPECT_EQ(f.x, 1.0f);
    EXPECT_FLOAT_EQ(f.y, 51 / 255.0f);
    EXPECT_EQ(f.z, 0.0f);
    EXPECT_FLOAT_EQ(f.w, 128 / 255.0f);
    struct Unsigned {
        unsigned x, y, z, w;
    };
    const auto u = fetch<Unsigned>(
        "tex2_unsigned", texture(bytes, sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, integers)),
        second)[0];
    EXPECT_EQ(u.x, 255u);
    EXPECT_EQ(u.y, 51u);
    EXPECT_EQ(u.w, 128u);
    const CUarray shorts = array(std::vector<short>{0, 0, -32768, 32767}, CU_AD_FORMAT_SIGNED_INT16, 2, 2, 1);
    f = fetch("tex2", texture(shorts, sampling()), second)[0];
    EXPECT_EQ(f.x, -1.0f);
    EXPECT_EQ(f.y, 1.0f);
    struct Signed {
        int x, y, z, w;
    };
    const CUarray words = array(std::vector<int>{7, -123456}, CU_AD_FORMAT_SIGNED_INT32, 1, 2, 1);
    EXPECT_EQ(fetch<Signed>("tex2_int", texture(words, sampling()), second)[0].x, -123456);
    const CUarray halves = array(std::vector<unsigned short>{0, 0, 0x3c00, 0xc100}, CU_AD_FORMAT_HALF, 2, 2, 1);
    f = fetch("tex2", texture(halves, sampling()), second)[0];
    EXPECT_EQ(f.x, 1.0f);
    EXPECT_EQ(f.y, -2.5f);
}

TEST_F(TextureTest, ColoursOfSrgbAreMadeLinear) {
    const CUarray bytes = array(std::vector<unsigned char>{10, 128, 255, 128}, CU_AD_FORMAT_UNSIGNED_INT8, 4, 1, 1);
    const auto seen =
        fetch("tex2", texture(bytes, sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, CU_TRSF_SRGB)),
              {{0.5f, 0.5f}})[0];
    EXPECT_NEAR(seen.x, 10 / 255.0 / 12.92, 1e-4);
    EXPECT_NEAR(seen.y, std::pow((128 / 255.0 + 0.055) / 1.055, 2.4), 1e-3);
    EXPECT_EQ(seen.z, 1);
    EXPECT_FLOAT_EQ(seen.w, 128 / 255.0f);  // not a colour
}

/// The lowest signed value is -1, as the one above it is.
TEST_F(TextureTest, SignedFractionsAndIntegerBorders) {
    const CUarray bytes = array(std::vector<signed char>{-128, -127, 127, 0}, CU_AD_FORMAT_SIGNED_INT8, 1, 4, 1);
    const auto seen = fetch("tex2", texture(bytes, sampling()), {{0, 0}, {1, 0}, {2, 0}, {3, 0}});
    const float expected[] = {-1, -1, 1, 0};
    for (int i = 0; i < 4; ++i) EXPECT_EQ(seen[i].x, expected[i]) << i;
    struct Signed {
        int x, y, z, w;
    };
    const CUDA_TEXTURE_DESC how = sampling(CU_TR_ADDRESS_MODE_BORDER, CU_TR_FILTER_MODE_POINT, CU_TRSF_READ_AS_INTEGER);
    const auto integers = fetch<Signed>("tex2_int", texture(bytes, how), {{0, 0}, {-1, 0}, {4, 0}, {2, 1}, {2, -1}});
    EXPECT_EQ(integers[0].x, -128);
    for (int i = 1; i < 5; ++i) EXPECT_EQ(integers[i].x, 0) << i;
}

TEST_F(TextureTest, LinearMemoryIsZeroOutside) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear.format = CU_AD_FORMAT_FLOAT;
    resource.res.linear.numChannels = 1;
    resource.res.linear.sizeInBytes = 4 * row.size();
    ASSERT_OK(cuMemAlloc(&resource.res.linear.devPtr, 1024));
    ASSERT_OK(cuMemsetD32(resource.res.linear.devPtr, 0x3f800000, 256));
    ASSERT_OK(cuMemcpyHtoD(resource.res.linear.devPtr, row.data(), 4 * row.size()));
    const CUDA_TEXTURE_DESC how = sampling();
    CUtexObject object = 0;
    ASSERT_OK(cuTexObjectCreate(&object, &resource, &how, nullptr));
    const auto seen = fetch<float>("fetch1", object, {{0}, {1}, {4}, {5}, {-1}, {100}});
    EXPECT_EQ(seen, (std::vector<float>{10, 20, 160, 0, 0, 0}));
}

/// The first texel is there even so.
TEST_F(TextureTest, LinearMemoryOfNoTexel) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear.format = CU_AD_FORMAT_FLOAT;
    resource.res.linear.numChannels = 1;
    ASSERT_OK(cuMemAlloc(&resource.res.linear.devPtr, 1024));
    ASSERT_OK(cuMemcpyHtoD(resource.res.linear.devPtr, row.data(), 4 * row.size()));
    const CUDA_TEXTURE_DESC how = sampling();
    for (std::size_t bytes : {0u, 3u}) {
        resource.res.linear.sizeInBytes = bytes;
        CUtexObject object = 0;
        ASSERT_OK(cuTexObjectCreate(&object, &resource, &how, nullptr));
        EXPECT_EQ(fetch<float>("fetch1", object, {{0}, {1}, {-1}}), (std::vector<float>{10, 0, 0})) << bytes;
    }
}

TEST_F(TextureTest, PitchedMemory) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_PITCH2D;
    auto& pitched = resource.res.pitch2D;
    pitched.format = CU_AD_FORMAT_FLOAT;
    pitched.numChannels = 1;
    pitched.width = 3;
    pitched.height = 2;
    ASSERT_OK(cuMemAllocPitch(&pitched.devPtr, &pitched.pitchInBytes, 12, 2, 4));
    ASSERT_OK(cuMemcpyHtoD(pitched.devPtr, row.data(), 12));
    ASSERT_OK(cuMemcpyHtoD(pitched.devPtr + pitched.pitchInBytes, row.data() + 2, 12));
    const CUDA_TEXTURE_DESC how = sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR);
    CUtexObject object = 0;
    ASSERT_OK(cuTexObjectCreate(&object, &resource, &how, nullptr));
    const auto seen = fetch("tex2", object, {{0.5f, 0.5f}, {2.5f, 1.5f}, {2, 1}});
    EXPECT_EQ(seen[0].x, 10);
    EXPECT_EQ(seen[1].x, 160);
    EXPECT_EQ(seen[2].x, (20 + 40 + 80 + 160) / 4.0f);
}

TEST_F(TextureTest, Layers) {
    const unsigned layered = CUDA_ARRAY3D_LAYERED;
    const std::vector<float> values{1, 2, 3, 4, 5, 6, 7, 8};
    const CUtexObject rows = texture(array(values, CU_AD_FORMAT_FLOAT, 1, 2, 0, 4, layered), sampling());
    const auto one = fetch("tex1_layer", rows, {{1.5f, 0, 0, 0}, {0.5f, 0, 0, 2}, {1.5f, 0, 0, 9}});
    EXPECT_EQ(one[0].x, 2);
    EXPECT_EQ(one[1].x, 5);
    EXPECT_EQ(one[2].x, 8);  // the last layer
    const CUtexObject planes = texture(array(values, CU_AD_FORMAT_FLOAT, 1, 2, 2, 2, layered),
                                       sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR));
    const auto two = fetch("tex2_layer", planes, {{1, 1, 0, 0}, {1, 1, 0, 1}, {0.5f, 1.5f, 0, 1}});
    EXPECT_EQ(two[0].x, 2.5f);
    EXPECT_EQ(two[1].x, 6.5f);  // layers are not mixed
    EXPECT_EQ(two[2].x, 7);
}

TEST_F(TextureTest, CubeMaps) {
    std::vector<float> faces(4 * 12);
    for (std::size_t i = 0; i < faces.size(); ++i) faces[i] = static_cast<float>(i);
    const CUDA_TEXTURE_DESC how =
        sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, CU_TRSF_NORMALIZED_COORDINATES);
    const unsigned cube = CUDA_ARRAY3D_CUBEMAP;
    const std::vector<float> first(faces.begin(), faces.begin() + 24);
    const CUtexObject single = texture(array(first, CU_AD_FORMAT_FLOAT, 1, 2, 2, 6, cube), how);
    // The upper right quarter of each face: s > 0, t < 0 by the guide's table, so texel 1 of the face.
    const std::vector<Vector4> directions{{2, 1, -1, 1}, {-2, 1, 1, 1}, {1, 2, -1, 1},
                                          {1, -2, 1, 1}, {1, 1, 2, 1},  {-1, 1, -2, 1}};
    const auto seen = fetch("tex_cube", single, directions);
    for (std::size_t f = 0; f < 6; ++f) EXPECT_EQ(seen[f].x, static_cast<float>(4 * f + 1)) << f;
    const CUtexObject two = texture(array(faces, CU_AD_FORMAT_FLOAT, 1, 2, 2, 12, cube | CUDA_ARRAY3D_LAYERED), how);
    const auto second = fetch("tex_cube_layer", two, directions);
    for (std::size_t f = 0; f < 6; ++f) EXPECT_EQ(second[f].x, static_cast<float>(24 + 4 * f + 1)) << f;
}

/// Each face holds its number; the directions point at the middle of an edge, where two faces meet.
TEST_F(TextureTest, FilteringAcrossTheEdgesOfACube) {
    std::vector<float> faces(24);
    for (std::size_t i = 0; i < faces.size(); ++i) faces[i] = static_cast<float>(i / 4);
    const CUarray cube = array(faces, CU_AD_FORMAT_FLOAT, 1, 2, 2, 6, CUDA_ARRAY3D_CUBEMAP);
    const unsigned normalized = CU_TRSF_NORMALIZED_COORDINATES;
    const std::vector<Vector4> edges{{1, 0, 1}, {0, 1, 1}, {-1, 0, -1}, {0, -1, -1}};
    CUDA_TEXTURE_DESC how = sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR, normalized);
    const auto apart = fetch("tex_cube", texture(cube, how), edges);
    how.flags |= CU_TRSF_SEAMLESS_CUBEMAP;
    const auto together = fetch("tex_cube", texture(cube, how), edges);
    const float one[] = {4, 4, 5, 5}, both[] = {2, 3, 3, 4};
    for (std::size_t n = 0; n < edges.size(); ++n) {
        EXPECT_EQ(apart[n].x, one[n]) << n;
        EXPECT_EQ(together[n].x, both[n]) << n;
    }
}

TEST_F(TextureTest, MipmapLevels) {
    const CUDA_ARRAY3D_DESCRIPTOR shape{4, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    ASSERT_OK(cuMipmappedArrayCreate(&resource.res.mipmap.hMipmappedArray, &shape, 3));
    for (unsigned n = 0; n < 3; ++n) {
        CUarray level = nullptr;
        ASSERT_OK(cuMipmappedArrayGetLevel(&level, resource.res.mipmap.hMipmappedArray, n));
        const std::size_t size = 4u >> n;
        fill(level, std::vector<float>(size * size, static_cast<float>(100 * n)), size, size, 0);
    }
    CUDA_TEXTURE_DESC how = sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, CU_TRSF_NORMALIZED_COORDINATES);
    const auto create = [&] {
        CUtexObject object = 0;
        EXPECT_OK(cuTexObjectCreate(&object, &resource, &how, nullptr));
        return object;
    };
    const auto levels = [&](std::vector<float> wanted) {
        std::vector<Vector4> points;
        for (float w : wanted) points.push_back({0.5f, 0.5f, 0, w});
        std::vector<float> seen;
        for (const Vector4& v : fetch("tex2_level", create(), points)) seen.push_back(v.x);
        return seen;
    };
    EXPECT_EQ(levels({0, 0.25f, 0.75f, 1, 2, 9, -1}), (std::vector<float>{0, 0, 100, 100, 200, 200, 0}));
    how.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR;
    EXPECT_EQ(levels({0, 0.25f, 1.5f, 9}), (std::vector<float>{0, 25, 150, 200}));
    const auto steps =
        fetch("tex2_gradient", create(), {{0.5f, 0.5f, 0.5f, 0.1f}, {0.5f, 0.5f, 0, 1}, {0.5f, 0.5f, 0, 0}});
    EXPECT_EQ(steps[0].x, 100);  // two texels
    EXPECT_EQ(steps[1].x, 200);
    EXPECT_EQ(steps[2].x, 0);
    EXPECT_EQ(fetch("tex2", create(), {{0.5f, 0.5f}})[0].x, 0);
    how.mipmapLevelBias = 0.5f;
    how.maxMipmapLevelClamp = 1.25f;
    EXPECT_EQ(levels({0, 0.25f, 2}), (std::vector<float>{50, 75, 125}));
}

TEST_F(TextureTest, Gathers) {
    std::vector<float> values;
    for (int i = 0; i < 9; ++i) values.insert(values.end(), {static_cast<float>(i), static_cast<float>(10 * i)});
    const CUarray texels = array(values, CU_AD_FORMAT_FLOAT, 2, 3, 3, 0, CUDA_ARRAY3D_TEXTURE_GATHER);
    const auto seen = fetch("gather", texture(texels, sampling()), {{1, 1}, {2.2f, 1.9f}});
    const float expected[2][4] = {{30, 40, 10, 0}, {70, 80, 50, 40}};
    for (int n = 0; n < 2; ++n) {
        EXPECT_EQ(seen[n].x, expected[n][0]);
        EXPECT_EQ(seen[n].y, expected[n][1]);
        EXPECT_EQ(seen[n].z, expected[n][2]);
        EXPECT_EQ(seen[n].w, expected[n][3]);
    }
}

TEST_F(TextureTest, ResidencyIsTrue) {
    const auto seen = fetch("resident", texture(array(row, CU_AD_FORMAT_FLOAT, 1, 5, 1), sampling()), {{2.5f, 0.5f}});
    EXPECT_EQ(seen[0].x, 40);
    EXPECT_EQ(seen[0].w, 1);
}

TEST_F(TextureTest, InALoopThatThreadsLeaveAtDifferentTurns) {
    std::vector<float> next(32);
    for (int i = 0; i < 32; ++i) next[i] = static_cast<float>((5 * i + 3) % 32);
    ASSERT_OK(launch("follow", 1, 32, out, 9u, texture(array(next, CU_AD_FORMAT_FLOAT, 1, 32), sampling())));
    const auto seen = results<float>(32);
    for (int t = 0; t < 32; ++t) {
        int x = t;
        for (int n = t & 3; n < 9; ++n) x = (5 * x + 3) % 32;
        EXPECT_EQ(seen[t], static_cast<float>(x)) << t;
    }
}

TEST_F(TextureTest, EachThreadMayHaveItsOwnTexture) {
    std::vector<CUtexObject> objects;
    for (int t = 0; t < 32; ++t) {
        std::vector<float> values(32);
        for (int i = 0; i < 32; ++i) values[i] = static_cast<float>(100 * t + i);
        objects.push_back(texture(array(values, CU_AD_FORMAT_FLOAT, 1, 32), sampling()));
    }
    ASSERT_OK(cuMemcpyHtoD(in, objects.data(), 32 * sizeof objects[0]));
    ASSERT_OK(launch("many", 1, 32, out, in, 5u));
    const auto seen = results<float>(32);
    for (int t = 0; t < 32; ++t) EXPECT_EQ(seen[t], t % 5 ? static_cast<float>(101 * t) : 0.0f) << t;
}

TEST_F(TextureTest, DestroyedObjectsAreFaults) {
    if (!on_cpu_device()) GTEST_SKIP() << "what a GPU reads through a stale handle is undefined";
    const CUtexObject object = texture(array(row, CU_AD_FORMAT_FLOAT, 1, 5), sampling());
    ASSERT_OK(cuTexObjectDestroy(object));
    EXPECT_RESULT(CUDA_ERROR_LAUNCH_FAILED, launch("tex1", 1, 1, out, in, 1u, object));
}

TEST_F(TextureTest, Queries) {
    const CUtexObject object =
        texture(array(row, CU_AD_FORMAT_FLOAT, 1, 5, 1),
                sampling(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, CU_TRSF_NORMALIZED_COORDINATES));
    const CUsurfObject layers = surface(float_surface(8, 4, 3, CUDA_ARRAY3D_LAYERED));
    ASSERT_OK(launch("ask", 1, 1, out, object, layers));
    EXPECT_EQ(results<unsigned>(6), (std::vector<unsigned>{5, 1, 0, 8, 4, 3}));
    if (!on_cpu_device()) return;  // a GPU's driver does not find a function that asks an object for more
    ASSERT_OK(launch("ask_more", 1, 1, out, object));
    EXPECT_EQ(results<unsigned>(3), (std::vector<unsigned>{1, 1, 0}));
}

}  // namespace
