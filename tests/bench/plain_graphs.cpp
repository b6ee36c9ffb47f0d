#include "plain_graphs.hpp"

#include <cuda.h>

#include "plain_calls.hpp"
#include "plain_driver.hpp"

namespace {

struct Driver {
    decltype(&::cuCtxSynchronize) synchronize;
    decltype(&::cuModuleLoadData) load;
    decltype(&::cuModuleGetFunction) find;
    decltype(&::cuMemAlloc) allocate;
    decltype(&::cuStreamCreate) create_stream;
    decltype(&::cuLaunchKernel) launch;
    decltype(&::cuStreamBeginCapture) begin;
    decltype(&::cuStreamEndCapture) end;
    decltype(&::cuGraphCreate) create;
    decltype(&::cuGraphAddKernelNode) add_kernel;
    decltype(&::cuGraphInstantiateWithFlags) instantiate;
    decltype(&::cuGraphLaunch) launch_graph;
    decltype(&::cuGraphExecKernelNodeSetParams) update;
    decltype(&::cuGraphDestroy) destroy;
} driver;

CUfunction add;
CUdeviceptr arrays[3];
int elements = 32;
void* arguments[] = {&arrays[0], &arrays[1], &arrays[2], &elements};
CUDA_KERNEL_NODE_PARAMS params;
CUstream stream;
CUgraphNode node;
CUgraphExec one, hundred;

CUresult launch_100() {
    CUresult result = CUDA_SUCCESS;
    for (int n = 0; n < 100 && result == CUDA_SUCCESS; ++n)
        result = driver.launch(add, 1, 1, 1, 32, 1, 1, 0, stream, arguments, nullptr);
    return result;
}

CUresult capture(CUgraph& graph) {
    CUresult result = driver.begin(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    if (result == CUDA_SUCCESS) result = launch_100();
    return result == CUDA_SUCCESS ? driver.end(stream, &graph) : result;
}

CUresult make_graphs() {
    params.func = add;
    params.gridDimX = params.gridDimY = params.gridDimZ = params.blockDimY = params.blockDimZ = 1;
    params.blockDimX = 32;
    params.kernelParams = arguments;
    CUgraph graph = nullptr, captured = nullptr;
    CUresult result = driver.create(&graph, 0);
    if (result == CUDA_SUCCESS) result = driver.add_kernel(&node, graph, nullptr, 0, &params);
    if (result == CUDA_SUCCESS) result = driver.instantiate(&one, graph, 0);
    if (result == CUDA_SUCCESS) result = capture(captured);
    return result == CUDA_SUCCESS ? driver.instantiate(&hundred, captured, 0) : result;
}

}  // namespace

int plain_graphs_open() {
    void* const library = loaded_driver();
    if (!library) return -1;
    const auto get = [library](auto& function, const char* name) { find(library, function, name); };
    get(driver.synchronize, "cuCtxSynchronize");
    get(driver.load, "cuModuleLoadData");
    get(driver.find, "cuModuleGetFunction");
    get(driver.allocate, "cuMemAlloc_v2");
    get(driver.create_stream, "cuStreamCreate");
    get(driver.launch, "cuLaunchKernel");
    get(driver.begin, "cuStreamBeginCapture_v2");
    get(driver.end, "cuStreamEndCapture");
    get(driver.create, "cuGraphCreate");
    get(driver.add_kernel, "cuGraphAddKernelNode_v2");
    get(driver.instantiate, "cuGraphInstantiateWithFlags");
    get(driver.launch_graph, "cuGraphLaunch");
    get(driver.update, "cuGraphExecKernelNodeSetParams_v2");
    get(driver.destroy, "cuGraphDestroy");
    CUmodule module;
    CUresult result = driver.load(&module, fast_kernel());
    if (result == CUDA_SUCCESS) result = driver.find(&add, module, "add");
    for (CUdeviceptr& array : arrays)
        if (result == CUDA_SUCCESS) result = driver.allocate(&array, 128);
    if (result == CUDA_SUCCESS) result = driver.create_stream(&stream, CU_STREAM_DEFAULT);
    return static_cast<int>(result == CUDA_SUCCESS ? make_graphs() : result);
}

double plain_graph_launch(int count) {
    return burst(driver.synchronize, count, [] { return driver.launch_graph(one, stream); });
}

double plain_graph_100(int count) {
    return burst(driver.synchronize, count, [] { return driver.launch_graph(hundred, stream); });
}

double plain_node_update(int count) {
    return burst(driver.synchronize, count, [] { return driver.update(one, node, &params); });
}

double plain_updated_launch(int count) {
    return burst(driver.synchronize, count, [] {
        const CUresult result = driver.update(one, node, &params);
        return result == CUDA_SUCCESS ? driver.launch_graph(one, nullptr) : result;
    });
}

double plain_capture(int count) {
    return burst(driver.synchronize, count, [] {
        CUgraph graph = nullptr;
        const CUresult result = capture(graph);
        return result == CUDA_SUCCESS ? driver.destroy(graph) : result;
    });
}

double plain_100_launches(int count) {
    return burst(driver.synchronize, count, [] { return launch_100(); });
}
