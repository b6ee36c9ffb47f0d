#pragma once

#include <string_view>

#include "driver/textures/textures.hpp"

// cuda.h marks every function of references as deprecated.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/// What the tests of texture and surface references share: kernels that fetch through the references `texture`,
/// `hidden` and `surface` of one module, and the same kernels for texture objects.
namespace reference_test {

using texture_test::Vector4;

/// Four 32-bit registers as a fetch leaves them.
struct Bits {
    std::uint32_t x = 0, y = 0, z = 0, w = 0;
    bool operator==(const Bits&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const Bits& b) {
    return out << std::hex << '(' << b.x << ' ' << b.y << ' ' << b.z << ' ' << b.w << ')' << std::dec;
}

struct Fetch {
    std::string_view name;
    std::string_view text;  ///< $ is the texture; %f1 to %f4 the point and %r1 to %r4 the same as integers
};

constexpr Fetch fetches[] = {
    {"i1", "tex.1d.v4.u32.s32 {%r5, %r6, %r7, %r8}, [$, {%r1}];"},
    {"i2", "tex.2d.v4.u32.s32 {%r5, %r6, %r7, %r8}, [$, {%r1, %r2}];"},
    {"f1", "tex.1d.v4.u32.f32 {%r5, %r6, %r7, %r8}, [$, {%f1}];"},
    {"f2", "tex.2d.v4.u32.f32 {%r5, %r6, %r7, %r8}, [$, {%f1, %f2}];"},
    {"f3", "tex.3d.v4.u32.f32 {%r5, %r6, %r7, %r8}, [$, {%f1, %f2, %f3, %f3}];"},
    {"a1", "tex.a1d.v4.u32.f32 {%r5, %r6, %r7, %r8}, [$, {%r4, %f1}];"},
    {"a2", "tex.a2d.v4.u32.f32 {%r5, %r6, %r7, %r8}, [$, {%r4, %f1, %f2, %f2}];"},
    {"cube", "tex.cube.v4.u32.f32 {%r5, %r6, %r7, %r8}, [$, {%f1, %f2, %f3, %f3}];"},
    {"acube", "tex.acube.v4.u32.f32 {%r5, %r6, %r7, %r8}, [$, {%r4, %f1, %f2, %f3}];"},
    {"level", "tex.level.2d.v4.u32.f32 {%r5, %r6, %r7, %r8}, [$, {%f1, %f2}], %f4;"},
    {"gather", "tld4.g.2d.v4.u32.f32 {%r5, %r6, %r7, %r8}, [$, {%f1, %f2}];"},
    {"size", "txq.width.b32 %r5, [$]; txq.height.b32 %r6, [$]; txq.num_mipmap_levels.b32 %r7, [$]; mov.u32 %r8, 0;"},
};

constexpr Fetch surface_accesses[] = {
    {"load1", "shl.b32 %r1, %r1, 2; suld.b.1d.b32.zero %r5, [surface, {%r1}];"},
    {"load2", "shl.b32 %r1, %r1, 2; suld.b.2d.b32.zero %r5, [surface, {%r1, %r2}];"},
    {"store1", "shl.b32 %r1, %r1, 2; mov.u32 %r5, %r4; sust.b.1d.b32.zero [surface, {%r1}], %r5;"},
    {"surface_size", "suq.width.b32 %r5, [surface]; suq.height.b32 %r6, [surface];"},
};

inline std::string kernel(std::string_view name, std::string_view body, std::string_view texture,
                          std::string_view more_parameters = "") {
    std::string fetch(body);
    for (std::size_t at; (at = fetch.find('$')) != fetch.npos;) fetch.replace(at, 1, texture);
    return ".visible .entry " + std::string(name) + "(.param .u64 out, .param .u64 in, .param .u32 n" +
           std::string(more_parameters) + R"()
{
    .reg .pred %p;
    .reg .b32 %r<12>;
    .reg .f32 %f<5>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [in];
    ld.param.u32 %r9, [n];
    mov.u32 %r10, %tid.x;
    setp.ge.u32 %p, %r10, %r9;
    @%p ret;
    mul.wide.u32 %rd3, %r10, 16;
    add.u64 %rd1, %rd1, %rd3;
    add.u64 %rd2, %rd2, %rd3;
    ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd2];
    cvt.rzi.s32.f32 %r1, %f1;
    cvt.rzi.s32.f32 %r2, %f2;
    cvt.rzi.s32.f32 %r3, %f3;
    cvt.rzi.s32.f32 %r4, %f4;
    mov.u32 %r5, 0; mov.u32 %r6, 0; mov.u32 %r7, 0; mov.u32 %r8, 0;
    )" + fetch +
           R"(
    st.global.v4.u32 [%rd1], {%r5, %r6, %r7, %r8};
    ret;
}
)";
}

inline std::string header() {
    return ".version 8.0\n.target sm_50\n.address_size 64\n";
}

inline std::string module_text() {
    std::string text = header() + R"(
.visible .global .texref texture;
.global .texref hidden;
.visible .global .surfref surface;
.visible .global .align 4 .u32 plain = 7;
)";
    for (const Fetch& fetch : fetches) {
        text += kernel(fetch.name, fetch.text, "texture");
        text += kernel(std::string(fetch.name) + "_of_object",
                       "ld.param.u64 %rd4, [object];\n    " + std::string(fetch.text), "%rd4", ", .param .u64 object");
    }
    for (const Fetch& access : surface_accesses) text += kernel(access.name, access.text, "");
    text += kernel("other", fetches[2].text, "hidden");
    text += kernel("indirect", "mov.u64 %rd4, texture;\n    " + std::string(fetches[2].text), "%rd4");
    return text;
}

/// Before each test there is a fresh module, whose references are `texture` and `surface`.
class ReferenceTest : public texture_test::ArrayTest {
protected:
    void SetUp() override {
        ArrayTest::SetUp();
        ASSERT_OK(cuModuleLoadData(&module, module_text().c_str()));
        ASSERT_OK(cuModuleGetTexRef(&reference, module, "texture"));
        ASSERT_OK(cuModuleGetSurfRef(&surface_reference, module, "surface"));
        ASSERT_OK(cuMemAlloc(&out, 1 << 14));
        ASSERT_OK(cuMemAlloc(&in, 1 << 14));
    }

    template <class... A>
    CUresult launch(const std::string& name, const std::vector<Vector4>& points, A... more) {
        CUfunction function = nullptr;
        auto n = static_cast<unsigned>(points.size());
        EXPECT_OK(cuModuleGetFunction(&function, module, name.c_str()));
        EXPECT_OK(cuMemsetD8(out, 0xee, n * sizeof(Bits)));
        EXPECT_OK(cuMemcpyHtoD(in, points.data(), n * sizeof(Vector4)));
        void* arguments[] = {&out, &in, &n, &more..., nullptr};
        const CUresult result = cuLaunchKernel(function, 1, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr);
        return result == CUDA_SUCCESS ? cuCtxSynchronize() : result;
    }
    template <class T = Vector4, class... A>
    std::vector<T> fetch(const std::string& name, const std::vector<Vector4>& points, A... more) {
        std::vector<T> seen(points.size());
        EXPECT_OK(launch(name, points, more...)) << name;
        EXPECT_OK(cuMemcpyDtoH(seen.data(), out, seen.size() * sizeof(T)));
        return seen;
    }
    /// The first channels that a fetch returns.
    std::vector<float> red(const std::string& name, const std::vector<Vector4>& points) {
        std::vector<float> seen;
        for (const Vector4& texel : fetch(name, points)) seen.push_back(texel.x);
        return seen;
    }

    /// An array of the 32-bit floats first, first + 1, ...
    CUarray floats(float first, std::size_t width, std::size_t height = 0, std::size_t depth = 0, unsigned flags = 0) {
        std::vector<float> texels(width * std::max<std::size_t>(height, 1) * std::max<std::size_t>(depth, 1));
        for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = first + static_cast<float>(i);
        return array(texels, CU_AD_FORMAT_FLOAT, 1, width, height, depth, flags);
    }
    /// Device memory that holds 1, 2, 3, ...
    CUdeviceptr counted(std::size_t count) {
        std::vector<float> values(count);
        for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i + 1);
        CUdeviceptr memory = 0;
        EXPECT_OK(cuMemAlloc(&memory, count * sizeof(float)));
        EXPECT_OK(cuMemcpyHtoD(memory, values.data(), count * sizeof(float)));
        return memory;
    }

    CUmodule module = nullptr;
    CUtexref reference = nullptr;
    CUsurfref surface_reference = nullptr;
    CUdeviceptr out = 0, in = 0;
};

}  // namespace reference_test
