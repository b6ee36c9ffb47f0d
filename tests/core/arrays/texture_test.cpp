// Texture references in sources of CUDA 11: every reader, through both compilers.
#include "pycuda/arrays/texture.hpp"

#include <numeric>

#include "texture_fixture.hpp"

namespace pycuda::test {
namespace {

constexpr unsigned normalized = static_cast<unsigned>(TRSF_NORMALIZED_COORDINATES);

const char* const readers = R"cu(
texture<float, 1> line;
texture<int, cudaTextureType1D, cudaReadModeElementType> row;
texture<float, 2> image;
texture<uchar4, 2, cudaReadModeNormalizedFloat> color;
static texture<unsigned char, 2> bytes;
texture<float, 3> volume;
texture<short2, cudaTextureType2DLayered> layers;
texture<unsigned, cudaTextureType1DLayered> lines;
texture<float, cudaTextureTypeCubemap> cube;
texture<float, cudaTextureTypeCubemapLayered> cubes;
texture<float2, 2> pyramid;

__device__ float by_value(texture<float, 2> texture, float x, float y) { return tex2D(texture, x, y); }

__global__ void read_line(float *out) { out[threadIdx.x] = tex1Dfetch(line, threadIdx.x); }
__global__ void read_row(int *out) { out[threadIdx.x] = tex1D(row, threadIdx.x - 1.5f); }
__global__ void read_image(float *out)
{ out[threadIdx.x] = tex2D(image, threadIdx.x % 4 + 0.5f, threadIdx.x / 4 + 0.5f); }
__global__ void read_between(float *out) { out[threadIdx.x] = by_value(image, threadIdx.x + 1.0f, 1.0f); }
__global__ void read_normalized(float *out) { out[threadIdx.x] = tex2D(image, threadIdx.x * 0.25f + 0.125f, 0.5f / 3); }
__global__ void read_gather(float4 *out) { out[threadIdx.x] = tex2Dgather(image, 1.0f, 1.0f); }
__global__ void read_color(float4 *out) { out[threadIdx.x] = tex2D(color, threadIdx.x + 0.5f, 0.5f); }
__global__ void read_bytes(unsigned char *out) { out[threadIdx.x] = tex2D(bytes, threadIdx.x + 0.5f, 0.5f); }
__global__ void read_volume(float *out)
{ out[threadIdx.x] = tex3D(volume, threadIdx.x % 2 + 0.5f, threadIdx.x / 2 % 3 + 0.5f, threadIdx.x / 6 + 0.5f); }
__global__ void read_layers(short2 *out)
{ out[threadIdx.x] = tex2DLayered(layers, threadIdx.x % 2 + 0.5f, 0.5f, threadIdx.x / 2); }
__global__ void read_lines(unsigned *out) { out[threadIdx.x] = tex1DLayered(lines, 0.5f, threadIdx.x); }
__global__ void read_cube(float *out)
{
    const float3 axes[] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    const float3 at = axes[threadIdx.x];
    out[threadIdx.x] = texCubemap(cube, at.x, at.y, at.z);
}
__global__ void read_cubes(float *out)
{ out[threadIdx.x] = texCubemapLayered(cubes, 0, threadIdx.x % 2 ? -1 : 1, 0, threadIdx.x / 2); }
__global__ void read_pyramid(float2 *out) { out[threadIdx.x] = tex2DLod(pyramid, 0.5f, 0.5f, threadIdx.x); }
__global__ void read_slope(float2 *out)
{
    const float step = 0.25f * (1 << threadIdx.x);
    out[threadIdx.x] = tex2DGrad(pyramid, 0.5f, 0.5f, make_float2(step, 0), make_float2(0, step));
}
)cu";

std::vector<float> counting_from(std::size_t count, float first = 0) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), first);
    return values;
}

class TextureReaders : public TextureTest, public ::testing::WithParamInterface<const char*> {
protected:
    void SetUp() override {
        TextureTest::SetUp();
        module = load(readers, GetParam());
    }
    void TearDown() override {
        module.reset();
        TextureTest::TearDown();
    }
    template <class T>
    std::vector<T> run(const std::string& kernel, unsigned count) {
        return TextureTest::run<T>(*module, kernel, count);
    }
    TextureReference bound(const std::string& name, std::shared_ptr<Array> array) {
        TextureReference reference = module->get_texref(name);
        reference.set_array(std::move(array));
        return reference;
    }
    std::shared_ptr<Module> module;
};

TEST_P(TextureReaders, LinearMemory) {
    const std::vector<float> texels = counting_from(8, 3);
    const DeviceAllocation memory(32);
    memcpy_htod(memory.pointer(), texels.data(), 32);
    TextureReference line = module->get_texref("line");
    EXPECT_EQ(line.set_address(memory.pointer(), 32), 0u);
    EXPECT_EQ(run<float>("read_line", 8), texels);
    EXPECT_THROW(line.set_address(memory.pointer() + 4, 28), LogicError);
    EXPECT_EQ(run<float>("read_line", 8), texels) << "what was refused must not change anything";
    EXPECT_EQ(line.set_address(memory.pointer() + 4, 28, true), 4u);
    EXPECT_EQ(run<float>("read_line", 8), texels) << "a texture begins at an aligned address";
}

TEST_P(TextureReaders, OneTwoAndThreeDimensions) {
    bound("row", filled({3, 0, 0, ArrayFormat::SIGNED_INT32, 1, 0}, std::vector{-7, 8, 1 << 30}));
    EXPECT_EQ(run<int>("read_row", 6), (std::vector{-7, -7, -7, 8, 1 << 30, 1 << 30})) << "clamped";
    bound("image", filled({4, 3, 0, ArrayFormat::FLOAT, 1, 0}, counting_from(12)));
    EXPECT_EQ(run<float>("read_image", 12), counting_from(12));
    bound("volume", filled({2, 3, 4, ArrayFormat::FLOAT, 1, 0}, counting_from(24, 100)));
    EXPECT_EQ(run<float>("read_volume", 24), counting_from(24, 100));
}

TEST_P(TextureReaders, FilteringAndCoordinates) {
    const auto texels = filled({4, 3, 0, ArrayFormat::FLOAT, 1, Array3dFlags::TEXTURE_GATHER}, counting_from(12));
    TextureReference image = bound("image", texels);
    EXPECT_EQ(run<float>("read_between", 2), (std::vector{5.0f, 6.0f}));
    image.set_filter_mode(FilterMode::LINEAR);
    EXPECT_EQ(run<float>("read_between", 2), (std::vector{2.5f, 3.5f}));
    const auto gathered = run<std::array<float, 4>>("read_gather", 1)[0];
    EXPECT_EQ(gathered, (std::array<float, 4>{4, 5, 1, 0}));
    image.set_filter_mode(FilterMode::POINT);
    image.set_flags(normalized);
    for (int dim = 0; dim < 2; ++dim) image.set_address_mode(dim, AddressMode::WRAP);
    EXPECT_EQ(run<float>("read_normalized", 6), (std::vector<float>{0, 1, 2, 3, 0, 1}));
    image.set_address_mode(0, AddressMode::MIRROR);
    EXPECT_EQ(run<float>("read_normalized", 6), (std::vector<float>{0, 1, 2, 3, 3, 2}));
    image.set_address_mode(0, AddressMode::BORDER);
    image.set_border_color({9, 0, 0, 0});
    EXPECT_EQ(run<float>("read_normalized", 6), (std::vector<float>{0, 1, 2, 3, 9, 9}));
}

TEST_P(TextureReaders, IntegersAsDeclared) {
    const std::vector<std::uint8_t> texels{0, 51, 102, 255, 255, 1, 2, 3};
    bound("color", filled({2, 1, 0, ArrayFormat::UNSIGNED_INT8, 4, 0}, texels));
    const auto colors = run<std::array<float, 4>>("read_color", 2);
    for (std::size_t i = 0; i < 8; ++i)
        EXPECT_FLOAT_EQ(colors[i / 4][i % 4], static_cast<float>(texels[i]) / 255.0f) << i;
    bound("bytes", filled({8, 1, 0, ArrayFormat::UNSIGNED_INT8, 1, 0}, texels));
    EXPECT_EQ(run<std::uint8_t>("read_bytes", 8), texels);
}

TEST_P(TextureReaders, LayersAndCubes) {
    const std::vector<short> pairs{1, -1, 2, -2, 3, -3, 4, -4};
    bound("layers", filled({2, 1, 2, ArrayFormat::SIGNED_INT16, 2, Array3dFlags::LAYERED}, pairs));
    const auto got = run<std::array<short, 2>>("read_layers", 4);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(got[i / 2][i % 2], pairs[i]) << i;
    bound("lines", filled({1, 0, 3, ArrayFormat::UNSIGNED_INT32, 1, Array3dFlags::LAYERED}, std::vector{5u, 6u, 7u}));
    EXPECT_EQ(run<unsigned>("read_lines", 3), (std::vector{5u, 6u, 7u}));
    bound("cube", filled({1, 1, 6, ArrayFormat::FLOAT, 1, Array3dFlags::CUBEMAP}, counting_from(6)));
    EXPECT_EQ(run<float>("read_cube", 6), counting_from(6));
    const unsigned layered_cube = Array3dFlags::CUBEMAP | Array3dFlags::LAYERED;
    bound("cubes", filled({1, 1, 12, ArrayFormat::FLOAT, 1, layered_cube}, counting_from(12)));
    EXPECT_EQ(run<float>("read_cubes", 4), (std::vector<float>{2, 3, 8, 9}));
}

TEST_P(TextureReaders, LevelsOfDetail) {
    const auto levels = std::make_shared<MipmappedArray>(ArrayDescriptor3D{4, 4, 0, ArrayFormat::FLOAT, 2, 0}, 3);
    for (unsigned i = 0; i < 3; ++i) {
        const std::size_t side = 4u >> i;
        const std::vector<float> texels(side * side * 2, static_cast<float>(i) + 0.5f);
        Memcpy2D copy;
        copy.width_in_bytes = copy.src_pitch = side * 8;
        copy.height = side;
        copy.set_src_host(texels.data(), texels.size() * 4, nullptr);
        copy.set_dst_array(levels->get_level(i));
        copy.execute();
    }
    TextureReference pyramid = module->get_texref("pyramid");
    pyramid.set_mipmapped_array(levels);
    pyramid.set_flags(normalized);
    pyramid.set_mipmap_level_clamp(0, 2);
    const auto value = [](const std::array<float, 2>& texel) { return texel[1]; };
    for (const char* kernel : {"read_pyramid", "read_slope"}) {
        const auto got = run<std::array<float, 2>>(kernel, 3);
        for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(value(got[i]), static_cast<float>(i) + 0.5f) << kernel << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Compilers, TextureReaders, ::testing::Values("nvrtc", "nvcc"),
                         [](const auto& param_info) { return std::string(param_info.param); });

}  // namespace
}  // namespace pycuda::test
