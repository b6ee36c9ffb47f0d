// Calls of the table: memory.
#include <unistd.h>

#include "capture_table/row.hpp"

// clang-format off

// ---- a control, and memory
ROW("nothing", CUDA_SUCCESS)
ROW3("cuMemAlloc", , cuMemFree(w->memory), cuMemAlloc(&w->memory, 64))
ROW3("cuMemAllocPitch", , cuMemFree(w->memory), cuMemAllocPitch(&w->memory, &w->size, 16, 4, 4))
ROW3("cuMemAllocManaged", , cuMemFree(w->memory), cuMemAllocManaged(&w->memory, 64, CU_MEM_ATTACH_GLOBAL))
ROW3("cuMemAllocHost", , cuMemFreeHost(w->handle), cuMemAllocHost(&w->handle, 64))
ROW3("cuMemHostAlloc", , cuMemFreeHost(w->handle), cuMemHostAlloc(&w->handle, 64, 0))
ROW2("cuMemFree", P(cuMemAlloc(&w->memory, 64)), cuMemFree(w->memory))
FULL("cuMemFree/used_in_capture", 0, P(cuMemAlloc(&w->memory, 64)), P(cuMemsetD8Async(w->memory, 1, 64, w->captured)), ,
     return cuMemFree(w->memory))
ROW2("cuMemFree/managed", P(cuMemAllocManaged(&w->memory, 64, CU_MEM_ATTACH_GLOBAL)), cuMemFree(w->memory))
ROW2("cuMemFree/stream_ordered", P(cuMemAllocAsync(&w->memory, 64, w->other)); P(cuStreamSynchronize(w->other)), cuMemFree(w->memory))
FULL("cuMemFree/graph_memory", 0, , P(cuMemAllocAsync(&w->memory, 64, w->captured)), , return cuMemFree(w->memory))
ROW("cuMemFree/null", cuMemFree(0))
ROW("cuMemFree/unknown", cuMemFree(0x1000))
ROW2("cuMemFreeHost", P(cuMemAllocHost(&w->handle, 64)), cuMemFreeHost(w->handle))
ROW3("cuMemHostRegister", , cuMemHostUnregister(w->pageable), cuMemHostRegister(w->pageable, 4096, 0))
ROW3("cuMemHostUnregister", P(cuMemHostRegister(w->pageable, 4096, 0)), cuMemHostUnregister(w->pageable), cuMemHostUnregister(w->pageable))
ROW("cuMemHostGetDevicePointer", cuMemHostGetDevicePointer(&w->memory, w->pinned, 0))
ROW("cuMemHostGetFlags", cuMemHostGetFlags((unsigned*)&w->word, w->pinned))
ROW("cuMemGetInfo", cuMemGetInfo(&w->size, (size_t*)&w->number))
ROW("cuMemGetAddressRange", address_range(w->plain))
FULL("cuMemGetAddressRange/graph_memory", 0, , P(cuMemAllocAsync(&w->memory, 64, w->captured)), , return address_range(w->memory))
ROW("cuPointerGetAttribute", pointer_attribute(w->plain, CU_POINTER_ATTRIBUTE_CONTEXT))
ROW("cuPointerGetAttribute/range_start", pointer_attribute(w->plain, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR))
FULL("cuPointerGetAttribute/graph_memory", 0, , P(cuMemAllocAsync(&w->memory, 64, w->captured)), ,
     return pointer_attribute(w->memory, CU_POINTER_ATTRIBUTE_MEMORY_TYPE))
ROW2("cuPointerSetAttribute", w->word = 0, cuPointerSetAttribute(&w->word, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, w->plain))
ROW3("cuMemAdvise", P(cuMemAllocManaged(&w->memory, 64, CU_MEM_ATTACH_GLOBAL)), cuMemFree(w->memory), cuMemAdvise(w->memory, 64, CU_MEM_ADVISE_SET_READ_MOSTLY, here()))
ROW3("cuMemRangeGetAttribute", P(cuMemAllocManaged(&w->memory, 64, CU_MEM_ATTACH_GLOBAL)), cuMemFree(w->memory), cuMemRangeGetAttribute(&w->word, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, w->memory, 64))
ON_STREAMS("cuMemPrefetchAsync", P(cuMemAllocManaged(&w->memory, 64, CU_MEM_ATTACH_GLOBAL)), cuMemFree(w->memory), cuMemPrefetchAsync(w->memory, 64, here(), 0, s))
ON_STREAMS("cuStreamAttachMemAsync", P(cuMemAllocManaged(&w->memory, 64, CU_MEM_ATTACH_GLOBAL)), cuMemFree(w->memory), cuStreamAttachMemAsync(s, w->memory, 0, CU_MEM_ATTACH_GLOBAL))

// ---- stream-ordered memory
ON_STREAMS("cuMemAllocAsync", , cuMemFree(w->memory), cuMemAllocAsync(&w->memory, 64, s))
ON_STREAMS("cuMemAllocFromPoolAsync", P(new_pool((CUmemoryPool*)&w->handle)), cuMemFree(w->memory); cuMemPoolDestroy((CUmemoryPool)w->handle), cuMemAllocFromPoolAsync(&w->memory, 64, (CUmemoryPool)w->handle, s))
ON_STREAMS("cuMemFreeAsync", P(cuMemAllocAsync(&w->memory, 64, w->other)); P(cuStreamSynchronize(w->other)), , cuMemFreeAsync(w->memory, s))
ON_STREAMS("cuMemFreeAsync/plain_memory", P(cuMemAlloc(&w->memory, 64)), , cuMemFreeAsync(w->memory, s))
#define GRAPH_MEMORY P(cuMemAllocAsync(&w->memory, 64, w->captured))
FULL("cuMemFreeAsync/graph_memory/captured", 0, , GRAPH_MEMORY, , return cuMemFreeAsync(w->memory, w->captured))
FULL("cuMemFreeAsync/graph_memory/other", 0, , GRAPH_MEMORY, , return cuMemFreeAsync(w->memory, w->other))
FULL("cuMemFreeAsync/graph_memory/legacy", 0, , GRAPH_MEMORY, , return cuMemFreeAsync(w->memory, nullptr))
FULL("cuMemFreeAsync/graph_memory_used/captured", 0, , GRAPH_MEMORY; P(cuMemsetD8Async(w->memory, 1, 64, w->captured)), , return cuMemFreeAsync(w->memory, w->captured))
FULL("cuMemFreeAsync/graph_memory_twice/captured", 0, , GRAPH_MEMORY; P(cuMemFreeAsync(w->memory, w->captured)), , return cuMemFreeAsync(w->memory, w->captured))
FULL("cuMemcpyDtoH/graph_memory", 0, , GRAPH_MEMORY, , return cuMemcpyDtoH(w->pinned, w->memory, 16))
FULL("cuMemsetD8/graph_memory", 0, , GRAPH_MEMORY, , return cuMemsetD8(w->memory, 0, 16))
#define LAUNCHED_GRAPH_MEMORY P(new_graph()); P(add_alloc((CUgraph)w->handle, &w->made, &w->memory)); P(instantiate((CUgraphExec*)&w->second, (CUgraph)w->handle)); P(cuGraphLaunch((CUgraphExec)w->second, w->other))
#define DROP_LAUNCHED cuMemFree(w->memory); cuGraphExecDestroy((CUgraphExec)w->second); cuGraphDestroy((CUgraph)w->handle)
ROW3("cuMemFree/launched_graph_memory", LAUNCHED_GRAPH_MEMORY, DROP_LAUNCHED, cuMemFree(w->memory))
ON_STREAMS("cuMemFreeAsync/launched_graph_memory", LAUNCHED_GRAPH_MEMORY, DROP_LAUNCHED, cuMemFreeAsync(w->memory, s))

// ---- pools
ROW3("cuMemPoolCreate", , cuMemPoolDestroy((CUmemoryPool)w->handle), new_pool((CUmemoryPool*)&w->handle))
ROW2("cuMemPoolDestroy", P(new_pool((CUmemoryPool*)&w->handle)), cuMemPoolDestroy((CUmemoryPool)w->handle))
ROW2("cuMemPoolDestroy/with_memory", P(new_pool((CUmemoryPool*)&w->handle)); P(cuMemAllocFromPoolAsync(&w->memory, 64, (CUmemoryPool)w->handle, w->other)), cuMemPoolDestroy((CUmemoryPool)w->handle))
ROW2("cuMemPoolDestroy/with_freed_memory", P(new_pool((CUmemoryPool*)&w->handle)); P(cuMemAllocFromPoolAsync(&w->memory, 64, (CUmemoryPool)w->handle, w->other)); P(cuMemFreeAsync(w->memory, w->other)), cuMemPoolDestroy((CUmemoryPool)w->handle))
FULL("cuMemPoolDestroy/with_graph_memory", 0, P(new_pool((CUmemoryPool*)&w->handle)), P(cuMemAllocFromPoolAsync(&w->memory, 64, (CUmemoryPool)w->handle, w->captured)), , return cuMemPoolDestroy((CUmemoryPool)w->handle))
#define WITH_POOL P(new_pool((CUmemoryPool*)&w->handle))
#define DROP_POOL cuMemPoolDestroy((CUmemoryPool)w->handle)
ROW3("cuMemPoolTrimTo", WITH_POOL, DROP_POOL, cuMemPoolTrimTo((CUmemoryPool)w->handle, 0))
ROW3("cuMemPoolGetAttribute", WITH_POOL, DROP_POOL, cuMemPoolGetAttribute((CUmemoryPool)w->handle, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &w->number))
ROW3("cuMemPoolSetAttribute", WITH_POOL; w->number = 0, DROP_POOL, cuMemPoolSetAttribute((CUmemoryPool)w->handle, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &w->number))
ROW3("cuMemPoolSetAccess", WITH_POOL, DROP_POOL, pool_access((CUmemoryPool)w->handle))
FULL("cuMemPoolGetAccess", 0, WITH_POOL, , DROP_POOL, CUmemLocation l = here(); CUmemAccess_flags f; return cuMemPoolGetAccess(&f, (CUmemoryPool)w->handle, &l))
ROW("cuDeviceGetMemPool", cuDeviceGetMemPool((CUmemoryPool*)&w->handle, w->device))
ROW2("cuDeviceSetMemPool", P(cuDeviceGetMemPool((CUmemoryPool*)&w->handle, w->device)), cuDeviceSetMemPool(w->device, (CUmemoryPool)w->handle))
ROW("cuDeviceGetDefaultMemPool", cuDeviceGetDefaultMemPool((CUmemoryPool*)&w->handle, w->device))
ROW("cuDeviceGraphMemTrim", cuDeviceGraphMemTrim(w->device))
ROW("cuDeviceGetGraphMemAttribute", cuDeviceGetGraphMemAttribute(w->device, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &w->number))
ROW2("cuDeviceSetGraphMemAttribute", w->number = 0, cuDeviceSetGraphMemAttribute(w->device, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &w->number))

// ---- virtual memory
ROW3("cuMemAddressReserve", , cuMemAddressFree(w->memory, 2 << 20), new_addresses())
ROW2("cuMemAddressFree", P(new_addresses()), cuMemAddressFree(w->memory, 2 << 20))
ROW3("cuMemCreate", , cuMemRelease(w->physical), new_physical())
ROW2("cuMemRelease", P(new_physical()), cuMemRelease(w->physical))
ROW2("cuMemRelease/mapped", P(map_all()), cuMemRelease(w->physical))
ROW3("cuMemMap", P(new_physical()); P(new_addresses()), unmap_all(), map_it())
ROW3("cuMemUnmap", P(map_all()), drop_unmapped(), cuMemUnmap(w->memory, 2 << 20))
FULL("cuMemUnmap/used_in_capture", 0, P(map_all()), P(cuMemsetD8Async(w->memory, 1, 64, w->captured)), drop_unmapped(), return cuMemUnmap(w->memory, 2 << 20))
ROW3("cuMemSetAccess", P(new_physical()); P(new_addresses()); P(map_it()), unmap_all(), allow_access())
FULL("cuMemGetAccess", 0, P(map_all()), , unmap_all(), CUmemLocation l = here(); return cuMemGetAccess(&w->number, &l, w->memory))
FULL("cuMemGetAllocationGranularity", 0, , , , CUmemAllocationProp p = physical_properties(); return cuMemGetAllocationGranularity(&w->size, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM))
ROW3("cuMemRetainAllocationHandle", P(map_all()), cuMemRelease(w->physical); unmap_all(), cuMemRetainAllocationHandle(&w->physical, (void*)w->memory))
ROW3("cuMemExportToShareableHandle", P(new_physical()), cuMemRelease(w->physical); close(w->word), cuMemExportToShareableHandle(&w->word, w->physical, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0))
FULL("cuMemImportFromShareableHandle", 0, P(new_physical()); P(cuMemExportToShareableHandle(&w->word, w->physical, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0)), , cuMemRelease(w->physical); close(w->word),
     CUmemGenericAllocationHandle h; CUresult r = cuMemImportFromShareableHandle(&h, (void*)(size_t)w->word, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR); return r)
FULL("cuMemGetAllocationPropertiesFromHandle", 0, P(new_physical()), , cuMemRelease(w->physical), CUmemAllocationProp p; return cuMemGetAllocationPropertiesFromHandle(&p, w->physical))

// clang-format on
