#include "api/abi.hpp"

#include "state/memory/pointer_attributes.hpp"

using namespace cpu::api;
using namespace cpu::state;

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr ptr) {
    return entry("cuPointerGetAttribute", [&] {
        require(data != nullptr);
        get_pointer_attribute(data, attribute, ptr);
    });
}

CUresult cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute* attributes, void** data,
                                CUdeviceptr ptr) {
    return entry("cuPointerGetAttributes", [&] {
        require(numAttributes > 0 && attributes != nullptr && data != nullptr);
        for (unsigned i = 0; i < numAttributes; ++i) {
            require(data[i] != nullptr);
            get_pointer_attribute_or_zero(data[i], attributes[i], ptr);
        }
    });
}

CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute, CUdeviceptr ptr) {
    return entry_unseen_by_captures("cuPointerSetAttribute", [&] {
        current_context();
        set_pointer_attribute(value, attribute, ptr);
    });
}
