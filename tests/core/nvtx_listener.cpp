// A profiler for NVTX: prints the ranges of named domains to stderr, as "nvtx DOMAIN push NAME" and "nvtx DOMAIN pop".
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <string>

namespace {

int push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
    std::fprintf(stderr, "nvtx %s push %s\n", reinterpret_cast<std::string*>(domain)->c_str(),
                 attributes->message.ascii);
    return 0;
}

int pop(nvtxDomainHandle_t domain) {
    std::fprintf(stderr, "nvtx %s pop\n", reinterpret_cast<std::string*>(domain)->c_str());
    return 0;
}

/// Leaked, as a profiler's domains live as long as the process.
nvtxDomainHandle_t create(const char* name) {
    return reinterpret_cast<nvtxDomainHandle_t>(new std::string(name));
}

template <class Function>
void set(NvtxFunctionTable table, int place, Function function) {
    *table[place] = reinterpret_cast<NvtxFunctionPointer>(function);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table) {
    const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
    NvtxFunctionTable table = nullptr;
    unsigned size = 0;
    if (!callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size)) return 0;
    set(table, NVTX_CBID_CORE2_DomainCreateA, create);
    set(table, NVTX_CBID_CORE2_DomainRangePushEx, push);
    set(table, NVTX_CBID_CORE2_DomainRangePop, pop);
    return 1;
}
