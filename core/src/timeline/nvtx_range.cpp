#include "timeline/nvtx_range.hpp"

// Header-only. At the first call, it looks for the profiler that NVTX_INJECTION64_PATH names.
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define PYCUDA_HAS_NVTX
#endif

namespace pycuda {

#ifdef PYCUDA_HAS_NVTX
namespace {

nvtxDomainHandle_t domain() noexcept {
    static const nvtxDomainHandle_t ours = nvtxDomainCreateA("pycuda");
    return ours;
}

}  // namespace

NvtxRange::NvtxRange(const char* name) noexcept {
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name;
    nvtxDomainRangePushEx(domain(), &attributes);
}

NvtxRange::~NvtxRange() {
    nvtxDomainRangePop(domain());
}
#else
NvtxRange::NvtxRange(const char*) noexcept {}

NvtxRange::~NvtxRange() = default;
#endif

}  // namespace pycuda
