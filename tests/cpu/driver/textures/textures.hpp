#pragma once

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

#include "driver/driver_test.hpp"

/// Common to the tests of textures and surfaces: the kernels of exec/textures.cu, and objects on arrays.
namespace texture_test {

struct Vector4 {
    float x = 0, y = 0, z = 0, w = 0;
};

inline std::string kernels() {
    std::ostringstream text;
    text << std::ifstream(std::string(EXEC_PTX_DIRECTORY) + "/textures.ptx").rdbuf();
    return text.str();
}

/// A texture's description: unnormalised, point sampling, clamped unless said otherwise.
inline CUDA_TEXTURE_DESC sampling(CUaddress_mode mode = CU_TR_ADDRESS_MODE_CLAMP,
                                  CUfilter_mode filter = CU_TR_FILTER_MODE_POINT, unsigned flags = 0) {
    CUDA_TEXTURE_DESC result{};
    for (CUaddress_mode& each : result.addressMode) each = mode;
    result.filterMode = filter;
    result.flags = flags;
    result.maxMipmapLevelClamp = 100;
    return result;
}

/// Makes arrays, and objects on them.
class ArrayTest : public InContext {
protected:
    template <class T>
    CUarray array(const std::vector<T>& texels, CUarray_format format, unsigned channels, std::size_t width,
                  std::size_t height = 0, std::size_t depth = 0, unsigned flags = 0) {
        const CUDA_ARRAY3D_DESCRIPTOR shape{width, height, depth, format, channels, flags};
        CUarray made = nullptr;
        EXPECT_OK(cuArray3DCreate(&made, &shape));
        fill(made, texels, width, height, depth);
        return made;
    }
    template <class T>
    void fill(CUarray made, const std::vector<T>& texels, std::size_t width, std::size_t height, std::size_t depth) {
        const std::size_t rows = std::max<std::size_t>(height, 1), slices = std::max<std::size_t>(depth, 1);
        CUDA_MEMCPY3D copy{};
        copy.srcMemoryType = CU_MEMORYTYPE_HOST;
        copy.srcHost = texels.data();
        copy.srcPitch = copy.WidthInBytes = texels.size() * sizeof(T) / rows / slices;
        copy.srcHeight = copy.Height = rows;
        copy.Depth = slices;
        copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.dstArray = made;
        ASSERT_EQ(texels.size() * sizeof(T) % width, 0u);
        EXPECT_OK(cuMemcpy3D(&copy));
    }
    CUtexObject texture(CUarray from, const CUDA_TEXTURE_DESC& how) {
        CUDA_RESOURCE_DESC resource{};
        resource.resType = CU_RESOURCE_TYPE_ARRAY;
        resource.res.array.hArray = from;
        CUtexObject made = 0;
        EXPECT_OK(cuTexObjectCreate(&made, &resource, &how, nullptr));
        return made;
    }
    CUsurfObject surface(CUarray on) {
        CUDA_RESOURCE_DESC resource{};
        resource.resType = CU_RESOURCE_TYPE_ARRAY;
        resource.res.array.hArray = on;
        CUsurfObject made = 0;
        EXPECT_OK(cuSurfObjectCreate(&made, &resource));
        return made;
    }
    CUarray float_surface(std::size_t width, std::size_t height, std::size_t depth = 0, unsigned flags = 0) {
        return array(std::vector<float>(width * height * std::max<std::size_t>(depth, 1)), CU_AD_FORMAT_FLOAT, 1, width,
                     height, depth, CUDA_ARRAY3D_SURFACE_LDST | flags);
    }
};

class TextureTest : public ArrayTest {
protected:
    void SetUp() override {
        ArrayTest::SetUp();
        ASSERT_OK(cuModuleLoadData(&module, kernels().c_str()));
        ASSERT_OK(cuMemAlloc(&out, 1 << 16));
        ASSERT_OK(cuMemAlloc(&in, 1 << 16));
        ASSERT_OK(cuMemsetD8(out, 0, 1 << 16));
    }
    template <class... A>
    CUresult launch(const char* name, unsigned grid, unsigned block, A... arguments) {
        CUfunction function = nullptr;
        EXPECT_OK(cuModuleGetFunction(&function, module, name));
        void* pointers[] = {&arguments...};
        const CUresult result = cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, nullptr, pointers, nullptr);
        return result == CUDA_SUCCESS ? cuCtxSynchronize() : result;
    }
    template <class T>
    std::vector<T> results(std::size_t count) {
        std::vector<T> values(count);
        EXPECT_OK(cuMemcpyDtoH(values.data(), out, count * sizeof(T)));
        return values;
    }
    /// One thread per point.
    template <class T = Vector4>
    std::vector<T> fetch(const char* kernel, CUtexObject texture, const std::vector<Vector4>& points) {
        EXPECT_OK(cuMemcpyHtoD(in, points.data(), points.size() * sizeof(Vector4)));
        const auto n = static_cast<unsigned>(points.size());
        EXPECT_OK(launch(kernel, (n + 63) / 64, 64, out, in, n, texture));
        return results<T>(n);
    }

    CUmodule module = nullptr;
    CUdeviceptr out = 0, in = 0;
    const std::vector<float> row{10, 20, 40, 80, 160};
};

}  // namespace texture_test
