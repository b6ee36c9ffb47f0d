// Texture instructions for the lanes of a warp.
#include "exec/textures/texture_access.hpp"

#include <bit>
#include <string>

#include "exec/checks/check_init.hpp"
#include "exec/operands.hpp"
#include "exec/running/block.hpp"
#include "exec/textures/sampler.hpp"

namespace cpu::exec {

namespace {

/// The texture that a lane names.
const Texture& texture_of(Warp& warp, const Insn& insn, std::uint64_t handle, int lane) {
    const Texture* const found = warp.cache->textures->texture(handle);
    if (!found) raise_fault(warp, insn, CUDA_ERROR_LAUNCH_FAILED, lane, handle, "not a handle of a texture object:");
    check_not_freed(warp, insn, lane, *found, handle);
    return *found;
}

/// PYCUDA_CPU_CHECK=init: texels are checked like other memory.
class WrittenTexels final : public TexelWatcher {
public:
    WrittenTexels(Warp& warp, const Insn& insn, int lane) : warp_(warp), insn_(insn), lane_(lane) {}
    void reads(const std::byte* texel, std::size_t bytes) const override {
        std::uint64_t address[warp_size];
        address[lane_] = reinterpret_cast<std::uint64_t>(texel);
        check_read(warp_, insn_, {1u << lane_, address, static_cast<std::uint32_t>(bytes)});
    }

private:
    Warp& warp_;
    const Insn& insn_;
    int lane_;
};

SamplePoint point_of(const TextureOperands& operands, int lane) {
    const TextureAccess& access = operands.access();
    SamplePoint point;
    point.dimensions = static_cast<std::uint8_t>(dimensions(access.geometry));
    point.layered = is_layered(access.geometry);
    point.cube = is_cube(access.geometry);
    point.integer = access.integer_coordinates;
    if (point.layered) point.layer = operands.word(0, lane);
    const unsigned first = point.layered ? 1 : 0;
    const unsigned offset = access.operands - point.dimensions;  // the offsets are the last operands
    for (unsigned d = 0; d < point.dimensions; ++d) {
        point.at[d] = operands.real(first + d, lane);
        point.index[d] = static_cast<std::int32_t>(operands.word(first + d, lane));
        // An offset has four bits; for tld4 it has six.
        const int unused = access.kind == TextureAccess::Kind::Gather ? 26 : 28;
        if (access.offset)
            point.offset[d] = static_cast<std::int32_t>(operands.word(offset + d, lane) << unused) >> unused;
    }
    return point;
}

/// The level that a lane reads, from the operands after the coordinates.
LevelChoice level_of(const TextureOperands& operands, const Texture& texture, const SamplePoint& point, int lane) {
    const TextureAccess& access = operands.access();
    const unsigned first = access.coordinates, count = dimensions(access.geometry);
    if (access.level == ptx::Level::Level) {
        if (access.integer_coordinates) return {LevelChoice::Kind::Number, 0, operands.word(first, lane)};
        return {LevelChoice::Kind::Detail, operands.real(first, lane), 0};
    }
    if (access.level != ptx::Level::Grad) return {};
    std::array<float, 3> dx{}, dy{};
    for (unsigned d = 0; d < count; ++d) {
        dx[d] = operands.real(first + d, lane);
        dy[d] = operands.real(first + count + d, lane);
    }
    return {LevelChoice::Kind::Detail, level_of_gradients(texture, point, dx, dy), 0};
}

/// The answer of a query for an image; `texture` is the texture whose level it is, or nullptr for a surface. Layers
/// count as the dimension after the last. For a cube map, a texture has cubes and a surface has faces.
std::uint32_t answer(ptx::Query query, const TexelImage& image, const Texture* texture) {
    using ptx::Query;
    const bool row = image.height == 0;
    const std::size_t layers = image.layered ? image.depth / (texture && image.cubemap ? 6 : 1) : 0;
    const auto value = [&]() -> std::size_t {
        switch (query) {
            case Query::Width:
                return image.width;
            case Query::Height:
                if (!row || image.layered) return row ? layers : image.height;
                return texture && !texture->linear_memory ? 1 : 0;
            case Query::Depth:
                if (row) return 0;
                return image.layered ? layers : texture && image.cubemap ? 0 : image.depth;
            case Query::ArraySize:
                return layers;
            case Query::NormalizedCoords:
                return texture && (texture->sampling.flags & CU_TRSF_NORMALIZED_COORDINATES) ? 1 : 0;
            default:  // NumMipmapLevels: the lowering rejects all others
                return texture ? texture->levels.size() : 1;
        }
    };
    return static_cast<std::uint32_t>(value());
}

}  // namespace

TextureOperands::TextureOperands(const Warp& warp, const Insn& insn)
    : warp_(warp), insn_(insn), access_(warp.block->grid.kernel.textures[insn.texture]) {}

const std::byte* TextureOperands::address_of(unsigned operand) const noexcept {
    const unsigned carriers = (access_.operands + 5u) / 6u;
    const std::uint32_t at = (&insn_ - carriers + operand / 6)->op[operand % 6];
    return lanes_of<std::byte>(warp_, at);
}
std::uint64_t TextureOperands::handle(int lane) const noexcept {
    return lanes_of<std::uint64_t>(warp_, insn_.op[4])[lane];
}
std::uint32_t TextureOperands::word(unsigned operand, int lane) const noexcept {
    return reinterpret_cast<const std::uint32_t*>(address_of(operand))[lane];
}
float TextureOperands::real(unsigned operand, int lane) const noexcept {
    return std::bit_cast<float>(word(operand, lane));
}
std::uint64_t TextureOperands::wide(unsigned operand, int lane) const noexcept {
    return reinterpret_cast<const std::uint64_t*>(address_of(operand))[lane];
}

void run_texture(Warp& warp, const Insn& insn) {
    const TextureOperands operands(warp, insn);
    const TextureAccess& access = operands.access();
    const bool gathers = access.kind == TextureAccess::Kind::Gather;
    Texel results[warp_size];
    each_lane(warp.mask, [&](int lane) {
        const Texture& texture = texture_of(warp, insn, operands.handle(lane), lane);
        SamplePoint point = point_of(operands, lane);
        const WrittenTexels written(warp, insn, lane);
        if (enabled_checks().init) point.watcher = &written;
        results[lane] = gathers ? gather(texture, point, access.component)
                                : sample(texture, point, level_of(operands, texture, point, lane));
        if (access.type == ptx::Type::F16x2) {
            const Texel& whole = results[lane];
            results[lane] = {packed_halves(whole[0], whole[1]), packed_halves(whole[2], whole[3])};
        }
    });
    for (unsigned n = 0; n < access.elements; ++n)
        each_lane(warp.mask, [&](int lane) { lanes_of<std::uint32_t>(warp, insn.op[n])[lane] = results[lane][n]; });
    if (insn.op[5] != no_operand) *lanes_of<std::uint32_t>(warp, insn.op[5]) |= warp.mask;  // every texture is resident
}

void run_texture_query(Warp& warp, const Insn& insn) {
    const TextureOperands operands(warp, insn);
    const TextureAccess& access = operands.access();
    std::uint32_t results[warp_size];
    each_lane(warp.mask, [&](int lane) {
        const std::uint64_t handle = operands.handle(lane);
        if (access.surface) {
            const Surface* const surface = warp.cache->textures->surface(handle);
            if (!surface)
                raise_fault(warp, insn, CUDA_ERROR_LAUNCH_FAILED, lane, handle, "not a handle of a surface object:");
            results[lane] = answer(access.query, surface->image, nullptr);
            return;
        }
        const Texture& texture = texture_of(warp, insn, handle, lane);
        const std::size_t level = access.operands ? operands.word(0, lane) : 0;
        results[lane] = level < texture.levels.size() ? answer(access.query, texture.levels[level], &texture) : 0;
    });
    each_lane(warp.mask, [&](int lane) { lanes_of<std::uint32_t>(warp, insn.op[0])[lane] = results[lane]; });
}

}  // namespace cpu::exec
