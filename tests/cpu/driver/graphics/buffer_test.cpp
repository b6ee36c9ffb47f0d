// OpenGL's buffers, and what holds for all OpenGL objects.
#include "driver/graphics/graphics.hpp"

#include <array>
#include <thread>

namespace {

using namespace graphics_test;

class WithoutGraphics : public InContext {};
class GraphicsBuffers : public GraphicsTest {};

constexpr unsigned read_only = CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY,
                   write_discard = CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD;

/// A registered buffer of 1000 bytes that count up.
struct RegisteredBuffer {
    static constexpr std::size_t bytes = 1000;
    unsigned name = gl_program_new_buffer(counting(bytes).data(), bytes);
    CUgraphicsResource resource = nullptr;
    explicit RegisteredBuffer(unsigned flags = 0) { EXPECT_OK(cuGraphicsGLRegisterBuffer(&resource, name, flags)); }
    ~RegisteredBuffer() {
        EXPECT_OK(cuGraphicsUnregisterResource(resource));
        gl_program_delete_buffer(name);
    }
    CUdeviceptr map(CUstream stream = nullptr) {
        EXPECT_OK(cuGraphicsMapResources(1, &resource, stream));
        CUdeviceptr pointer = 0;
        std::size_t size = 0;
        EXPECT_OK(cuGraphicsResourceGetMappedPointer(&pointer, &size, resource));
        EXPECT_EQ(bytes, size);
        return pointer;
    }
    void unmap(CUstream stream = nullptr) { EXPECT_OK(cuGraphicsUnmapResources(1, &resource, stream)); }
    std::vector<unsigned char> seen_by_opengl() const {
        std::vector<unsigned char> read(bytes);
        gl_program_read_buffer(name, read.data(), bytes);
        return read;
    }
};

std::vector<unsigned char> at(CUdeviceptr pointer, std::size_t bytes) {
    std::vector<unsigned char> read(bytes);
    EXPECT_OK(cuMemcpyDtoH(read.data(), pointer, bytes));
    return read;
}

}  // namespace

TEST_F(WithoutGraphics, SaysSo) {
    if (!on_cpu_device()) GTEST_SKIP() << "a driver without its OpenGL has codes of its own";
    CUgraphicsResource resource = nullptr;
    unsigned count = 0;
    EXPECT_RESULT(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, cuGraphicsGLRegisterBuffer(&resource, 1, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, cuGraphicsGLRegisterImage(&resource, 1, texture_2d, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, cuGLGetDevices_v2(&count, nullptr, 0, 1));
}

TEST_F(WithoutGraphics, IsAnErrorOfEveryDriver) {
    CUgraphicsResource resource = nullptr;
    EXPECT_NE("CUDA_SUCCESS", result_name(cuGraphicsGLRegisterBuffer(&resource, 1, 0)));
    EXPECT_NE("CUDA_SUCCESS", result_name(cuGraphicsGLRegisterImage(&resource, 1, texture_2d, 0)));
}

// As an H100's driver 580 answered.
TEST_F(WithoutGraphics, ArgumentsComeFirst) {
    CUgraphicsResource resource = nullptr;
    for (unsigned flags : {3u, 4u, 8u, 16u})
        EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphicsGLRegisterBuffer(&resource, 1, flags)) << flags;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphicsGLRegisterBuffer(nullptr, 1, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphicsGLRegisterBuffer(&resource, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphicsGLRegisterImage(&resource, 1, texture_1d, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphicsGLRegisterImage(&resource, 1, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphicsGLRegisterImage(&resource, 1, texture_2d, 32));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphicsMapResources(0, &resource, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphicsMapResources(1, nullptr, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuGraphicsMapResources(1, &resource, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphicsUnmapResources(0, &resource, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuGraphicsUnmapResources(1, &resource, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuGraphicsUnregisterResource(resource));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuGraphicsResourceSetMapFlags(resource, 0));
    CUdeviceptr pointer = 0;
    std::size_t size = 0;
    CUarray array = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuGraphicsResourceGetMappedPointer(&pointer, &size, resource));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
    ASSERT_OK(cuCtxPopCurrent(nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuGraphicsGLRegisterBuffer(nullptr, 1, 16));
    EXPECT_RESULT(CUDA_ERROR_INVALID_CONTEXT, cuGraphicsGLRegisterImage(&resource, 1, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuGraphicsUnregisterResource(resource));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphicsMapResources(0, nullptr, nullptr));
    ASSERT_OK(cuCtxPushCurrent(context));
}

TEST_F(GraphicsBuffers, TellsTheDevices) {
    unsigned count = 0;
    CUdevice device = -1;
    EXPECT_OK(cuGLGetDevices_v2(&count, &device, 1, 1));
    EXPECT_GE(count, 1u);
    EXPECT_EQ(0, device);
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGLGetDevices_v2(&count, &device, 1, 4));
}

TEST_F(GraphicsBuffers, ABufferIsReadAndWritten) {
    RegisteredBuffer buffer;
    const CUdeviceptr pointer = buffer.map();
    EXPECT_EQ(counting(buffer.bytes), at(pointer, buffer.bytes));
    EXPECT_OK(cuMemcpyHtoD(pointer, counting(buffer.bytes, 5).data(), buffer.bytes));
    buffer.unmap();
    EXPECT_EQ(counting(buffer.bytes, 5), buffer.seen_by_opengl());
    EXPECT_EQ(counting(buffer.bytes, 5), at(buffer.map(), buffer.bytes));
    buffer.unmap();
}

TEST_F(GraphicsBuffers, UnmappingComesAfterTheStream) {
    RegisteredBuffer buffer;
    CUstream stream = nullptr;
    ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    const CUdeviceptr pointer = buffer.map(stream);
    EXPECT_OK(
        cuLaunchHostFunc(stream, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }, nullptr));
    EXPECT_OK(cuMemsetD8Async(pointer, 77, buffer.bytes, stream));
    buffer.unmap(stream);
    EXPECT_EQ(std::vector<unsigned char>(buffer.bytes, 77), buffer.seen_by_opengl());
    EXPECT_OK(cuStreamDestroy(stream));
}

TEST_F(GraphicsBuffers, FlagsRestrictReadingAndWriting) {
    RegisteredBuffer buffer(read_only);
    EXPECT_OK(cuMemsetD8(buffer.map(), 77, buffer.bytes));
    EXPECT_RESULT(CUDA_ERROR_ALREADY_MAPPED, cuGraphicsResourceSetMapFlags(buffer.resource, 0));
    buffer.unmap();
    if (on_cpu_device()) {  // elsewhere the buffer itself was written
        EXPECT_EQ(counting(buffer.bytes), buffer.seen_by_opengl());
    }
    EXPECT_OK(cuGraphicsResourceSetMapFlags(buffer.resource, write_discard));
    EXPECT_OK(cuMemsetD8(buffer.map(), 78, buffer.bytes));
    buffer.unmap();
    EXPECT_EQ(std::vector<unsigned char>(buffer.bytes, 78), buffer.seen_by_opengl());
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGraphicsResourceSetMapFlags(buffer.resource, 3));
}

TEST_F(GraphicsBuffers, ABufferOfAnotherSizeIsMappedAsItIs) {
    if (!on_cpu_device()) GTEST_SKIP() << "a GPU's driver wants such a buffer registered again";
    RegisteredBuffer buffer;
    gl_program_resize_buffer(buffer.name, 0);
    EXPECT_OK(cuGraphicsMapResources(1, &buffer.resource, nullptr));
    CUdeviceptr pointer = 1;
    std::size_t size = 1;
    EXPECT_OK(cuGraphicsResourceGetMappedPointer(&pointer, &size, buffer.resource));
    EXPECT_EQ(0u, size);
    buffer.unmap();
    gl_program_resize_buffer(buffer.name, 24);
    EXPECT_OK(cuGraphicsMapResources(1, &buffer.resource, nullptr));
    EXPECT_OK(cuGraphicsResourceGetMappedPointer(&pointer, &size, buffer.resource));
    EXPECT_EQ(24u, size);
    buffer.unmap();
}

TEST_F(GraphicsBuffers, StatesAreChecked) {
    RegisteredBuffer buffer;
    CUdeviceptr pointer = 0;
    std::size_t size = 0;
    CUarray array = nullptr;
    EXPECT_RESULT(CUDA_ERROR_NOT_MAPPED, cuGraphicsUnmapResources(1, &buffer.resource, nullptr));
    EXPECT_RESULT(CUDA_ERROR_NOT_MAPPED, cuGraphicsResourceGetMappedPointer(&pointer, &size, buffer.resource));
    EXPECT_RESULT(CUDA_ERROR_NOT_MAPPED, cuGraphicsSubResourceGetMappedArray(&array, buffer.resource, 0, 0));
    buffer.map();
    EXPECT_RESULT(CUDA_ERROR_ALREADY_MAPPED, cuGraphicsMapResources(1, &buffer.resource, nullptr));
    EXPECT_RESULT(CUDA_ERROR_NOT_MAPPED_AS_ARRAY, cuGraphicsSubResourceGetMappedArray(&array, buffer.resource, 0, 0));
    buffer.unmap();
    EXPECT_RESULT(CUDA_ERROR_NOT_MAPPED, cuGraphicsUnmapResources(1, &buffer.resource, nullptr));
}

TEST_F(GraphicsBuffers, AllAreMappedOrNone) {
    if (!on_cpu_device()) GTEST_SKIP() << "of the CPU device";
    RegisteredBuffer first, second, gone;
    gl_program_delete_buffer(gone.name);
    CUgraphicsResource both[] = {first.resource, gone.resource};
    EXPECT_RESULT(CUDA_ERROR_MAP_FAILED, cuGraphicsMapResources(2, both, nullptr));
    EXPECT_RESULT(CUDA_ERROR_NOT_MAPPED, cuGraphicsUnmapResources(1, both, nullptr));
    both[1] = second.resource;
    EXPECT_OK(cuGraphicsMapResources(2, both, nullptr));
    EXPECT_OK(cuGraphicsUnmapResources(2, both, nullptr));
    both[1] = reinterpret_cast<CUgraphicsResource>(std::uintptr_t{12345});
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuGraphicsMapResources(2, both, nullptr));
}

TEST_F(GraphicsBuffers, OnlyBuffersAreRegistered) {
    CUgraphicsResource resource = nullptr;
    EXPECT_NE("CUDA_SUCCESS", result_name(cuGraphicsGLRegisterBuffer(&resource, 12345, 0)));
}

TEST_F(GraphicsBuffers, EndsWithItsRegistration) {
    if (!on_cpu_device()) GTEST_SKIP() << "a GPU's driver follows such handles";
    CUgraphicsResource resource = nullptr;
    {
        RegisteredBuffer buffer;
        resource = buffer.resource;
    }
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuGraphicsUnregisterResource(resource));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuGraphicsMapResources(1, &resource, nullptr));
}

TEST_F(GraphicsBuffers, ItsMemoryEndsWithTheMapping) {
    if (!on_cpu_device()) GTEST_SKIP() << "a GPU may keep the address";
    RegisteredBuffer buffer;
    const CUdeviceptr pointer = buffer.map();
    buffer.unmap();
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(pointer, 0, 1));
}

TEST_F(GraphicsBuffers, EndsWithTheContext) {
    if (!on_cpu_device()) GTEST_SKIP() << "a GPU's driver follows such handles";
    const unsigned name = gl_program_new_buffer(counting(64).data(), 64);
    CUgraphicsResource resource = nullptr;
    EXPECT_OK(cuGraphicsGLRegisterBuffer(&resource, name, 0));
    EXPECT_OK(cuGraphicsMapResources(1, &resource, nullptr));
    EXPECT_OK(cuCtxDestroy(context));
    ASSERT_OK(cuCtxCreate(&context, nullptr, 0, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuGraphicsUnmapResources(1, &resource, nullptr));
    std::vector<unsigned char> read(64);
    gl_program_read_buffer(name, read.data(), read.size());
    EXPECT_EQ(counting(64), read);
    gl_program_delete_buffer(name);
}

TEST_F(GraphicsBuffers, UnregisteringWithoutOpenGLFailsAndYetEndsIt) {
    if (!on_cpu_device()) GTEST_SKIP() << "a GPU's driver crashes then";
    const unsigned name = gl_program_new_buffer(counting(64).data(), 64);
    CUgraphicsResource resource = nullptr;
    EXPECT_OK(cuGraphicsGLRegisterBuffer(&resource, name, 0));
    std::thread([&] {
        EXPECT_OK(cuCtxPushCurrent(context));
        EXPECT_RESULT(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, cuGraphicsUnregisterResource(resource));
        EXPECT_OK(cuCtxPopCurrent(nullptr));
    }).join();
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuGraphicsUnregisterResource(resource));
    gl_program_delete_buffer(name);
}

TEST_F(GraphicsBuffers, IsUnmappedBeforeItIsUnregistered) {
    if (!on_cpu_device()) GTEST_SKIP() << "a GPU's driver says the same, and crashes when it is then unmapped";
    RegisteredBuffer buffer;
    buffer.map();
    EXPECT_RESULT(CUDA_ERROR_ALREADY_MAPPED, cuGraphicsUnregisterResource(buffer.resource));
    buffer.unmap();
}

TEST_F(GraphicsBuffers, RequiresOpenGLOnTheThread) {
    if (!on_cpu_device()) GTEST_SKIP() << "a driver without its OpenGL has codes of its own";
    RegisteredBuffer buffer;
    buffer.map();
    std::thread([&] {
        EXPECT_OK(cuCtxPushCurrent(context));
        EXPECT_RESULT(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, cuGraphicsUnmapResources(1, &buffer.resource, nullptr));
        EXPECT_OK(cuCtxPopCurrent(nullptr));
    }).join();
    void* const opengl = gl_program_take_context();
    std::thread([&] {
        gl_program_give_context(opengl);
        EXPECT_OK(cuCtxPushCurrent(context));
        buffer.unmap();
        EXPECT_OK(cuCtxPopCurrent(nullptr));
        gl_program_take_context();
    }).join();
    gl_program_give_context(opengl);
}
