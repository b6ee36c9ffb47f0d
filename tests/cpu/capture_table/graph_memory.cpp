// What the driver says of memory that belongs to a graph, call by call.
#include <unistd.h>

#include "capture_table/row.hpp"

namespace {

CUgraph g;
CUgraphExec e, e2;
CUdeviceptr m;
#define FREE cuMemFree(m)
#define FREE_ASYNC cuMemFreeAsync(m, w->other)
#define WAIT cuStreamSynchronize(w->other)
#define LAUNCH cuGraphLaunch(e, w->other)
#define FILL cuMemsetD8(m, 3, 64)
#define READ cuMemcpyDtoH(w->pinned, m, 16)
#define ASK pointer_attribute(m, CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
#define END_EXEC cuGraphExecDestroy(e)
#define END_GRAPH cuGraphDestroy(g)
#define INSTANTIATE cuGraphInstantiate(&e, g, 0)
#define INSTANTIATE_AUTO cuGraphInstantiate(&e, g, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH)

/// Captures an allocation of 64 bytes, a fill of it, and, if asked, its release.
void capture_memory(int with_free) {
    g = nullptr, e = e2 = nullptr, m = 0;
    SAY("begin", cuStreamBeginCapture(w->captured, CU_STREAM_CAPTURE_MODE_RELAXED));
    SAY("alloc", cuMemAllocAsync(&m, 64, w->captured));
    SAY("fill", cuMemsetD8Async(m, 1, 64, w->captured));
    if (with_free) SAY("free", cuMemFreeAsync(m, w->captured));
    SAY("end", cuStreamEndCapture(w->captured, &g));
}
/// Ends by itself, for a call that waits for it.
void block(void* flag) {
    int i;
    for (i = 0; i < 2500 && !*(volatile int*)flag; ++i) usleep(200);
}
int flag_of_block;

// clang-format off
SCENARIO("before instantiation", capture_memory(0); SAY("ask", ASK); SAY("range", address_range(m)); SAY("memset", FILL); SAY("read", READ); SAY("free", FREE); SAY("free_async", FREE_ASYNC); SAY("instantiate", INSTANTIATE); SAY("launch", LAUNCH); SAY("wait", WAIT))
SCENARIO("before launch", capture_memory(0); SAY("instantiate", INSTANTIATE); SAY("ask", ASK); SAY("range", address_range(m)); SAY("memset", FILL); SAY("read", READ); SAY("free", FREE); SAY("free_async", FREE_ASYNC); SAY("launch", LAUNCH); SAY("wait", WAIT))
SCENARIO("after launch: cuMemFree", capture_memory(0); SAY("instantiate", INSTANTIATE); SAY("launch", LAUNCH); SAY("wait", WAIT); SAY("ask", ASK); SAY("range", address_range(m)); SAY("memset", FILL); SAY("read", READ); SAY("free", FREE); SAY("ask", ASK); SAY("memset", FILL); SAY("free", FREE); SAY("free_async", FREE_ASYNC); SAY("launch", LAUNCH); SAY("wait", WAIT); SAY("read", READ); SAY("free", FREE))
SCENARIO("after launch: cuMemFreeAsync", capture_memory(0); SAY("instantiate", INSTANTIATE); SAY("launch", LAUNCH); SAY("wait", WAIT); SAY("free_async", FREE_ASYNC); SAY("free_async", FREE_ASYNC); SAY("wait", WAIT); SAY("memset", FILL); SAY("free", FREE); SAY("launch", LAUNCH); SAY("wait", WAIT); SAY("read", READ); SAY("free_async", FREE_ASYNC); SAY("wait", WAIT))
SCENARIO("launched twice", capture_memory(0); SAY("instantiate", INSTANTIATE); SAY("launch", LAUNCH); SAY("launch", LAUNCH); SAY("wait", WAIT); SAY("free", FREE); SAY("launch", LAUNCH); SAY("wait", WAIT))
SCENARIO("auto free", capture_memory(0); SAY("instantiate", INSTANTIATE_AUTO); SAY("launch", LAUNCH); SAY("launch", LAUNCH); SAY("wait", WAIT); SAY("read", READ); SAY("free", FREE); SAY("read", READ); SAY("launch", LAUNCH); SAY("wait", WAIT); SAY("end_exec", END_EXEC); SAY("read", READ); SAY("end_graph", END_GRAPH); SAY("read", READ); SAY("free", FREE))
SCENARIO("launched, executable graph gone", capture_memory(0); SAY("instantiate", INSTANTIATE); SAY("launch", LAUNCH); SAY("wait", WAIT); SAY("end_exec", END_EXEC); SAY("read", READ); SAY("memset", FILL); SAY("instantiate", INSTANTIATE); SAY("launch", LAUNCH); SAY("free", FREE); SAY("launch", LAUNCH); SAY("wait", WAIT))
SCENARIO("launched, both gone: cuMemFree", capture_memory(0); SAY("instantiate", INSTANTIATE); SAY("launch", LAUNCH); SAY("wait", WAIT); SAY("end_exec", END_EXEC); SAY("end_graph", END_GRAPH); SAY("ask", ASK); SAY("read", READ); SAY("free", FREE); SAY("ask", ASK); SAY("read", READ); SAY("free", FREE))
SCENARIO("launched, both gone: cuMemFreeAsync", capture_memory(0); SAY("instantiate", INSTANTIATE); SAY("launch", LAUNCH); SAY("wait", WAIT); SAY("end_exec", END_EXEC); SAY("end_graph", END_GRAPH); SAY("free_async", FREE_ASYNC); SAY("wait", WAIT); SAY("free_async", FREE_ASYNC); SAY("read", READ))
SCENARIO("launched, graph gone", capture_memory(0); SAY("instantiate", INSTANTIATE); SAY("end_graph", END_GRAPH); SAY("launch", LAUNCH); SAY("wait", WAIT); SAY("read", READ); SAY("free", FREE); SAY("launch", LAUNCH); SAY("end_exec", END_EXEC); SAY("wait", WAIT); SAY("read", READ); SAY("free", FREE))
SCENARIO("never launched, graph gone", capture_memory(0); SAY("end_graph", END_GRAPH); SAY("ask", ASK); SAY("read", READ); SAY("free", FREE); SAY("free_async", FREE_ASYNC))
SCENARIO("never launched, both gone", capture_memory(0); SAY("instantiate", INSTANTIATE); SAY("end_exec", END_EXEC); SAY("end_graph", END_GRAPH); SAY("ask", ASK); SAY("free", FREE); SAY("free_async", FREE_ASYNC))
SCENARIO("with free node", capture_memory(1); SAY("ask", ASK); SAY("free", FREE); SAY("instantiate", INSTANTIATE); SAY("launch", LAUNCH); SAY("launch", LAUNCH); SAY("wait", WAIT); SAY("ask", ASK); SAY("memset", FILL); SAY("read", READ); SAY("free", FREE); SAY("free_async", FREE_ASYNC); SAY("end_exec", END_EXEC); SAY("end_graph", END_GRAPH); SAY("ask", ASK); SAY("free", FREE))
SCENARIO("instantiated twice", capture_memory(0); SAY("instantiate", INSTANTIATE); SAY("instantiate_again", cuGraphInstantiate(&e2, g, 0)); SAY("end_exec", END_EXEC); SAY("instantiate_again", cuGraphInstantiate(&e2, g, 0)))
SCENARIO("instantiated twice, with free node", capture_memory(1); SAY("instantiate", INSTANTIATE); SAY("instantiate_again", cuGraphInstantiate(&e2, g, 0)); SAY("end_exec", END_EXEC); SAY("instantiate_again", cuGraphInstantiate(&e2, g, 0)))
SCENARIO("clone and child", capture_memory(0); CUgraph c = nullptr; CUgraph parent = nullptr; CUgraphNode n = nullptr; SAY("clone", cuGraphClone(&c, g)); SAY("create", cuGraphCreate(&parent, 0)); SAY("child", cuGraphAddChildGraphNode(&n, parent, nullptr, 0, g)))
SCENARIO("clone and child, with free node", capture_memory(1); CUgraph c = nullptr; CUgraph parent = nullptr; CUgraphNode n = nullptr; SAY("clone", cuGraphClone(&c, g)); SAY("create", cuGraphCreate(&parent, 0)); SAY("child", cuGraphAddChildGraphNode(&n, parent, nullptr, 0, g)))
SCENARIO("capture lost", g = nullptr; SAY("begin", cuStreamBeginCapture(w->captured, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)); SAY("alloc", cuMemAllocAsync(&m, 64, w->captured)); SAY("sync", cuStreamSynchronize(w->captured)); SAY("alloc", cuMemAllocAsync(&m, 64, w->captured)); SAY("end", cuStreamEndCapture(w->captured, &g)); SAY("graph", g != nullptr); SAY("ask", ASK); SAY("read", READ); SAY("free", FREE); SAY("free_async", FREE_ASYNC))
SCENARIO("capture ended, its graph destroyed", capture_memory(0); SAY("end_graph", END_GRAPH); CUdeviceptr gone = m; capture_memory(0); SAY("free", cuMemFree(gone)); SAY("instantiate", INSTANTIATE); SAY("launch", LAUNCH); SAY("wait", WAIT); SAY("free", FREE))
SCENARIO("freed by another graph", capture_memory(0); CUgraph f = nullptr; CUgraphExec fe = nullptr; SAY("begin", cuStreamBeginCapture(w->captured, CU_STREAM_CAPTURE_MODE_RELAXED)); SAY("free_async", cuMemFreeAsync(m, w->captured)); SAY("end", cuStreamEndCapture(w->captured, &f)); SAY("instantiate", INSTANTIATE); SAY("instantiate_free", cuGraphInstantiate(&fe, f, 0)); SAY("launch_free", cuGraphLaunch(fe, w->other)); SAY("launch", LAUNCH); SAY("launch_free", cuGraphLaunch(fe, w->other)); SAY("launch_free", cuGraphLaunch(fe, w->other)); SAY("launch", LAUNCH); SAY("wait", WAIT); SAY("free", FREE); SAY("launch_free", cuGraphLaunch(fe, w->other)); SAY("wait", WAIT))
SCENARIO("free nodes", CUgraph a = nullptr; CUgraph b = nullptr; CUgraphNode alloc = nullptr; CUgraphNode n = nullptr; CUdeviceptr p = 0; SAY("create", cuGraphCreate(&a, 0)); SAY("create", cuGraphCreate(&b, 0)); SAY("alloc", add_alloc(a, &alloc, &p)); SAY("free_elsewhere", cuGraphAddMemFreeNode(&n, b, nullptr, 0, p)); SAY("free", cuGraphAddMemFreeNode(&n, a, &alloc, 1, p)); SAY("free", cuGraphAddMemFreeNode(&n, a, &alloc, 1, p)); SAY("plain", cuGraphAddMemFreeNode(&n, a, nullptr, 0, w->plain)); SAY("unknown", cuGraphAddMemFreeNode(&n, a, nullptr, 0, 4096)))
SCENARIO("free node twice in one graph", CUgraph a = nullptr; CUgraphNode alloc = nullptr; CUgraphNode n = nullptr; CUdeviceptr p = 0; SAY("create", cuGraphCreate(&a, 0)); SAY("alloc", add_alloc(a, &alloc, &p)); SAY("free", cuGraphAddMemFreeNode(&n, a, &alloc, 1, p)); SAY("free", cuGraphAddMemFreeNode(&n, a, &alloc, 1, p)); SAY("unordered_copy_alloc", add_alloc(a, &alloc, &p)); SAY("unordered_free", cuGraphAddMemFreeNode(&n, a, nullptr, 0, p)))
SCENARIO("launch in flight: cuMemFree", capture_memory(0); SAY("instantiate", INSTANTIATE); flag_of_block = 0; SAY("block", cuLaunchHostFunc(w->other, block, &flag_of_block)); SAY("launch", LAUNCH); SAY("ask", ASK); SAY("query", cuStreamQuery(w->other)); SAY("free", FREE); SAY("query", cuStreamQuery(w->other)); flag_of_block = 1; SAY("wait", WAIT); SAY("read", READ); SAY("free", FREE))
SCENARIO("launch in flight: cuMemFreeAsync", capture_memory(0); SAY("instantiate", INSTANTIATE); flag_of_block = 0; SAY("block", cuLaunchHostFunc(w->other, block, &flag_of_block)); SAY("launch", LAUNCH); SAY("free_async", FREE_ASYNC); SAY("launch", LAUNCH); flag_of_block = 1; SAY("wait", WAIT); SAY("read", READ); SAY("free", FREE))
SCENARIO("stream-ordered memory in flight: cuMemFree", m = 0; SAY("alloc", cuMemAllocAsync(&m, 64, w->other)); flag_of_block = 0; SAY("block", cuLaunchHostFunc(w->other, block, &flag_of_block)); SAY("memset", cuMemsetD8Async(m, 1, 64, w->other)); SAY("free", FREE); SAY("query", cuStreamQuery(w->other)); flag_of_block = 1; SAY("wait", WAIT); SAY("free", FREE))
SCENARIO("node memory in flight, exec and graph destroyed", capture_memory(0); SAY("instantiate", INSTANTIATE); flag_of_block = 0; SAY("block", cuLaunchHostFunc(w->other, block, &flag_of_block)); SAY("launch", LAUNCH); SAY("end_exec", END_EXEC); SAY("end_graph", END_GRAPH); flag_of_block = 1; SAY("wait", WAIT); SAY("read", READ); SAY("free", FREE))
SCENARIO("update to a graph with memory", capture_memory(0); SAY("instantiate", INSTANTIATE); CUgraph first = g; CUgraphExec ex = e; capture_memory(0); CUgraphExecUpdateResultInfo i; i = {}; SAY("update", cuGraphExecUpdate(ex, g, &i)); SAY("why", i.result); SAY("update_same", cuGraphExecUpdate(ex, first, &i)); SAY("why", i.result))
SCENARIO("memory of a dropped pool", g = nullptr; e = nullptr; m = 0; CUmemoryPool p = nullptr; SAY("pool", new_pool(&p)); SAY("begin", cuStreamBeginCapture(w->captured, CU_STREAM_CAPTURE_MODE_RELAXED)); SAY("alloc", cuMemAllocFromPoolAsync(&m, 64, p, w->captured)); SAY("end", cuStreamEndCapture(w->captured, &g)); SAY("destroy_pool", cuMemPoolDestroy(p)); SAY("instantiate", INSTANTIATE); SAY("launch", LAUNCH); SAY("wait", WAIT); SAY("read", READ); SAY("free", FREE))
SCENARIO("a row of pools dropped in captures", int i; for (i = 0; i < 20; ++i) { CUmemoryPool p = nullptr; CUdeviceptr q = 0; CUgraph c = nullptr; new_pool(&p); cuMemAllocFromPoolAsync(&q, 64, p, w->other); WAIT; cuMemFree(q); cuStreamBeginCapture(w->captured, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL); cuMemsetD8Async(w->plain, 1, 16, w->captured); if (!i) SAY("destroy_pool", cuMemPoolDestroy(p)); else cuMemPoolDestroy(p); if (!i) SAY("end", cuStreamEndCapture(w->captured, &c)); else cuStreamEndCapture(w->captured, &c); if (c) cuGraphDestroy(c); } SAY("sync_captured", cuStreamSynchronize(w->captured)); SAY("sync", WAIT); SAY("context", cuCtxSynchronize()))
SCENARIO("a row of virtual memory dropped in captures", int i; for (i = 0; i < 20; ++i) { CUgraph c = nullptr; map_all(); cuStreamBeginCapture(w->captured, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL); cuMemsetD8Async(w->plain, 1, 16, w->captured); if (!i) SAY("unmap", cuMemUnmap(w->memory, 2 << 20)); else cuMemUnmap(w->memory, 2 << 20); cuMemAddressFree(w->memory, 2 << 20); cuMemRelease(w->physical); if (!i) SAY("end", cuStreamEndCapture(w->captured, &c)); else cuStreamEndCapture(w->captured, &c); if (c) cuGraphDestroy(c); } SAY("sync_captured", cuStreamSynchronize(w->captured)); SAY("sync", WAIT); SAY("context", cuCtxSynchronize()))

// clang-format on

}  // namespace
