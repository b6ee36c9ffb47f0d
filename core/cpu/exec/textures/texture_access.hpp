#pragma once

#include <cstddef>
#include <cstdint>

#include "exec/textures/texture.hpp"
#include "exec/warp.hpp"
#include "ptx/modifiers.hpp"
#include "ptx/types.hpp"

namespace cpu::exec {

/// What a texture or surface instruction does, apart from its registers.
///
/// The code consists of one or more "operands" instructions, whose six operands each are numbered consecutively in the
/// order of the text, and then the instruction itself: op[0..3] are the results (none for a store), op[4] the handle,
/// op[5] the residency predicate. It may read and write the same slots: all lanes are read before any is written.
struct TextureAccess {
    enum class Kind : std::uint8_t { Sample, Gather, Load, Store, StoreFormatted, Reduce, Query };
    Kind kind = Kind::Sample;
    ptx::Geometry geometry = ptx::Geometry::None;
    ptx::Level level = ptx::Level::None;  ///< for Sample
    ptx::Border border = ptx::Border::None;
    ptx::Query query = ptx::Query::None;
    ptx::Operation operation = ptx::Operation::None;  ///< for Reduce
    ptx::Type type = ptx::Type::None;                 ///< the type of the elements
    bool integer_coordinates = false;
    bool offset = false;             ///< Sample, Gather: has texels to add to the coordinates
    bool surface = false;            ///< Query: is about a surface
    bool formatted = false;          ///< StoreFormatted, Reduce: the first coordinate counts texels, not bytes
    std::uint8_t component = 0;      ///< Gather: 0 to 3
    std::uint8_t elements = 1;       ///< registers read or written
    std::uint8_t element_bytes = 4;  ///< Load, Store, Reduce
    std::uint8_t coordinates = 0;    ///< including the layer, which comes first
    std::uint8_t operands = 0;       ///< coordinates, level or gradients, offset, values to store
};

/// True if the first coordinate is a layer.
constexpr bool is_layered(ptx::Geometry g) {
    return g == ptx::Geometry::A1 || g == ptx::Geometry::A2 || g == ptx::Geometry::Acube;
}
constexpr bool is_cube(ptx::Geometry g) {
    return g == ptx::Geometry::Cube || g == ptx::Geometry::Acube;
}
/// The number of coordinates besides the layer; 0: an unsupported geometry.
constexpr unsigned dimensions(ptx::Geometry g) {
    using ptx::Geometry;
    if (g == Geometry::D1 || g == Geometry::A1) return 1;
    if (g == Geometry::D2 || g == Geometry::A2) return 2;
    if (g == Geometry::D3 || is_cube(g)) return 3;
    return 0;
}

/// Raises a fault if the memory of a texture or surface was freed.
template <class Object>
void check_not_freed(Warp& warp, const Insn& insn, int lane, const Object& object, std::uint64_t handle) {
    if (object.freed && object.freed->load(std::memory_order_relaxed))
        raise_fault(warp, insn, CUDA_ERROR_ILLEGAL_ADDRESS, lane, handle,
                    "access to memory freed earlier, through texture or surface object");
}

/// The registers of one texture or surface instruction.
class TextureOperands {
public:
    TextureOperands(const Warp& warp, const Insn& insn);
    const TextureAccess& access() const noexcept { return access_; }
    std::uint64_t handle(int lane) const noexcept;
    std::uint32_t word(unsigned operand, int lane) const noexcept;
    float real(unsigned operand, int lane) const noexcept;
    std::uint64_t wide(unsigned operand, int lane) const noexcept;  ///< of a 64-bit register

private:
    const std::byte* address_of(unsigned operand) const noexcept;
    const Warp& warp_;
    const Insn& insn_;
    const TextureAccess& access_;
};

}  // namespace cpu::exec
