#include "api/abi.hpp"

#include "state/modules/linker.hpp"

using namespace cpu::api;
using namespace cpu::state;

CUresult cuLinkCreate_v2(unsigned int numOptions, CUjit_option* options, void** optionValues, CUlinkState* stateOut) {
    return entry("cuLinkCreate", [&] {
        require(stateOut != nullptr);
        current_context();
        *stateOut = linkers().add(std::make_shared<Linker>(JitOptions(numOptions, options, optionValues)));
    });
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void* data, size_t size, const char* name,
                          unsigned int numOptions, CUjit_option* options, void** optionValues) {
    return entry("cuLinkAddData", [&] {
        JitOptions checked(numOptions, options, optionValues);
        linkers().get(state)->add(type, data, size, name ? name : "<data>");
    });
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char* path, unsigned int numOptions,
                          CUjit_option* options, void** optionValues) {
    return entry("cuLinkAddFile", [&] {
        JitOptions checked(numOptions, options, optionValues);
        linkers().get(state)->add_file(type, path);
    });
}

CUresult cuLinkComplete(CUlinkState state, void** cubinOut, size_t* sizeOut) {
    return entry("cuLinkComplete", [&] {
        require(cubinOut != nullptr);
        const std::string& linked = linkers().get(state)->complete();
        *cubinOut = const_cast<char*>(linked.c_str());
        put_optional(sizeOut, linked.size() + 1);
    });
}

CUresult cuLinkDestroy(CUlinkState state) {
    return entry("cuLinkDestroy", [&] { require(linkers().take(state) != nullptr, CUDA_ERROR_INVALID_HANDLE); });
}

CUresult cuLinkCreate(unsigned int numOptions, CUjit_option* options, void** optionValues, CUlinkState* stateOut) {
    return cuLinkCreate_v2(numOptions, options, optionValues, stateOut);
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, size_t size, const char* name,
                       unsigned int numOptions, CUjit_option* options, void** optionValues) {
    return cuLinkAddData_v2(state, type, data, size, name, numOptions, options, optionValues);
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* path, unsigned int numOptions,
                       CUjit_option* options, void** optionValues) {
    return cuLinkAddFile_v2(state, type, path, numOptions, options, optionValues);
}
