#include "pycuda/memcpy.hpp"

#include <cstdio>
#include <string>

#include "driver_table.hpp"

namespace pycuda {
namespace {

std::string hex(std::uint64_t address) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    return text;
}

std::uint64_t number(const void* pointer) {
    return reinterpret_cast<std::uint64_t>(pointer);
}

/// Calls `copy`, and says in a failure what was to be copied.
template <class Function, class... Arguments>
void copy(const Function& function, std::uint64_t dest, std::uint64_t src, std::size_t nbytes, Arguments... arguments) {
    if (const CUresult result = function.try_call(arguments...)) [[unlikely]]
        function.fail(result, std::to_string(nbytes) + " bytes from " + hex(src) + " to " + hex(dest));
}

template <class Function, class... Arguments>
void fill(const Function& function, DevicePtr dest, std::size_t count, Arguments... arguments) {
    if (const CUresult result = function.try_call(arguments...)) [[unlikely]]
        function.fail(result, std::to_string(count) + " elements at " + hex(dest));
}

}  // namespace

void memcpy_htod(DevicePtr dest, const void* src, std::size_t nbytes) {
    copy(driver().cuMemcpyHtoD, dest, number(src), nbytes, dest, src, nbytes);
}

void memcpy_htod_async(DevicePtr dest, const void* src, std::size_t nbytes, const Stream* stream) {
    copy(driver().cuMemcpyHtoDAsync, dest, number(src), nbytes, dest, src, nbytes, stream_handle(stream));
}

void memcpy_dtoh(void* dest, std::size_t nbytes, DevicePtr src) {
    copy(driver().cuMemcpyDtoH, number(dest), src, nbytes, dest, src, nbytes);
}

void memcpy_dtoh_async(void* dest, std::size_t nbytes, DevicePtr src, const Stream* stream) {
    copy(driver().cuMemcpyDtoHAsync, number(dest), src, nbytes, dest, src, nbytes, stream_handle(stream));
}

void memcpy_dtod(DevicePtr dest, DevicePtr src, std::size_t size) {
    copy(driver().cuMemcpyDtoD, dest, src, size, dest, src, size);
}

void memcpy_dtod_async(DevicePtr dest, DevicePtr src, std::size_t size, const Stream* stream) {
    copy(driver().cuMemcpyDtoDAsync, dest, src, size, dest, src, size, stream_handle(stream));
}

void memset_d8(DevicePtr dest, std::uint8_t data, std::size_t count) {
    fill(driver().cuMemsetD8, dest, count, dest, data, count);
}

void memset_d16(DevicePtr dest, std::uint16_t data, std::size_t count) {
    fill(driver().cuMemsetD16, dest, count, dest, data, count);
}

void memset_d32(DevicePtr dest, std::uint32_t data, std::size_t count) {
    fill(driver().cuMemsetD32, dest, count, dest, data, count);
}

void memset_d8_async(DevicePtr dest, std::uint8_t data, std::size_t count, const Stream* stream) {
    fill(driver().cuMemsetD8Async, dest, count, dest, data, count, stream_handle(stream));
}

void memset_d16_async(DevicePtr dest, std::uint16_t data, std::size_t count, const Stream* stream) {
    fill(driver().cuMemsetD16Async, dest, count, dest, data, count, stream_handle(stream));
}

void memset_d32_async(DevicePtr dest, std::uint32_t data, std::size_t count, const Stream* stream) {
    fill(driver().cuMemsetD32Async, dest, count, dest, data, count, stream_handle(stream));
}

}  // namespace pycuda
