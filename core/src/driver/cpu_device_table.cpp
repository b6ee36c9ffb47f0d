#include "driver/cpu_device_table.hpp"

#include <cstring>

namespace pycuda {

const void* cpu_device_table(const DriverLibrary& library, const char (&id)[sizeof CUuuid::bytes + 1]) noexcept {
    if (!library.is_cpu_device) return nullptr;
    CUuuid uuid;
    std::memcpy(uuid.bytes, id, sizeof uuid.bytes);
    const void* table = nullptr;
    return library.functions.cuGetExportTable.try_call(&table, &uuid) == CUDA_SUCCESS ? table : nullptr;
}

}  // namespace pycuda
