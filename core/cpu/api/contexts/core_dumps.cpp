#include "state/core_dumps.hpp"
#include "api/abi.hpp"
#include "api/declarations/newer.hpp"

#include <cstring>

using namespace cpu::api;
using namespace cpu::state;

namespace {

const Context* current() {
    return current_context_even_if_faulted().get();
}

void get(const Context* context, CUcoredumpSettings setting, void* value, size_t* size) {
    require(size != nullptr);
    const std::size_t needed = core_dumps::size_of(setting);
    if (value) {
        const std::string bytes = core_dumps::get(context, setting);
        const bool is_text = setting == CU_COREDUMP_FILE || setting == CU_COREDUMP_PIPE;
        const std::size_t count = bytes.size() + is_text;
        require(*size >= count);
        std::memcpy(value, bytes.c_str(), count);
    }
    *size = needed;
}

void set(const Context* context, CUcoredumpSettings setting, void* value, size_t* size) {
    require(size != nullptr);
    const std::size_t needed = core_dumps::size_of(setting);
    if (value) {
        const auto* const bytes = static_cast<const char*>(value);
        const bool is_text = setting == CU_COREDUMP_FILE || setting == CU_COREDUMP_PIPE;
        core_dumps::set(context, setting, {bytes, is_text ? strnlen(bytes, *size) : *size});
    } else {
        *size = needed;
    }
}

}  // namespace

CUresult cuCoredumpGetAttribute(CUcoredumpSettings attrib, void* value, size_t* size) {
    return entry("cuCoredumpGetAttribute", [&] { get(current(), attrib, value, size); });
}

CUresult cuCoredumpGetAttributeGlobal(CUcoredumpSettings attrib, void* value, size_t* size) {
    return entry("cuCoredumpGetAttributeGlobal", [&] { get(nullptr, attrib, value, size); });
}

CUresult cuCoredumpSetAttribute(CUcoredumpSettings attrib, void* value, size_t* size) {
    return entry("cuCoredumpSetAttribute", [&] { set(current(), attrib, value, size); });
}

CUresult cuCoredumpSetAttributeGlobal(CUcoredumpSettings attrib, void* value, size_t* size) {
    return entry("cuCoredumpSetAttributeGlobal", [&] { set(nullptr, attrib, value, size); });
}

CUresult cuCoredumpRegisterStartCallback(CUcoredumpStatusCallback callback, void* userData,
                                         CUcoredumpCallbackHandle* callbackOut) {
    return entry("cuCoredumpRegisterStartCallback", [&] {
        put_optional(callbackOut, static_cast<CUcoredumpCallbackHandle>(
                                      core_dumps::add(core_dumps::Moment::Start, callback, userData)));
    });
}

CUresult cuCoredumpRegisterCompleteCallback(CUcoredumpStatusCallback callback, void* userData,
                                            CUcoredumpCallbackHandle* callbackOut) {
    return entry("cuCoredumpRegisterCompleteCallback", [&] {
        put_optional(callbackOut, static_cast<CUcoredumpCallbackHandle>(
                                      core_dumps::add(core_dumps::Moment::Complete, callback, userData)));
    });
}

CUresult cuCoredumpDeregisterStartCallback(CUcoredumpCallbackHandle callback) {
    return entry("cuCoredumpDeregisterStartCallback", [&] { core_dumps::remove(core_dumps::Moment::Start, callback); });
}

CUresult cuCoredumpDeregisterCompleteCallback(CUcoredumpCallbackHandle callback) {
    return entry("cuCoredumpDeregisterCompleteCallback",
                 [&] { core_dumps::remove(core_dumps::Moment::Complete, callback); });
}
