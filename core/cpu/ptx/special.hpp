#pragma once

#include <cstdint>
#include <string_view>

#include "ptx/types.hpp"

// X(enumerator, spelling without %, type read by mov)
// clang-format off
#define PTX_SPECIAL_REGISTERS(X) \
    X(TidX, "tid.x", U32) X(TidY, "tid.y", U32) X(TidZ, "tid.z", U32) \
    X(NtidX, "ntid.x", U32) X(NtidY, "ntid.y", U32) X(NtidZ, "ntid.z", U32) \
    X(CtaidX, "ctaid.x", U32) X(CtaidY, "ctaid.y", U32) X(CtaidZ, "ctaid.z", U32) \
    X(NctaidX, "nctaid.x", U32) X(NctaidY, "nctaid.y", U32) X(NctaidZ, "nctaid.z", U32) \
    X(Laneid, "laneid", U32) X(Warpid, "warpid", U32) X(Nwarpid, "nwarpid", U32) \
    X(Smid, "smid", U32) X(Nsmid, "nsmid", U32) X(Gridid, "gridid", U64) \
    X(LanemaskEq, "lanemask_eq", U32) X(LanemaskLe, "lanemask_le", U32) X(LanemaskLt, "lanemask_lt", U32) \
    X(LanemaskGe, "lanemask_ge", U32) X(LanemaskGt, "lanemask_gt", U32) \
    X(Clock, "clock", U32) X(ClockHi, "clock_hi", U32) X(Clock64, "clock64", U64) \
    X(Globaltimer, "globaltimer", U64) X(GlobaltimerLo, "globaltimer_lo", U32) X(GlobaltimerHi, "globaltimer_hi", U32) \
    X(DynamicSmemSize, "dynamic_smem_size", U32) X(TotalSmemSize, "total_smem_size", U32) \
    X(AggrSmemSize, "aggr_smem_size", U32) \
    X(Envreg0, "envreg0", B32) X(Envreg1, "envreg1", B32) X(Envreg2, "envreg2", B32) X(Envreg3, "envreg3", B32) \
    X(Envreg4, "envreg4", B32) X(Envreg5, "envreg5", B32) X(Envreg6, "envreg6", B32) X(Envreg7, "envreg7", B32) \
    X(Envreg8, "envreg8", B32) X(Envreg9, "envreg9", B32) X(Envreg10, "envreg10", B32) X(Envreg11, "envreg11", B32) \
    X(Envreg12, "envreg12", B32) X(Envreg13, "envreg13", B32) X(Envreg14, "envreg14", B32) \
    X(Envreg15, "envreg15", B32) X(Envreg16, "envreg16", B32) X(Envreg17, "envreg17", B32) \
    X(Envreg18, "envreg18", B32) X(Envreg19, "envreg19", B32) X(Envreg20, "envreg20", B32) \
    X(Envreg21, "envreg21", B32) X(Envreg22, "envreg22", B32) X(Envreg23, "envreg23", B32) \
    X(Envreg24, "envreg24", B32) X(Envreg25, "envreg25", B32) X(Envreg26, "envreg26", B32) \
    X(Envreg27, "envreg27", B32) X(Envreg28, "envreg28", B32) X(Envreg29, "envreg29", B32) \
    X(Envreg30, "envreg30", B32) X(Envreg31, "envreg31", B32) X(Pm0, "pm0", U32) X(Pm1, "pm1", U32) \
    X(Pm2, "pm2", U32) X(Pm3, "pm3", U32) X(Pm4, "pm4", U32) X(Pm5, "pm5", U32) X(Pm6, "pm6", U32) \
    X(Pm7, "pm7", U32) X(Pm0Wide, "pm0_64", U64) X(Pm1Wide, "pm1_64", U64) X(Pm2Wide, "pm2_64", U64) \
    X(Pm3Wide, "pm3_64", U64) X(Pm4Wide, "pm4_64", U64) X(Pm5Wide, "pm5_64", U64) X(Pm6Wide, "pm6_64", U64) \
    X(Pm7Wide, "pm7_64", U64) X(ReservedSmemBegin, "reserved_smem_offset_begin", B32) \
    X(ReservedSmemEnd, "reserved_smem_offset_end", B32) X(ReservedSmemCap, "reserved_smem_offset_cap", B32) \
    X(ReservedSmem0, "reserved_smem_offset_0", B32) X(ReservedSmem1, "reserved_smem_offset_1", B32) \
    X(CurrentGraphExec, "current_graph_exec", U64) X(TidW, "tid.w", U32) X(NtidW, "ntid.w", U32) \
    X(CtaidW, "ctaid.w", U32) X(NctaidW, "nctaid.w", U32) \
    X(IsExplicitCluster, "is_explicit_cluster", Pred) \
    X(ClusteridX, "clusterid.x", U32) X(ClusteridY, "clusterid.y", U32) X(ClusteridZ, "clusterid.z", U32) \
    X(NclusteridX, "nclusterid.x", U32) X(NclusteridY, "nclusterid.y", U32) X(NclusteridZ, "nclusterid.z", U32) \
    X(ClusterCtaidX, "cluster_ctaid.x", U32) X(ClusterCtaidY, "cluster_ctaid.y", U32) \
    X(ClusterCtaidZ, "cluster_ctaid.z", U32) X(ClusterNctaidX, "cluster_nctaid.x", U32) \
    X(ClusterNctaidY, "cluster_nctaid.y", U32) X(ClusterNctaidZ, "cluster_nctaid.z", U32) \
    X(ClusterCtarank, "cluster_ctarank", U32) X(ClusterNctarank, "cluster_nctarank", U32)
// clang-format on

namespace cpu::ptx {

enum class SpecialRegister : std::uint8_t {
#define PTX_X(id, spelling, type) id,
    PTX_SPECIAL_REGISTERS(PTX_X)
#undef PTX_X
        Count
};

struct SpecialInfo {
    std::string_view name;
    Type type;
};

inline constexpr SpecialInfo special_table[] = {
#define PTX_X(id, spelling, type) {spelling, Type::type},
    PTX_SPECIAL_REGISTERS(PTX_X)
#undef PTX_X
};

constexpr const SpecialInfo& info(SpecialRegister reg) {
    return special_table[static_cast<std::size_t>(reg)];
}

}  // namespace cpu::ptx
