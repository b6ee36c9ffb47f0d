#include "pycuda/arrays/memcpy_array.hpp"

#include <string>

#include "driver/driver_table.hpp"

namespace pycuda {
namespace {

/// Call `copy`; the message of an error describes the copy.
template <class Function, class... Arguments>
void copy(const Function& function, std::size_t nbytes, Arguments... arguments) {
    if (const CUresult result = function.try_call(arguments...)) [[unlikely]]
        function.fail(result, std::to_string(nbytes) + " bytes");
}

}  // namespace

void memcpy_dtoa(const Array& ary, std::size_t index, DevicePtr src, std::size_t len) {
    copy(driver().cuMemcpyDtoA, len, ary.use(), index, src, len);
}

void memcpy_atod(DevicePtr dest, const Array& ary, std::size_t index, std::size_t len) {
    copy(driver().cuMemcpyAtoD, len, dest, ary.use(), index, len);
}

void memcpy_htoa(const Array& ary, std::size_t index, const void* src, std::size_t nbytes) {
    copy(driver().cuMemcpyHtoA, nbytes, ary.use(), index, src, nbytes);
}

void memcpy_atoh(void* dest, std::size_t nbytes, const Array& ary, std::size_t index) {
    copy(driver().cuMemcpyAtoH, nbytes, dest, ary.use(), index, nbytes);
}

void memcpy_atoa(const Array& dest, std::size_t dest_index, const Array& src, std::size_t src_index, std::size_t len) {
    copy(driver().cuMemcpyAtoA, len, dest.use(), dest_index, src.use(), src_index, len);
}

}  // namespace pycuda
