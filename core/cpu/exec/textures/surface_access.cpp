// Loads and stores of surfaces for the lanes of a warp: bytes, without conversion.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include "exec/running/block.hpp"
#include "exec/textures/texel.hpp"
#include "exec/textures/texture_access.hpp"

namespace cpu::exec {

namespace {

/// One coordinate of a surface: its value in texels or bytes, and the distance in bytes between two steps.
struct Axis {
    std::int64_t at;
    std::int64_t last;  ///< the highest value in bounds
    std::size_t pitch;
};

/// The coordinates of a lane; the first counts units of the access. The layer is a 16-bit number.
std::array<Axis, 3> axes_of(const TextureOperands& operands, const TexelImage& image, std::int64_t bytes, int lane) {
    const TextureAccess& access = operands.access();
    const auto last = [](std::size_t size) { return static_cast<std::int64_t>(std::max<std::size_t>(size, 1)) - 1; };
    const unsigned first = is_layered(access.geometry) ? 1 : 0, count = dimensions(access.geometry);
    const auto at = [&](unsigned d) { return static_cast<std::int32_t>(operands.word(first + d, lane)); };
    std::array<Axis, 3> axes{};
    axes[0] = {access.formatted ? at(0) : (at(0) >= 0 ? at(0) / bytes : -1),
               static_cast<std::int64_t>(image.row_pitch) / bytes - 1, static_cast<std::size_t>(bytes)};
    if (count > 1) axes[1] = {at(1), last(image.height), image.row_pitch};
    if (count > 2) axes[2] = {at(2), last(image.depth), image.slice_pitch};
    if (first == 1) axes[2] = {operands.word(0, lane) & 0xffff, last(image.depth), image.slice_pitch};
    return axes;
}

/// The address of a lane's access; nullptr if it is out of bounds and ignored.
std::byte* resolve(Warp& warp, const Insn& insn, const TextureOperands& operands, const TexelImage& image, int lane) {
    const TextureAccess& access = operands.access();
    // The unit of 64-bit reductions is a 64-bit word, whatever the texels are.
    const bool wide = access.formatted && access.element_bytes == 8;
    const std::int64_t bytes = access.formatted && !wide ? static_cast<std::int64_t>(texel_size(image))
                                                         : access.element_bytes * access.elements;
    const std::uint32_t first = operands.word(is_layered(access.geometry) ? 1 : 0, lane);
    const bool misaligned = !access.formatted && first % static_cast<std::uint32_t>(bytes) != 0;
    std::size_t offset = 0;
    bool outside = false;
    for (const Axis& axis : axes_of(operands, image, bytes, lane)) {
        outside = outside || axis.at < 0 || axis.at > axis.last;
        offset += static_cast<std::size_t>(std::clamp<std::int64_t>(axis.at, 0, std::max<std::int64_t>(axis.last, 0))) *
                  axis.pitch;
    }
    if (outside && access.border == ptx::Border::Trap)
        raise_fault(warp, insn, CUDA_ERROR_ILLEGAL_ADDRESS, lane, first, "an access outside the surface, at");
    if (misaligned)
        raise_fault(warp, insn, CUDA_ERROR_MISALIGNED_ADDRESS, lane, first,
                    "a misaligned access to a surface, at byte");
    const bool too_narrow = static_cast<std::int64_t>(image.row_pitch) < bytes;
    return outside && (access.border == ptx::Border::Zero || too_narrow) ? nullptr : image.data + offset;
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

void store_formatted(std::byte* to, const TextureOperands& operands, const TexelImage& image, int lane) {
    std::uint32_t values[4];
    for (unsigned n = 0; n < operands.access().elements; ++n)
        values[n] = operands.word(operands.access().coordinates + n, lane);
    write_texel(image, to, {values, operands.access().elements});
}

template <class T>
T reduced(ptx::Operation operation, T a, T b) {
    switch (operation) {
        case ptx::Operation::Min:
            return std::min(a, b);
        case ptx::Operation::Max:
            return std::max(a, b);
        case ptx::Operation::And:
            return a & b;
        case ptx::Operation::Or:
            return a | b;
        default:  // sums wrap around
            return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
    }
}

/// Blocks run on several threads, so these are atomics of the host.
template <class T>
void reduce(std::byte* at, ptx::Operation operation, T value) {
    using Bits = std::make_unsigned_t<T>;
    auto* const cell = reinterpret_cast<Bits*>(at);
    Bits old = __atomic_load_n(cell, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(cell, &old, static_cast<Bits>(reduced(operation, static_cast<T>(old), value)),
                                        false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
    }
}

void reduce(std::byte* at, const TextureOperands& operands, const TexelImage& image, int lane) {
    const TextureAccess& access = operands.access();
    const bool wide = access.element_bytes == 8;
    const bool of_signed = wide ? is_signed(image.format) : image.format == CU_AD_FORMAT_SIGNED_INT32;
    const bool with_sign = access.formatted ? of_signed : ptx::is_signed(access.type);
    const std::uint64_t value =
        wide ? operands.wide(access.coordinates, lane) : operands.word(access.coordinates, lane);
    if (wide && with_sign)
        reduce(at, access.operation, static_cast<std::int64_t>(value));
    else if (wide)
        reduce(at, access.operation, value);
    else if (with_sign)
        reduce(at, access.operation, static_cast<std::int32_t>(value));
    else
        reduce(at, access.operation, static_cast<std::uint32_t>(value));
}

/// Executes one lane of an instruction that changes the surface.
void change(std::byte* at, const TextureOperands& operands, const TexelImage& image, int lane) {
    switch (operands.access().kind) {
        case TextureAccess::Kind::StoreFormatted:
            return store_formatted(at, operands, image, lane);
        case TextureAccess::Kind::Reduce:
            return reduce(at, operands, image, lane);
        default:
            return store(at, operands, lane);
    }
}

}  // namespace

void run_surface(Warp& warp, const Insn& insn) {
    const TextureOperands operands(warp, insn);
    const TextureAccess& access = operands.access();
    const bool loads = access.kind == TextureAccess::Kind::Load;
    Elements results[warp_size];
    for (std::uint32_t rest = warp.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::uint64_t handle = operands.handle(lane);
        const Surface* const surface = warp.cache->textures->surface(handle);
        if (!surface)
            raise_fault(warp, insn, CUDA_ERROR_LAUNCH_FAILED, lane, handle, "not a handle of a surface object:");
        check_not_freed(warp, insn, lane, *surface, handle);
        // An unbound reference has no texels.
        std::byte* const at = surface->image.data ? resolve(warp, insn, operands, surface->image, lane) : nullptr;
        warp.address[lane] = reinterpret_cast<std::uint64_t>(at);
        if (loads)
            results[lane] = at ? load(at, access) : Elements{};
        else if (at)
            change(at, operands, surface->image, lane);
    }
    if (!loads) return;
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
