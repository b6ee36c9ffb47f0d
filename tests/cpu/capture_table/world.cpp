#include "capture_table/world.hpp"

#include <cstdio>
#include <cstdlib>

namespace {

World world;

constexpr char text[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n.visible .global .align 4 .u32 word;\n"
    ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %rd<3>;\n.reg .b32 %r<2>;\nld.param.u64 %rd1,[p];\n"
    "cvta.to.global.u64 %rd2,%rd1;\nmov.u32 %r1,7;\nst.global.u32 [%rd2],%r1;\nret;\n}\n";

}  // namespace

World* const w = &world;
const char* const module_text = text;
const std::size_t module_text_size = sizeof text;

void check(CUresult result) {
    if (result && !w->prepared) w->prepared = result;
}

void start_world() {
    check(cuInit(0));
    check(cuDeviceGet(&w->device, 0));
    check(new_context(&w->context));
    check(cuMemAlloc(&w->plain, 1 << 16));
    check(cuMemAllocHost((void**)&w->pinned, 4096));
    alignas(4096) static char pageable[1 << 16];
    w->pageable = pageable;
    check(cuMemsetD8(w->plain, 0, 1 << 16));
    check(cuModuleLoadData(&w->module, module_text));
    check(cuModuleGetFunction(&w->function, w->module, "k"));
    check(launch(w->function, nullptr));
    check(cuGraphCreate(&w->graph, 0));
    check(add_kernel(w->graph, &w->node));
    check(instantiate(&w->exec, w->graph));
    check(new_array(&w->array));
    check(cuDeviceGraphMemTrim(w->device));
    if (w->prepared) {
        std::fprintf(stderr, "cannot begin: %d\n", w->prepared);
        std::_Exit(80);
    }
}

void make_streams(bool blocking) {
    w->prepared = CUDA_SUCCESS;
    w->memory = 0, w->handle = w->second = nullptr, w->number = 0, w->word = 0;
    check(cuStreamCreate(&w->captured, blocking ? 0 : CU_STREAM_NON_BLOCKING));
    check(cuStreamCreate(&w->other, CU_STREAM_NON_BLOCKING));
    check(cuEventCreate(&w->in_capture, 0));
    check(cuEventCreate(&w->recorded, 0));
    check(cuEventCreate(&w->fresh, 0));
    check(cuEventRecord(w->recorded, w->other));
    check(cuStreamSynchronize(w->other));
}
void drop_streams(bool with_captured) {
    cuEventDestroy(w->in_capture);
    cuEventDestroy(w->recorded);
    cuEventDestroy(w->fresh);
    cuStreamDestroy(w->other);
    if (with_captured) cuStreamDestroy(w->captured);
}
