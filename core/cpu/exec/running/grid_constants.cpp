#include "exec/running/grid_constants.hpp"

#include <algorithm>
#include <cstring>

namespace cpu::exec {

namespace {

using S = ptx::SpecialRegister;

std::uint64_t lane_special(S reg, std::uint32_t lane) {
    switch (reg) {
        case S::Laneid:
            return lane;
        case S::LanemaskEq:
            return 1u << lane;
        case S::LanemaskLt:
            return (1u << lane) - 1;
        case S::LanemaskLe:
            return (2ull << lane) - 1;
        case S::LanemaskGt:
            return 0xffffffffu & ~((2ull << lane) - 1);
        default:
            return 0xffffffffu & ~((1ull << lane) - 1);  // LanemaskGe
    }
}

std::uint64_t grid_special(const Grid& g, S reg) {
    const std::uint64_t workspace = reinterpret_cast<std::uint64_t>(g.workspace.get());
    switch (reg) {
        case S::NtidX:
            return g.block[0];
        case S::NtidY:
            return g.block[1];
        case S::NtidZ:
            return g.block[2];
        case S::NctaidX:
            return g.size[0];
        case S::NctaidY:
            return g.size[1];
        case S::NctaidZ:
            return g.size[2];
        case S::NclusteridX:
            return g.size[0] / g.cluster[0];
        case S::NclusteridY:
            return g.size[1] / g.cluster[1];
        case S::NclusteridZ:
            return g.size[2] / g.cluster[2];
        case S::IsExplicitCluster:
            return g.explicit_cluster;
        case S::ClusterNctarank:
            return g.blocks_per_cluster;
        case S::ClusterNctaidX:
            return g.cluster[0];
        case S::ClusterNctaidY:
            return g.cluster[1];
        case S::ClusterNctaidZ:
            return g.cluster[2];
        case S::Nwarpid:
            return 64;
        case S::Nsmid:
            return 1;
        case S::DynamicSmemSize:
            return g.dynamic_shared_bytes;
        case S::TotalSmemSize:
        case S::AggrSmemSize:
            return g.shared_bytes;
        case S::ReservedSmemBegin:
        case S::ReservedSmem0:
            return g.reserved_shared_offset;
        case S::ReservedSmem1:
            return g.reserved_shared_offset + g.reserved_shared_bytes / 2;
        case S::ReservedSmemEnd:
            return g.reserved_shared_offset + g.reserved_shared_bytes;
        case S::ReservedSmemCap:
            return g.reserved_shared_bytes;
        case S::Envreg1:
            return workspace >> 32;
        case S::Envreg2:
            return workspace & 0xffffffffu;
        default:
            return 0;
    }
}

bool by_lane(S reg) {
    return reg == S::Laneid || reg == S::LanemaskEq || reg == S::LanemaskLt || reg == S::LanemaskLe ||
           reg == S::LanemaskGt || reg == S::LanemaskGe;
}

std::uint64_t parameter_value(const Grid& g, const LaunchConstant& c) {
    std::uint64_t value = 0;
    if (c.bits + c.size <= g.parameter_bytes) std::memcpy(&value, g.parameters.get() + c.bits, c.size);
    if (c.is_signed && c.size < 8 && (value >> (8 * c.size - 1) & 1)) value |= ~0ull << 8 * c.size;
    return value;
}

}  // namespace

void broadcast(const Grid& g, std::span<const std::uint64_t> references, const LaunchConstant& c, std::byte* at,
               bool fresh) {
    std::uint64_t value = c.bits;
    const bool special = c.kind == LaunchConstant::Kind::Special;
    if (c.kind == LaunchConstant::Kind::Parameter) value = parameter_value(g, c);
    if (c.kind == LaunchConstant::Kind::ParameterAddress)
        value = reinterpret_cast<std::uint64_t>(g.parameters.get()) + c.bits;
    if (special) value = grid_special(g, static_cast<S>(c.bits));
    if (c.kind == LaunchConstant::Kind::Reference) value = c.bits < references.size() ? references[c.bits] : 0;
    if (c.width == 1) {
        const std::uint32_t all = value ? ~0u : 0u;
        std::memcpy(at, &all, sizeof all);
        return;
    }
    Affine& affine = *reinterpret_cast<Affine*>(at - affine_bytes);
    if (!fresh && affine.base == value) return;
    affine = {value, 0, 0};
    if (special && static_cast<S>(c.bits) == S::Laneid) affine = {0, 1, 16};
    if (special && by_lane(static_cast<S>(c.bits))) {
        for (std::uint32_t lane = 0; lane < warp_size; ++lane)
            reinterpret_cast<std::uint32_t*>(at)[lane] =
                static_cast<std::uint32_t>(lane_special(static_cast<S>(c.bits), lane));
    } else if (c.width == 4) {
        std::fill_n(reinterpret_cast<std::uint32_t*>(at), warp_size, static_cast<std::uint32_t>(value));
    } else {
        std::fill_n(reinterpret_cast<std::uint64_t*>(at), warp_size, value);
    }
}

}  // namespace cpu::exec
