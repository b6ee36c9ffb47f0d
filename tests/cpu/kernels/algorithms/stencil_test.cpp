#include <algorithm>
#include <array>

#include "kernels/kernel_fixture.hpp"

namespace {

using namespace kernels;
KERNELS_OF(stencil, Stencil);

/// A CUDA array of two dimensions, seen as a texture or a surface.
class Plane {
public:
    Plane(std::size_t width, std::size_t height, CUarray_format format, unsigned channels, std::size_t texel)
        : width_in_bytes_(width * texel), height_(height) {
        CUDA_ARRAY3D_DESCRIPTOR about{};
        about.Width = width;
        about.Height = height;
        about.Format = format;
        about.NumChannels = channels;
        about.Flags = CUDA_ARRAY3D_SURFACE_LDST;
        CHECK_CU(cuArray3DCreate(&array_, &about));
    }
    ~Plane() {
        if (texture_) cuTexObjectDestroy(texture_);
        if (surface_) cuSurfObjectDestroy(surface_);
        cuArrayDestroy(array_);
    }
    Plane(const Plane&) = delete;
    Plane& operator=(const Plane&) = delete;

    CUtexObject texture(CUaddress_mode edge, CUfilter_mode filter, unsigned flags) {
        CUDA_TEXTURE_DESC about{};
        std::fill_n(about.addressMode, 3, edge);
        about.filterMode = filter;
        about.flags = flags;
        const CUDA_RESOURCE_DESC resource = description();
        CHECK_CU(cuTexObjectCreate(&texture_, &resource, &about, nullptr));
        return texture_;
    }
    CUsurfObject surface() {
        const CUDA_RESOURCE_DESC resource = description();
        CHECK_CU(cuSurfObjectCreate(&surface_, &resource));
        return surface_;
    }
    void set(const void* data) {
        CUDA_MEMCPY2D copy = whole();
        copy.srcMemoryType = CU_MEMORYTYPE_HOST;
        copy.srcHost = data;
        copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.dstArray = array_;
        CHECK_CU(cuMemcpy2D(&copy));
    }
    void set_from(CUdeviceptr data) {
        CUDA_MEMCPY2D copy = whole();
        copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.srcDevice = data;
        copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.dstArray = array_;
        CHECK_CU(cuMemcpy2D(&copy));
    }
    void get(void* data) const {
        CUDA_MEMCPY2D copy = whole();
        copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.srcArray = array_;
        copy.dstMemoryType = CU_MEMORYTYPE_HOST;
        copy.dstHost = data;
        CHECK_CU(cuMemcpy2D(&copy));
    }

private:
    CUDA_RESOURCE_DESC description() const {
        CUDA_RESOURCE_DESC resource{};
        resource.resType = CU_RESOURCE_TYPE_ARRAY;
        resource.res.array.hArray = array_;
        return resource;
    }
    CUDA_MEMCPY2D whole() const {
        CUDA_MEMCPY2D copy{};
        copy.srcPitch = copy.dstPitch = copy.WidthInBytes = width_in_bytes_;
        copy.Height = height_;
        return copy;
    }

    std::size_t width_in_bytes_, height_;
    CUarray array_ = nullptr;
    CUtexObject texture_ = 0;
    CUsurfObject surface_ = 0;
};

TEST_P(Stencil, HeatOnATexture) {
    const int width = 131, height = 77;
    auto expected = Random(46).integers<float>(width * height, 0, 1024);
    Plane plane(width, height, CU_AD_FORMAT_FLOAT, 1, 4);
    const CUtexObject texture = plane.texture(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0);
    Buffer<float> out(width * height);
    plane.set(expected.data());
    for (int step = 0; step < 3; ++step) {
        launch("heat", {{9, 10}, {16, 8}}, texture, out, width, height);
        plane.set_from(out.address());
        const auto before = expected;
        const auto at = [&](int x, int y) {
            return before[std::clamp(y, 0, height - 1) * width + std::clamp(x, 0, width - 1)];
        };
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x)
                expected[y * width + x] =
                    0.5f * at(x, y) + 0.125f * (at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1));
    }
    EXPECT_EQ(out.values(), expected);
    expect_recorded("stencil/heat", out.values());
}

TEST_P(Stencil, EdgesOfAPictureThatRepeats) {
    const int width = 128, height = 64;
    const auto picture = Random(47).integers<unsigned char>(width * height, 0, 256);
    Plane plane(width, height, CU_AD_FORMAT_UNSIGNED_INT8, 1, 1);
    plane.set(picture.data());
    const CUtexObject texture =
        plane.texture(CU_TR_ADDRESS_MODE_WRAP, CU_TR_FILTER_MODE_POINT, CU_TRSF_NORMALIZED_COORDINATES);
    Buffer<float> out(2 * width * height);
    launch("edges", {{8, 16}, {16, 4}}, texture, out, width, height);
    const auto got = out.values();
    const auto at = [&](int x, int y) { return picture[(y + height) % height * width + (x + width) % width] / 255.0; };
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            double dx = 0, dy = 0;
            for (int k = -1; k <= 1; ++k) {
                dx += (k ? 1 : 2) * (at(x + 1, y + k) - at(x - 1, y + k));
                dy += (k ? 1 : 2) * (at(x + k, y + 1) - at(x + k, y - 1));
            }
            ASSERT_NEAR(got[2 * (y * width + x)], dx, 2e-6) << x << ", " << y;
            ASSERT_NEAR(got[2 * (y * width + x) + 1], dy, 2e-6) << x << ", " << y;
        }
    expect_recorded_near("stencil/edges", got, 0, 2e-6);
}

TEST_P(Stencil, EnlargedByLinearFiltering) {
    const int width = 48, height = 40;
    const auto texels = Random(48).reals<float>(4 * width * height, 0, 1);
    Plane from(width, height, CU_AD_FORMAT_FLOAT, 4, 16), to(2 * width, 2 * height, CU_AD_FORMAT_FLOAT, 4, 16);
    from.set(texels.data());
    launch("enlarge", {{6, 10}, {16, 8}}, from.texture(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR, 0),
           to.surface(), 2 * width, 2 * height);
    std::vector<float> got(4 * texels.size());
    to.get(got.data());
    for (int y = 0; y < 2 * height; ++y)
        for (int x = 0; x < 2 * width; ++x)
            for (int c = 0; c < 4; ++c) {  // three quarters of the nearer texel, one of the other
                const auto at = [&](int i, int j) {
                    return texels[4 * (std::clamp(j, 0, height - 1) * width + std::clamp(i, 0, width - 1)) + c];
                };
                const int i = x / 2, j = y / 2, other_i = x % 2 ? i + 1 : i - 1, other_j = y % 2 ? j + 1 : j - 1;
                const double expected =
                    0.5625 * at(i, j) + 0.1875 * (at(other_i, j) + at(i, other_j)) + 0.0625 * at(other_i, other_j);
                ASSERT_NEAR(got[4 * (2 * y * width + x) + c], expected, 1e-6) << x << ", " << y;
            }
    expect_recorded_near("stencil/enlarge", got, 0, 1e-6);
}

TEST_P(Stencil, Volumes) {
    const std::array<int, 3> size{37, 19, 22};
    const auto run = [&]<class T>(const char* kernel, const Shape& shape, T factor) {
        auto expected = Random(49).integers<T>(size[0] * size[1] * size[2], -1000, 1000);
        for (T& value : expected) value *= factor;
        Buffer<T> a(expected), b(expected.size());
        launch(kernel, shape, a, b, size);
        launch(kernel, shape, b, a, size);
        for (int step = 0; step < 2; ++step) {
            const auto before = expected;
            const auto at = [&](int x, int y, int z) {
                const bool inside = x >= 0 && y >= 0 && z >= 0 && x < size[0] && y < size[1] && z < size[2];
                return inside ? before[(z * size[1] + y) * size[0] + x] : T(0);
            };
            for (int i = 0; i < static_cast<int>(before.size()); ++i) {
                const int x = i % size[0], y = i / size[0] % size[1], z = i / size[0] / size[1];
                expected[i] = T(0.25) * before[i] + T(0.125) * (at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) +
                                                                at(x, y + 1, z) + at(x, y, z - 1) + at(x, y, z + 1));
            }
        }
        EXPECT_EQ(a.values(), expected) << kernel;
        expect_recorded(std::string("stencil/") + kernel, a.values());
    };
    run("volume_float", {{5, 5, 6}, {8, 4, 4}}, 1.0f);
    run("volume_double", {{3, 10, 8}, {16, 2, 3}}, 0x1p30 + 1);
}

}  // namespace
