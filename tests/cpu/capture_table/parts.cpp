// Parts of the calls of the table.
#include "capture_table/world.hpp"

void nothing(void* data) {
    (void)data;
}
void nothing_called(CUstream s, CUresult r, void* data) {
    (void)s, (void)r, (void)data;
}

CUresult new_pool(CUmemoryPool* pool) {
    CUmemPoolProps p{};
    p.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.location.id = w->device;
    return cuMemPoolCreate(pool, &p);
}
CUmemAllocationProp physical_properties() {
    CUmemAllocationProp p{};
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.location.id = w->device;
    return p;
}
CUresult new_physical() {
    CUmemAllocationProp p = physical_properties();
    return cuMemCreate(&w->physical, 2 << 20, &p, 0);
}
CUresult new_addresses() {
    return cuMemAddressReserve(&w->memory, 2 << 20, 0, 0, 0);
}
CUresult allow_access() {
    CUmemAccessDesc a{};
    a.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    a.location.id = w->device;
    a.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return cuMemSetAccess(w->memory, 2 << 20, &a, 1);
}
CUresult map_it() {
    return cuMemMap(w->memory, 2 << 20, 0, w->physical, 0);
}
CUresult map_all() {
    CUresult r = new_physical();
    if (!r) r = new_addresses();
    if (!r) r = map_it();
    return r ? r : allow_access();
}
void unmap_all() {
    cuMemUnmap(w->memory, 2 << 20);
    cuMemAddressFree(w->memory, 2 << 20);
    cuMemRelease(w->physical);
}
void drop_unmapped() {
    cuMemAddressFree(w->memory, 2 << 20);
    cuMemRelease(w->physical);
}
CUresult launch(CUfunction f, CUstream s) {
    CUdeviceptr p = w->plain;
    void* args[] = {&p};
    return cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, args, nullptr);
}
CUresult new_array(CUarray* a) {
    CUDA_ARRAY_DESCRIPTOR d{};
    d.Width = d.Height = 8;
    d.Format = CU_AD_FORMAT_FLOAT;
    d.NumChannels = 1;
    return cuArrayCreate(a, &d);
}
CUresult new_mipmapped(CUmipmappedArray* a) {
    CUDA_ARRAY3D_DESCRIPTOR d{};
    d.Width = d.Height = 8;
    d.Format = CU_AD_FORMAT_FLOAT;
    d.NumChannels = 1;
    return cuMipmappedArrayCreate(a, &d, 2);
}
CUresult new_texture(CUtexObject* t) {
    CUDA_RESOURCE_DESC r{};
    CUDA_TEXTURE_DESC d{};
    r.resType = CU_RESOURCE_TYPE_ARRAY;
    r.res.array.hArray = w->array;
    return cuTexObjectCreate(t, &r, &d, nullptr);
}
CUresult new_surface(CUsurfObject* t) {
    CUDA_RESOURCE_DESC r{};
    r.resType = CU_RESOURCE_TYPE_ARRAY;
    CUDA_ARRAY3D_DESCRIPTOR d{};
    d.Width = d.Height = 8;
    d.Format = CU_AD_FORMAT_FLOAT;
    d.NumChannels = 1;
    d.Flags = CUDA_ARRAY3D_SURFACE_LDST;
    if (!w->second) {
        CUarray a = nullptr;
        CUresult made = cuArray3DCreate(&a, &d);
        if (made) return made;
        w->second = a;
    }
    r.res.array.hArray = (CUarray)w->second;
    return cuSurfObjectCreate(t, &r);
}
CUDA_MEMCPY2D copy_2d() {
    CUDA_MEMCPY2D c{};
    c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.srcDevice = w->plain;
    c.dstDevice = w->plain + 4096;
    c.srcPitch = c.dstPitch = 64;
    c.WidthInBytes = 16;
    c.Height = 4;
    return c;
}
CUDA_MEMCPY3D copy_3d() {
    CUDA_MEMCPY3D c{};
    c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.srcDevice = w->plain;
    c.dstDevice = w->plain + 4096;
    c.srcPitch = c.dstPitch = 64;
    c.srcHeight = c.dstHeight = 4;
    c.WidthInBytes = 16;
    c.Height = 4;
    c.Depth = 1;
    return c;
}
CUresult new_graph() {
    return cuGraphCreate((CUgraph*)&w->handle, 0);
}
CUgraphNodeParams kernel_parameters(void** args) {
    CUgraphNodeParams p{};
    p.type = CU_GRAPH_NODE_TYPE_KERNEL;
    p.kernel.func = w->function;
    p.kernel.gridDimX = p.kernel.gridDimY = p.kernel.gridDimZ = 1;
    p.kernel.blockDimX = p.kernel.blockDimY = p.kernel.blockDimZ = 1;
    p.kernel.kernelParams = args;
    return p;
}
CUresult add_kernel(CUgraph g, CUgraphNode* node) {
    CUdeviceptr p = w->plain;
    void* args[] = {&p};
    CUgraphNodeParams parameters = kernel_parameters(args);
    return cuGraphAddNode(node, g, nullptr, nullptr, 0, &parameters);
}
CUresult add_alloc(CUgraph g, CUgraphNode* node, CUdeviceptr* memory) {
    CUDA_MEM_ALLOC_NODE_PARAMS p{};
    p.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.poolProps.location.id = w->device;
    p.bytesize = 4096;
    CUresult r = cuGraphAddMemAllocNode(node, g, nullptr, 0, &p);
    *memory = p.dptr;
    return r;
}
CUresult instantiate(CUgraphExec* e, CUgraph g) {
    return cuGraphInstantiate(e, g, 0);
}
CUresult set_params(CUgraphExec e, CUgraphNode n) {
    CUdeviceptr p = w->plain;
    void* args[] = {&p};
    CUgraphNodeParams parameters = kernel_parameters(args);
    return cuGraphExecNodeSetParams(e, n, &parameters);
}
CUresult status_of(CUstream s) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return cuStreamIsCapturing(s, &status);
}
CUresult ask_capture(CUstream s) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    cuuint64_t id = 0;
    return cuStreamGetCaptureInfo(s, &status, &id, nullptr, nullptr, nullptr, nullptr);
}
CUresult pointer_attribute(CUdeviceptr at, CUpointer_attribute which) {
    unsigned long long value[2] = {0, 0};
    return cuPointerGetAttribute(value, which, at);
}
CUresult address_range(CUdeviceptr at) {
    CUdeviceptr base = 0;
    size_t size = 0;
    return cuMemGetAddressRange(&base, &size, at);
}
CUmemLocation here() {
    CUmemLocation l{};
    l.type = CU_MEM_LOCATION_TYPE_DEVICE;
    l.id = w->device;
    return l;
}
CUresult pool_access(CUmemoryPool pool) {
    CUmemAccessDesc a{};
    a.location = here();
    a.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return cuMemPoolSetAccess(pool, &a, 1);
}
CUresult write_value(CUstream s) {
    return cuStreamWriteValue32(s, w->plain, 1, 0);
}
CUresult wait_value(CUstream s) {
    return cuStreamWaitValue32(s, w->plain + 8192, 0, CU_STREAM_WAIT_VALUE_GEQ);
}
CUresult batch_values(CUstream s) {
    CUstreamBatchMemOpParams p{};
    p.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    p.writeValue.address = w->plain;
    p.writeValue.value = 1;
    return cuStreamBatchMemOp(s, 1, &p, 0);
}
CUresult launch_ex(CUfunction f, CUstream s) {
    CUdeviceptr p = w->plain;
    void* args[] = {&p};
    CUlaunchConfig c{};
    c.gridDimX = c.gridDimY = c.gridDimZ = c.blockDimX = c.blockDimY = c.blockDimZ = 1;
    c.hStream = s;
    return cuLaunchKernelEx(&c, f, args, nullptr);
}
CUresult launch_cooperative(CUfunction f, CUstream s) {
    CUdeviceptr p = w->plain;
    void* args[] = {&p};
    return cuLaunchCooperativeKernel(f, 1, 1, 1, 1, 1, 1, 0, s, args);
}
CUresult split_green(CUgreenCtx* green) {
    CUdevResource all, part;
    CUdevResourceDesc description;
    unsigned groups = 1;
    CUresult r = cuDeviceGetDevResource(w->device, &all, CU_DEV_RESOURCE_TYPE_SM);
    if (!r) r = cuDevSmResourceSplitByCount(&part, &groups, &all, nullptr, 0, 1);
    if (!r) r = cuDevResourceGenerateDesc(&description, &part, 1);
    return r ? r : cuGreenCtxCreate(green, description, w->device, CU_GREEN_CTX_DEFAULT_STREAM);
}
CUresult new_context(CUcontext* c) {
    return cuCtxCreate(c, nullptr, 0, w->device);
}
CUresult other_context() {
    CUcontext made = nullptr, popped = nullptr;
    CUresult r = new_context(&made);
    if (!r) cuCtxPopCurrent(&popped);
    w->handle = made;
    return r;
}
CUresult encode_tensor_map() {
    static CUtensorMap map __attribute__((aligned(64)));
    cuuint64_t dims[2] = {16, 16}, strides[1] = {64};
    cuuint32_t box[2] = {8, 8}, steps[2] = {1, 1};
    return cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void*)w->plain, dims, strides, box, steps,
                                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}
CUresult start_link(CUlinkState* l) {
    return cuLinkCreate(0, nullptr, nullptr, l);
}
CUresult add_to_link(CUlinkState l) {
    return cuLinkAddData(l, CU_JIT_INPUT_PTX, const_cast<char*>(module_text), module_text_size, "k", 0, nullptr,
                         nullptr);
}
CUresult complete_link(CUlinkState l) {
    void* image = nullptr;
    size_t size = 0;
    return cuLinkComplete(l, &image, &size);
}
