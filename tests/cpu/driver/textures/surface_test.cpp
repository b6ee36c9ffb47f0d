// Surfaces through the driver's C ABI.
#include "driver/textures/textures.hpp"

namespace {

class SurfaceTest : public texture_test::TextureTest {};
using texture_test::sampling;

TEST_F(SurfaceTest, SurfacesAreWrittenAndRead) {
    const CUarray texels = float_surface(8, 4);
    const CUsurfObject object = surface(texels);
    ASSERT_OK(launch("fill2", 6, 64, object, 8u, 4u));
    ASSERT_OK(launch("add2", 4, 8, out, object, 8u));
    const auto seen = results<float>(32);
    for (int i = 0; i < 32; ++i) EXPECT_EQ(seen[i], static_cast<float>(100 * (i / 8) + i % 8 + 1)) << i;
    EXPECT_EQ(fetch("tex2", texture(texels, sampling()), {{3.5f, 2.5f}})[0].x, 203);  // a later texture sees it
}

TEST_F(SurfaceTest, SurfaceElementsOfEverySize) {
    const unsigned writable = CUDA_ARRAY3D_SURFACE_LDST;
    struct Four {
        int v[4];
    };
    const CUsurfObject fours =
        surface(array(std::vector<int>(4 * 32), CU_AD_FORMAT_SIGNED_INT32, 4, 32, 0, 0, writable));
    ASSERT_OK(launch("vectors1", 1, 32, out, fours, Four{{1, -2, 3, 4}}));
    for (const Four& f : results<Four>(32)) EXPECT_EQ(std::vector<int>(f.v, f.v + 4), (std::vector<int>{1, -2, 3, 4}));
    struct alignas(16) Longs {
        long long v[2];
    };
    ASSERT_OK(launch("longs1", 1, 32, out, fours, Longs{{-1, 0x123456789abcdef}}));
    for (const Longs& l : results<Longs>(32)) {
        EXPECT_EQ(l.v[0], -1);
        EXPECT_EQ(l.v[1], 0x123456789abcdef);
    }
    const CUsurfObject bytes =
        surface(array(std::vector<unsigned char>(32), CU_AD_FORMAT_UNSIGNED_INT8, 1, 32, 0, 0, writable));
    ASSERT_OK(launch("bytes1", 1, 32, out, bytes));
    const auto seen = results<unsigned char>(32);
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(seen[i], 200 + i);
    const CUsurfObject shorts =
        surface(array(std::vector<short>(2 * 8 * 2 * 3), CU_AD_FORMAT_SIGNED_INT16, 2, 8, 2, 3, writable));
    ASSERT_OK(launch("shorts3", 1, 8, out, shorts, 2));
    const auto pairs = results<short>(16);
    for (short i = 0; i < 8; ++i) {
        EXPECT_EQ(pairs[2 * i], -1);
        EXPECT_EQ(pairs[2 * i + 1], i);
    }
}

TEST_F(SurfaceTest, SurfaceLayers) {
    const CUarray texels = float_surface(4, 2, 3, CUDA_ARRAY3D_LAYERED);
    ASSERT_OK(launch("layers2", 1, 4, out, surface(texels), 2));
    EXPECT_EQ(results<float>(4), std::vector<float>(4, 7));
    const auto seen =
        fetch("tex2_layer", texture(texels, sampling()), {{1, 1.5f, 0, 2}, {1, 1.5f, 0, 1}, {1, 0.5f, 0, 2}});
    EXPECT_EQ(seen[0].x, 7);
    EXPECT_EQ(seen[1].x, 0);
    EXPECT_EQ(seen[2].x, 0);
}

TEST_F(SurfaceTest, OutsideASurface) {
    const CUsurfObject object = surface(float_surface(8, 4));
    ASSERT_OK(launch("fill2", 4, 64, object, 8u, 4u));
    const struct {
        int x, y;
        float clamped;
    } cases[] = {{8, 1, 107}, {-1, 2, 200}, {3, 4, 303}, {3, -5, 3}, {1000, 1000, 307}};
    for (const auto& c : cases) {
        ASSERT_OK(launch("outside", 1, 1, out, object, c.x, c.y));
        EXPECT_EQ(results<float>(2), (std::vector<float>{c.clamped, 0})) << c.x << ", " << c.y;
    }
}

TEST_F(SurfaceTest, TrappingOutsideASurfaceIsAFault) {
    const CUsurfObject object = surface(float_surface(8, 4));
    ASSERT_OK(launch("read_or_trap", 1, 1, out, object, 28, 3));
    EXPECT_NE("CUDA_SUCCESS", result_name(launch("read_or_trap", 1, 1, out, object, 32, 3)));
    EXPECT_NE("CUDA_SUCCESS", result_name(cuCtxSynchronize()));  // it stays with the context
}

TEST_F(SurfaceTest, TrappingWritesToo) {
    const CUsurfObject object = surface(float_surface(8, 4));
    EXPECT_NE("CUDA_SUCCESS", result_name(launch("write_or_trap", 1, 1, object, 0, 4)));
}

}  // namespace
