#include "memory/copy_text.hpp"

#include "driver/driver_table.hpp"
#include "text/text.hpp"

namespace pycuda {

std::optional<std::size_t> room_at(std::uint64_t address) {
    CUdeviceptr base = 0;
    std::size_t size = 0;
    if (driver().cuMemGetAddressRange.try_call(&base, &size, address) != CUDA_SUCCESS) return {};
    return base + size - address;
}

std::string room_text(std::uint64_t address) {
    const auto room = room_at(address);
    return room ? ", which has " + std::to_string(*room) + " bytes from there on" : "";
}

std::string text_of_copy(CUresult result, std::uint64_t dest, std::uint64_t src, std::size_t nbytes) {
    const bool explains = result == CUDA_ERROR_INVALID_VALUE;
    const std::string room = explains ? room_text(src) : "";
    return std::to_string(nbytes) + " bytes from " + address_text(src) + room + (room.empty() ? " to " : ", to ") +
           address_text(dest) + (explains ? room_text(dest) : "");
}

}  // namespace pycuda
