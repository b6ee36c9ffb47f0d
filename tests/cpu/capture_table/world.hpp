#pragma once

#include <cuda.h>

#include <cstddef>

/// What the calls of the table work on.
struct World {
    // of the process
    CUdevice device = 0;
    CUcontext context = nullptr;
    CUdeviceptr plain = 0;
    char* pinned = nullptr;
    char* pageable = nullptr;
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    CUgraph graph = nullptr;  ///< one kernel node
    CUgraphNode node = nullptr;
    CUgraphExec exec = nullptr;
    CUarray array = nullptr;
    // of the cell
    CUstream captured = nullptr;
    CUstream other = nullptr;
    CUevent in_capture = nullptr;
    CUevent recorded = nullptr;
    CUevent fresh = nullptr;
    CUresult prepared = CUDA_SUCCESS;  ///< the first failure before the call itself
    // for the row
    CUdeviceptr memory = 0;
    void* handle = nullptr;
    void* second = nullptr;
    CUmemGenericAllocationHandle physical = 0;
    CUgraphNode made = nullptr;
    unsigned long long number = 0;
    std::size_t size = 0;
    int word = 0;
};

extern World* const w;

void check(CUresult result);  ///< of preparations
inline CUresult synchronize() {
    return cuCtxSynchronize();
}
void start_world();
void make_streams(bool blocking);
void drop_streams(bool with_captured);

extern const char* const module_text;
extern const std::size_t module_text_size;

// Parts of calls, which all return the first failure.
void nothing(void* data);
void nothing_called(CUstream s, CUresult r, void* data);
CUresult new_pool(CUmemoryPool* pool);
CUmemAllocationProp physical_properties();
CUresult new_physical();
CUresult new_addresses();
CUresult allow_access();
CUresult map_it();
CUresult map_all();
void unmap_all();
void drop_unmapped();
CUresult launch(CUfunction f, CUstream s);
CUresult new_array(CUarray* a);
CUresult new_mipmapped(CUmipmappedArray* a);
CUresult new_texture(CUtexObject* t);
CUresult new_surface(CUsurfObject* t);
CUDA_MEMCPY2D copy_2d();
CUDA_MEMCPY3D copy_3d();
CUresult new_graph();
CUgraphNodeParams kernel_parameters(void** args);
CUresult add_kernel(CUgraph g, CUgraphNode* node);
CUresult add_alloc(CUgraph g, CUgraphNode* node, CUdeviceptr* memory);
CUresult instantiate(CUgraphExec* e, CUgraph g);
CUresult set_params(CUgraphExec e, CUgraphNode n);
CUresult status_of(CUstream s);
CUresult ask_capture(CUstream s);
CUresult pointer_attribute(CUdeviceptr at, CUpointer_attribute which);
CUresult address_range(CUdeviceptr at);
CUmemLocation here();
CUresult pool_access(CUmemoryPool pool);
CUresult write_value(CUstream s);
CUresult wait_value(CUstream s);
CUresult batch_values(CUstream s);
CUresult launch_ex(CUfunction f, CUstream s);
CUresult launch_cooperative(CUfunction f, CUstream s);
CUresult split_green(CUgreenCtx* green);
CUresult new_context(CUcontext* c);
CUresult other_context();
CUresult encode_tensor_map();
CUresult start_link(CUlinkState* l);
CUresult add_to_link(CUlinkState l);
CUresult complete_link(CUlinkState l);
