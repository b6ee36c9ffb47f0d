// Loads and stores of surfaces over the lanes of a warp: bytes, without conversion.
#include <algorithm>
#include <bit>
#include <cstring>

#include "exec/block.hpp"
#include "exec/texture.hpp"
#include "exec/texture_access.hpp"

namespace cpu::exec {

namespace {

/// Where a lane's access lies; the first coordinate counts bytes. nullptr: outside, where nothing is done.
std::byte* resolve(Warp& warp, const Insn& insn, const TextureOperands& operands, const TexelImage& image, int lane) {
    const TextureAccess& access = operands.access();
    const std::int64_t bytes = access.element_bytes * access.elements;
    const bool layered = is_layered(access.geometry);
    const auto row = static_cast<std::int64_t>(image.row_pitch);
    const std::int64_t limits[3] = {row - bytes, static_cast<std::int64_t>(std::max<std::size_t>(image.height, 1)) - 1,
                                    static_cast<std::int64_t>(std::max<std::size_t>(image.depth, 1)) - 1};
    const std::size_t pitch[3] = {1, image.row_pitch, image.slice_pitch};
    std::size_t offset = 0;
    for (unsigned n = 0; n < dimensions(access.geometry) + (layered ? 1 : 0); ++n) {
        const unsigned d = !layered ? n : n == 0 ? 2 : n - 1;
        std::int64_t at = static_cast<std::int32_t>(operands.word(n, lane));
        if (at < 0 || at > limits[d]) {
            if (access.border == ptx::Border::Zero) return nullptr;
            if (access.border == ptx::Border::Trap || limits[d] < 0)
                raise_fault(warp, insn, CUDA_ERROR_LAUNCH_FAILED, lane, 0, "an access outside the surface");
            at = std::clamp<std::int64_t>(at, 0, limits[d] / (d == 0 ? bytes : 1) * (d == 0 ? bytes : 1));
        }
        if (d == 0 && at % bytes != 0)
            raise_fault(warp, insn, CUDA_ERROR_MISALIGNED_ADDRESS, lane, static_cast<std::uint64_t>(at),
                        "a misaligned access to a surface, at byte");
        offset += static_cast<std::size_t>(at) * pitch[d];
    }
    return image.data + offset;
}

struct Elements {
    std::uint64_t bits[4];
};

void store(std::byte* to, const TextureOperands& operands, int lane) {
    const TextureAccess& access = operands.access();
    for (unsigned n = 0; n < access.elements; ++n) {
        const unsigned operand = access.coordinates + n;
        const std::uint64_t value =
            access.element_bytes == 8 ? operands.wide(operand, lane) : operands.word(operand, lane);
        std::memcpy(to + n * access.element_bytes, &value, access.element_bytes);
    }
}

Elements load(const std::byte* from, const TextureAccess& access) {
    Elements value{};
    for (unsigned n = 0; n < access.elements; ++n)
        std::memcpy(&value.bits[n], from + n * access.element_bytes, access.element_bytes);
    return value;
}

}  // namespace

void run_surface(Warp& warp, const Insn& insn) {
    const TextureOperands operands(warp, insn);
    const TextureAccess& access = operands.access();
    const bool stores = access.kind == TextureAccess::Kind::Store;
    std::shared_ptr<const Surface> surface;
    std::uint64_t found = 0;
    Elements results[warp_size];
    for (std::uint32_t rest = warp.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::uint64_t handle = operands.handle(lane);
        if (!surface || handle != found) surface = texture_table::find_surface(found = handle);
        if (!surface)
            raise_fault(warp, insn, CUDA_ERROR_LAUNCH_FAILED, lane, handle, "a handle that is no surface object:");
        check_not_freed(warp, insn, lane, *surface, handle);
        // An unbound reference has no texels.
        std::byte* const at =
            surface->image.data ? resolve(warp, insn, operands, surface->image, lane) : nullptr;
        warp.address[lane] = reinterpret_cast<std::uint64_t>(at);
        if (stores && at) store(at, operands, lane);
        if (!stores) results[lane] = at ? load(at, access) : Elements{};
    }
    if (stores) return;
    for (unsigned n = 0; n < access.elements; ++n) {
        std::byte* const to = warp.bank[insn.op[n] & 1] + insn.op[n];
        const unsigned width = access.element_bytes == 8 ? 8 : 4;
        for (std::uint32_t rest = warp.mask; rest; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            std::memcpy(to + static_cast<unsigned>(lane) * width, &results[lane].bits[n], width);
        }
    }
}

}  // namespace cpu::exec
