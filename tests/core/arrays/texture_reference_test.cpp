// Texture and surface references beyond reading: what a launch sees when they are bound again, settings, failures.
#include <atomic>
#include <cstdint>
#include <numeric>
#include <thread>

#include "texture_fixture.hpp"

namespace pycuda::test {
namespace {

const char* const references = R"cu(
#include <pycuda-helpers.hpp>
texture<int, 2> one, other;  /* texture<float, 3> commented; */
surface<void, cudaSurfaceType2D> canvas;
surface<void, cudaSurfaceType3D> box;
surface<void, cudaSurfaceType2DLayered> sheets;
texture<fp_tex_double, 3> doubles;
texture<fp_tex_cfloat, cudaTextureType2DLayered> complexes;
texture<fp_tex_cdouble, 2> wide;
texture<fp_tex_float, 1> floats;
__device__ double no_reference = 3;
__constant__ int table[4];

__global__ void read(int *out)
{
    for (volatile int i = 0; i < 200; ++i) {}
    out[threadIdx.x] = tex2D(one, threadIdx.x + 0.5f, 0.5f);
}
__global__ void read_nothing(int *out) { out[threadIdx.x] = 1; }
__global__ void read_both(int *out)
{ out[threadIdx.x] = tex2D(one, threadIdx.x + 0.5f, 0.5f) * 100 + tex2D(other, threadIdx.x + 0.5f, 0.5f); }
__global__ void paint(int *out)
{
    const int x = threadIdx.x * sizeof(int);
    int before;
    surf2Dread(&before, canvas, x, 0);
    surf2Dwrite(before + 1, canvas, x, 1, cudaBoundaryModeTrap);
    out[threadIdx.x] = surf2Dread<int>(canvas, x, 1);
}
__global__ void copy_box(double *out)
{
    double value;
    fp_surf3Dread(&value, box, threadIdx.x, 0, 1, cudaBoundaryModeClamp);
    fp_surf3Dwrite(value * 2, box, threadIdx.x, 1, 1, cudaBoundaryModeClamp);
    fp_surf3Dread(&value, box, threadIdx.x, 1, 1, cudaBoundaryModeClamp);
    out[threadIdx.x] = value;
}
__global__ void copy_sheet(pycuda::complex<float> *out)
{
    fp_surf2DLayeredwrite(pycuda::complex<float>(threadIdx.x, 0.5f), sheets, threadIdx.x, 0, 1, cudaBoundaryModeZero);
    fp_surf2DLayeredread(out + threadIdx.x, sheets, threadIdx.x, 0, 1, cudaBoundaryModeZero);
}
__global__ void read_doubles(double *out) { out[threadIdx.x] = fp_tex3D(doubles, threadIdx.x, 0, 0); }
__global__ void read_complexes(pycuda::complex<float> *out)
{ out[threadIdx.x] = fp_tex2DLayered(complexes, threadIdx.x, 0, 1); }
__global__ void read_wide(pycuda::complex<double> *out) { out[threadIdx.x] = fp_tex2D(wide, threadIdx.x, 0); }
__global__ void read_floats(float *out) { out[threadIdx.x] = fp_tex1Dfetch(floats, threadIdx.x); }
)cu";

class References : public TextureTest {
protected:
    void SetUp() override {
        TextureTest::SetUp();
        module = load(references);
    }
    void TearDown() override {
        module.reset();
        TextureTest::TearDown();
    }
    /// A row of 8 integers from `first` on.
    static std::shared_ptr<Array> row(int first) {
        std::vector<int> texels(8);
        std::iota(texels.begin(), texels.end(), first);
        return filled({8, 1, 0, ArrayFormat::SIGNED_INT32, 1, 0}, texels);
    }
    std::shared_ptr<Module> module;
};

TEST_F(References, SeveralInOneModule) {
    module->get_texref("one").set_array(row(1));
    module->get_texref("other").set_array(row(20));
    EXPECT_EQ(run<int>(*module, "read_both", 3), (std::vector{120, 221, 322}));
}

TEST_F(References, EachLaunchOfAStreamSeesItsOwnBinding) {
    const DeviceAllocation out(64 * sizeof(int));
    Stream stream;
    TextureReference one = module->get_texref("one");
    for (int i = 0; i < 64; ++i) {
        one.set_array(row(i * 10));
        queue<int>(*module, "read", out, 1, &stream, static_cast<std::size_t>(i));
    }
    stream.synchronize();
    std::vector<int> got(64);
    memcpy_dtoh(got.data(), got.size() * sizeof(int), out.pointer());
    for (int i = 0; i < 64; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], i * 10);
    EXPECT_LT(live_handles("array"), 64) << "what no launch reads any more must go";
}

TEST_F(References, LaunchesOnSeveralStreamsDoNotDisturbEachOther) {
    constexpr unsigned streams = 4, rounds = 40;
    const DeviceAllocation out(streams * rounds * sizeof(int));
    std::vector<Stream> queues(streams);
    TextureReference one = module->get_texref("one");
    for (unsigned i = 0; i < streams * rounds; ++i) {
        if (i % 3 != 1) one.set_array(row(static_cast<int>(i)));
        queue<int>(*module, "read", out, 1, &queues[i % streams], i);
    }
    Context::synchronize();
    std::vector<int> got(streams * rounds);
    memcpy_dtoh(got.data(), got.size() * sizeof(int), out.pointer());
    for (unsigned i = 0; i < streams * rounds; ++i)
        EXPECT_EQ(got[i], static_cast<int>(i % 3 == 1 ? i - 1 : i)) << "launch " << i;
}

TEST_F(References, TwoThreadsLaunchAtTheSameTime) {
    TextureReference one = module->get_texref("one");
    const std::shared_ptr<Array> rows[] = {row(100), row(200)};
    one.set_array(rows[0]);
    std::atomic<int> wrong{0};
    const auto work = [&](int which) {
        context->push();
        {
            Stream stream;
            const DeviceAllocation out(8 * sizeof(int));
            for (int i = 0; i < 50; ++i) {
                one.set_array(rows[which]);
                queue<int>(*module, "read", out, 8, &stream);
                stream.synchronize();
                std::vector<int> got(8);
                memcpy_dtoh(got.data(), 32, out.pointer());
                for (int k = 0; k < 8; ++k)
                    if (got[static_cast<std::size_t>(k)] - got[0] != k || got[0] % 100 != 0) ++wrong;
            }
        }
        Context::pop();
    };
    std::thread first(work, 0), second(work, 1);
    first.join();
    second.join();
    EXPECT_EQ(wrong, 0) << "every launch sees one of the two bindings, whole";
}

TEST_F(References, ObjectsOfOneNameShareWhatIsBound) {
    const auto array = row(5);
    module->get_texref("one").set_array(array);
    TextureReference again = module->get_texref("one");
    EXPECT_TRUE(*again.get_array() == *array);
    EXPECT_EQ(run<int>(*module, "read", 2), (std::vector{5, 6})) << "the module keeps it";
    EXPECT_EQ(again.get_format().format, ArrayFormat::SIGNED_INT32);
    EXPECT_EQ(again.get_format().num_components, 1);
}

TEST_F(References, SettingsAreGivenBack) {
    for (TextureReference reference : {module->get_texref("one"), TextureReference()}) {
        EXPECT_EQ(reference.get_address_mode(0), AddressMode::CLAMP);
        EXPECT_EQ(reference.get_filter_mode(), FilterMode::POINT);
        EXPECT_EQ(reference.get_flags(), 0u);
        reference.set_address_mode(2, AddressMode::BORDER);
        reference.set_filter_mode(FilterMode::LINEAR);
        reference.set_flags(static_cast<unsigned>(TRSF_NORMALIZED_COORDINATES));
        reference.set_format(ArrayFormat::HALF, 4);
        EXPECT_EQ(reference.get_address_mode(2), AddressMode::BORDER);
        EXPECT_EQ(reference.get_address_mode(1), AddressMode::CLAMP);
        EXPECT_EQ(reference.get_filter_mode(), FilterMode::LINEAR);
        EXPECT_EQ(reference.get_flags(), static_cast<unsigned>(TRSF_NORMALIZED_COORDINATES));
        EXPECT_EQ(reference.get_format().format, ArrayFormat::HALF);
        EXPECT_EQ(reference.get_format().num_components, 4);
        EXPECT_THROW(reference.set_address_mode(3, AddressMode::WRAP), std::invalid_argument);
        EXPECT_THROW(reference.set_format(ArrayFormat::HALF, 3), std::invalid_argument);
        EXPECT_THROW(reference.get_array(), LogicError);
    }
}

TEST_F(References, OnlyReferencesAreFoundByName) {
    EXPECT_HAS(message_of<LogicError>([&] { module->get_texref("nowhere"); }), "no texture reference 'nowhere'");
    EXPECT_HAS(message_of<LogicError>([&] { module->get_texref("no_reference"); }), "no texture reference");
    EXPECT_HAS(message_of<LogicError>([&] { module->get_texref("table"); }), "no texture reference");
    EXPECT_HAS(message_of<LogicError>([&] { module->get_texref("canvas"); }), "no texture reference");
    EXPECT_HAS(message_of<LogicError>([&] { module->get_surfref("one"); }), "no surface reference");
    static_cast<void>(module->get_surfref("canvas"));
    EXPECT_HAS(message_of<LogicError>([&] { module->get_texref("canvas"); }), "is a surface reference");
}

TEST_F(References, ALaunchSaysWhatIsWrongWithABinding) {
    TextureReference one = module->get_texref("one");
    EXPECT_HAS(message_of<LogicError>([&] { one.check_bound(); }), "nothing is bound to texture reference");
    const auto array = row(5);
    one.set_array(array);
    one.check_bound();
    one.check_module(*module);
    EXPECT_HAS(message_of<LogicError>([&] { one.check_module(*load(references)); }), "of its own module");
    array->free();
    EXPECT_HAS(message_of<LogicError>([&] { one.check_bound(); }), "nothing is bound");
    EXPECT_HAS(message_of<LogicError>([&] { one.set_array(array); }), "array was freed");
    EXPECT_THROW(one.set_array(nullptr), std::invalid_argument);
    EXPECT_THROW(one.set_address(0, 16), LogicError);
    const DeviceAllocation memory(64);
    EXPECT_THROW(one.set_address(memory.pointer(), 0), LogicError);
    EXPECT_THROW(one.set_address(memory.pointer() + 8, SIZE_MAX, true), LogicError);
}

TEST_F(References, PitchedMemoryIsCheckedWhenItIsBound) {
    TextureReference one = module->get_texref("one");
    const PitchedAllocation pitched = mem_alloc_pitch(32, 4, 4);
    const DevicePtr start = pitched.allocation.pointer();
    const ArrayDescriptor shape{8, 4, ArrayFormat::SIGNED_INT32, 1};
    const DeviceAllocation small(1);
    DeviceAllocation freed(4096);
    const DevicePtr freed_start = freed.pointer();
    freed.free();
    const struct {
        DevicePtr address;
        ArrayDescriptor shape;
        std::size_t pitch;
        const char* what;
    } cases[] = {
        {start, shape, 31, "less than a row of 32 bytes"},
        {start, shape, pitched.pitch + 1, "not a multiple of"},
        {start, shape, std::size_t{1} << 40, "or more than"},
        {start + 4, shape, pitched.pitch, "the address is not a multiple of"},
        {start, {8, 5, ArrayFormat::SIGNED_INT32, 1}, pitched.pitch, "are there from the address on"},
        {start, {0, 4, ArrayFormat::SIGNED_INT32, 1}, pitched.pitch, "must not be 0"},
        {start, {std::size_t{1} << 40, 4, ArrayFormat::SIGNED_INT32, 1}, pitched.pitch, "more than the device"},
        {small.pointer(), shape, pitched.pitch, "are there from the address on"},
        {freed_start, shape, pitched.pitch, "no device memory"}};
    for (const auto& [address, given, pitch, what] : cases) {
        const std::string message = message_of<LogicError>([&] { one.set_address_2d(address, given, pitch); });
        EXPECT_HAS(message, what);
        EXPECT_HAS(message, "texture reference 'one'");
        EXPECT_NO_THROW(run<int>(*module, "read_nothing", 1)) << what;
    }
    one.set_address_2d(start, shape, pitched.pitch);
    EXPECT_NO_THROW(one.check_bound());
    EXPECT_HAS(message_of<LogicError>([&] { one.set_address(small.pointer(), 4); }), "are there from the address on");
}

TEST_F(References, MemoryThatIsFreedWhileItIsBoundHindersNoOtherKernel) {
    TextureReference one = module->get_texref("one");
    DeviceAllocation memory(4096);
    one.set_address_2d(memory.pointer(), {8, 4, ArrayFormat::SIGNED_INT32, 1}, 512);
    one.set_filter_mode(FilterMode::POINT);  // the object is to be made anew
    memory.free();
    EXPECT_HAS(message_of<LogicError>([&] { one.check_bound(); }), "nothing is bound");
    EXPECT_NO_THROW(run<int>(*module, "read_nothing", 1));
}

TEST_F(References, SettingsThatDoNotGoWithWhatIsBoundAreNamed) {
    TextureReference one = module->get_texref("one");
    one.set_flags(CU_TRSF_SEAMLESS_CUBEMAP);
    one.set_array(row(1));  // which is no cube map
    EXPECT_HAS(message_of<LogicError>([&] { run<int>(*module, "read", 8); }),
               "what is bound to texture reference 'one' does not go with its format, filter mode or flags");
    one.set_flags(0);
    EXPECT_EQ(run<int>(*module, "read", 8)[7], 8);
}

TEST_F(References, StreamsThatCameAndWentLeaveNothing) {
    TextureReference one = module->get_texref("one");
    one.set_array(row(1));
    const DeviceAllocation out(64);
    const long before = live_handles("event");
    for (int n = 0; n < 200; ++n) {
        const Stream stream;
        queue<int>(*module, "read", out, 8, &stream);
        stream.synchronize();
    }
    EXPECT_LE(live_handles("event"), before + 12);
}

TEST_F(References, OutliveTheirModuleClosed) {
    TextureReference one = module->get_texref("one");
    one.set_array(row(1));
    EXPECT_EQ(run<int>(*module, "read", 1), std::vector{1});
    module->close();
    one.set_array(row(2));
    EXPECT_THROW(static_cast<void>(module->get_texref("one")), LogicError);
}

TEST_F(References, SurfacesAreReadAndWritten) {
    const auto array = filled({4, 2, 0, ArrayFormat::SIGNED_INT32, 1, Array3dFlags::SURFACE_LDST},
                              std::vector{1, 2, 3, 4, 0, 0, 0, 0});
    SurfaceReference canvas = module->get_surfref("canvas");
    EXPECT_THROW(canvas.get_array(), LogicError);
    canvas.set_array(array);
    EXPECT_TRUE(*canvas.get_array() == *array);
    EXPECT_EQ(run<int>(*module, "paint", 4), (std::vector{2, 3, 4, 5}));
    EXPECT_HAS(message_of<LogicError>([&] { canvas.set_array(row(1)); }), "SURFACE_LDST");
    EXPECT_THROW(canvas.set_array(array, 1), LogicError);
    EXPECT_TRUE(*canvas.get_array() == *array) << "what was refused changes nothing";
}

TEST_F(References, DoublesAndComplexNumbersAreTwoOrFourWords) {
    const std::vector<double> values{1.5, -2.25, 1e300, 3, 0.1, -0.0, 7, 8};
    const auto doubles = filled({2, 2, 2, ArrayFormat::SIGNED_INT32, 2, Array3dFlags::SURFACE_LDST}, values);
    module->get_texref("doubles").set_array(doubles);
    EXPECT_EQ(run<double>(*module, "read_doubles", 2), (std::vector{1.5, -2.25}));
    module->get_surfref("box").set_array(doubles);
    EXPECT_EQ(run<double>(*module, "copy_box", 2), (std::vector{0.2, -0.0}));

    using Complex = std::array<float, 2>;
    const std::vector<Complex> complexes{{1, 2}, {3, 4}, {5, 6}, {7, 8}};
    const unsigned layered = Array3dFlags::LAYERED | Array3dFlags::SURFACE_LDST;
    const auto sheets = filled({2, 1, 2, ArrayFormat::UNSIGNED_INT32, 2, layered}, complexes);
    module->get_texref("complexes").set_array(sheets);
    EXPECT_EQ(run<Complex>(*module, "read_complexes", 2), (std::vector<Complex>{{5, 6}, {7, 8}}));
    module->get_surfref("sheets").set_array(sheets);
    EXPECT_EQ(run<Complex>(*module, "copy_sheet", 2), (std::vector<Complex>{{0, 0.5f}, {1, 0.5f}}));

    using Wide = std::array<double, 2>;
    const std::vector<Wide> wide{{1.5, -1.5}, {1e-300, 2}};
    module->get_texref("wide").set_array(filled({2, 1, 0, ArrayFormat::SIGNED_INT32, 4, 0}, wide));
    EXPECT_EQ(run<Wide>(*module, "read_wide", 2), wide);

    const std::vector<float> floats{4, 5, 6, 7};
    const DeviceAllocation memory(16);
    memcpy_htod(memory.pointer(), floats.data(), 16);
    module->get_texref("floats").set_address(memory.pointer(), 16);
    EXPECT_EQ(run<float>(*module, "read_floats", 4), floats);
}

TEST_F(References, OfPtxAreTheDrivers) {
    const char* const ptx = R"ptx(
.version 7.8
.target sm_75
.address_size 64
.visible .global .texref tex;
.visible .global .surfref surf;
.visible .entry read(.param .u64 out)
{
    .reg .b32 %r<6>;
    .reg .f32 %f<2>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %tid.x;
    cvt.rn.f32.u32 %f1, %r1;
    tex.1d.v4.s32.f32 {%r2, %r3, %r4, %r5}, [tex, {%f1}];
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd2, %rd3;
    st.global.u32 [%rd4], %r2;
    ret;
}
)ptx";
    module = Module::from_buffer(ptx, std::char_traits<char>::length(ptx));
    TextureReference tex = module->get_texref("tex");
    EXPECT_EQ(tex.get_address_mode(0), AddressMode::CLAMP);
    tex.set_array(filled({3, 0, 0, ArrayFormat::SIGNED_INT32, 1, 0}, std::vector{4, 5, 6}));
    tex.set_flags(static_cast<unsigned>(TRSF_READ_AS_INTEGER));
    EXPECT_EQ(run<int>(*module, "read", 3), (std::vector{4, 5, 6}));
    EXPECT_EQ(module->get_texref("tex").get_flags(), static_cast<unsigned>(TRSF_READ_AS_INTEGER));
    EXPECT_HAS(message_of<LogicError>([&] { module->get_surfref("surf").set_array(row(1)); }), "SURFACE_LDST");
}

TEST_F(References, ObjectsAreForNewCode) {
    module = load(R"cu(
__global__ void read(unsigned long long objects, int *out) {}
__global__ void through(cudaTextureObject_t texture, cudaSurfaceObject_t surface, int *out)
{
    const int value = tex2D<int>(texture, threadIdx.x + 0.5f, 0.5f);
    surf2Dwrite(value * 2, surface, threadIdx.x * 4, 0);
    out[threadIdx.x] = surf2Dread<int>(surface, threadIdx.x * 4, 0);
}
)cu");
    TextureObject texture(row(3));
    SurfaceObject surface(
        filled({8, 1, 0, ArrayFormat::SIGNED_INT32, 1, Array3dFlags::SURFACE_LDST}, std::vector<int>(8)));
    const DeviceAllocation out(32);
    const std::uint64_t arguments[] = {texture.handle(), surface.handle(), out.pointer()};
    LaunchConfig config;
    config.block[0] = 8;
    module->get_function("through").launch(config, arguments, sizeof arguments);
    std::vector<int> got(8);
    memcpy_dtoh(got.data(), 32, out.pointer());
    EXPECT_EQ(got, (std::vector{6, 8, 10, 12, 14, 16, 18, 20}));
    texture.close();
    texture.close();
    EXPECT_HAS(message_of<LogicError>([&] { static_cast<void>(texture.handle()); }), "texture object was closed");
    EXPECT_HAS(message_of<LogicError>([&] { SurfaceObject refused(row(1)); }), "SURFACE_LDST");
    EXPECT_THROW(TextureObject(std::shared_ptr<Array>()), std::invalid_argument);
}

}  // namespace
}  // namespace pycuda::test
