#include "api/abi.hpp"
#include "api/declarations/opengl.hpp"

#include "state/device.hpp"
#include "state/graphics/resource.hpp"
#include "state/graphs/capture.hpp"

#include <algorithm>
#include <vector>

using namespace cpu::api;
using namespace cpu::state;

namespace {

constexpr unsigned min_device_list = 1, max_device_list = 3;  // CU_GL_DEVICE_LIST_ALL to _NEXT_FRAME

using Resources = std::vector<std::shared_ptr<GraphicsResource>>;

Resources resources_of(unsigned count, const CUgraphicsResource* handles) {
    require(count > 0 && handles != nullptr);
    Resources resources;
    for (unsigned i = 0; i < count; ++i) resources.push_back(graphics_resources().get(handles[i]));
    return resources;
}

/// Runs `work` in the stream's order, on the calling thread, where the program has its OpenGL context.
template <class Work>
void run_on(Stream& stream, Work work) {
    stream.run_here(work);
    stream.context()->check_fault();
}

}  // namespace

// Errors have the same precedence as in a GPU driver: first the context (for a registration) or the handle, then the
// other arguments, OpenGL last.

CUresult cuGLGetDevices_v2(unsigned int* pCudaDeviceCount, CUdevice* pCudaDevices, unsigned int cudaDeviceCount,
                           unsigned int deviceList) {
    return entry("cuGLGetDevices", [&] {
        opengl::of_this_thread();
        require(deviceList >= min_device_list && deviceList <= max_device_list);
        // All devices copy equally well.
        const auto count = static_cast<unsigned>(device_count());
        put_optional(pCudaDeviceCount, count);
        if (!pCudaDevices) return;
        for (unsigned i = 0; i < std::min(count, cudaDeviceCount); ++i) pCudaDevices[i] = static_cast<CUdevice>(i);
    });
}

CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource* pCudaResource, unsigned int buffer, unsigned int Flags) {
    return entry("cuGraphicsGLRegisterBuffer", [&] {
        const std::shared_ptr<Context> context = current_context();
        require(pCudaResource != nullptr);
        *pCudaResource = graphics_resources().add(register_buffer(*context, buffer, Flags));
    });
}

CUresult cuGraphicsGLRegisterImage(CUgraphicsResource* pCudaResource, unsigned int image, unsigned int target,
                                   unsigned int Flags) {
    return entry("cuGraphicsGLRegisterImage", [&] {
        const std::shared_ptr<Context> context = current_context();
        require(pCudaResource != nullptr);
        *pCudaResource = graphics_resources().add(register_image(*context, image, target, Flags));
    });
}

CUresult cuGraphicsUnregisterResource(CUgraphicsResource resource) {
    return entry("cuGraphicsUnregisterResource", [&] {
        const auto registered = graphics_resources().get(resource);
        const std::shared_ptr<Context> context = current_context();
        require(!registered->is_mapped(), CUDA_ERROR_ALREADY_MAPPED);
        context->synchronize();
        graphics_resources().take(resource);
        opengl::of_this_thread();  // only now: NVIDIA's driver (580) frees it, and crashes if it is unregistered again
    });
}

CUresult cuGraphicsResourceSetMapFlags_v2(CUgraphicsResource resource, unsigned int flags) {
    return entry("cuGraphicsResourceSetMapFlags", [&] {
        const auto registered = graphics_resources().get(resource);
        current_context();
        registered->set_map_flags(flags);
    });
}

CUresult cuGraphicsResourceSetMapFlags(CUgraphicsResource resource, unsigned int flags) {
    return cuGraphicsResourceSetMapFlags_v2(resource, flags);
}

CUresult cuGraphicsMapResources(unsigned int count, CUgraphicsResource* resources, CUstream hStream) {
    return entry("cuGraphicsMapResources", [&] {
        const Resources all = resources_of(count, resources);
        const auto stream = stream_of(hStream);
        graphs::refuse_if_captured(*stream);
        const opengl::Functions gl = opengl::of_this_thread();
        run_on(*stream, [&] {
            auto next = all.begin();
            try {
                for (; next != all.end(); ++next) (*next)->map(gl);
            } catch (...) {
                std::for_each(all.begin(), next, [](const auto& mapped) { mapped->forget(); });
                throw;
            }
        });
    });
}

CUresult cuGraphicsUnmapResources(unsigned int count, CUgraphicsResource* resources, CUstream hStream) {
    return entry("cuGraphicsUnmapResources", [&] {
        const Resources all = resources_of(count, resources);
        const auto stream = stream_of(hStream);
        graphs::refuse_if_captured(*stream);
        for (const auto& resource : all) require(resource->is_mapped(), CUDA_ERROR_NOT_MAPPED);
        const opengl::Functions gl = opengl::of_this_thread();
        run_on(*stream, [&] {
            for (const auto& resource : all) resource->unmap(gl);
        });
    });
}

CUresult cuGraphicsResourceGetMappedPointer_v2(CUdeviceptr* pDevPtr, size_t* pSize, CUgraphicsResource resource) {
    return entry("cuGraphicsResourceGetMappedPointer", [&] {
        const auto registered = graphics_resources().get(resource);
        current_context();
        const auto [pointer, size] = registered->memory();
        put_optional(pDevPtr, pointer);
        put_optional(pSize, size);
    });
}

CUresult cuGraphicsSubResourceGetMappedArray(CUarray* pArray, CUgraphicsResource resource, unsigned int arrayIndex,
                                             unsigned int mipLevel) {
    return entry("cuGraphicsSubResourceGetMappedArray", [&] {
        const auto registered = graphics_resources().get(resource);
        current_context();
        put(pArray, registered->array(arrayIndex, mipLevel));
    });
}
