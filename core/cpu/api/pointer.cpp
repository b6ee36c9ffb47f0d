#include "api/abi.hpp"

#include "state/pointer_attributes.hpp"

using namespace cpu::api;
using namespace cpu::state;

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr ptr) {
    return entry("cuPointerGetAttribute", [&] {
        require(data != nullptr);
        current_context_even_if_faulted();
        get_pointer_attribute(data, attribute, ptr);
    });
}

CUresult cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute* attributes, void** data,
                                CUdeviceptr ptr) {
    return entry("cuPointerGetAttributes", [&] {
        require(attributes != nullptr && data != nullptr);
        current_context_even_if_faulted();
        for (unsigned i = 0; i < numAttributes; ++i) {
            require(data[i] != nullptr);
            get_pointer_attribute_or_zero(data[i], attributes[i], ptr);
        }
    });
}

CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute, CUdeviceptr ptr) {
    return entry("cuPointerSetAttribute", [&] {
        current_context();
        set_pointer_attribute(value, attribute, ptr);
    });
}
