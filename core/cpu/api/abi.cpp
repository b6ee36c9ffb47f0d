#include "api/abi.hpp"

#include "exec/image.hpp"
#include "state/log.hpp"

#include <system_error>

namespace cpu::api {

CUresult result_of_exception() noexcept {
    try {
        throw;
    } catch (const state::DriverError& error) {
        return error.code();
    } catch (const exec::LoadError& error) {
        return error.code();
    } catch (const std::bad_alloc&) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    } catch (const std::system_error&) {
        return CUDA_ERROR_OPERATING_SYSTEM;
    } catch (...) {
        return CUDA_ERROR_UNKNOWN;
    }
}

CUresult logged(const char* name, CUresult failure) noexcept {
    const char* text = nullptr;
    cuGetErrorName(failure, &text);
    state::log::note_failure(name, failure, text ? text : "unrecognized error code");
    return failure;
}

}  // namespace cpu::api
