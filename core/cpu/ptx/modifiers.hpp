#pragma once

#include <cstdint>

// The dotted parts of an instruction, in groups, with one list for each: X(enumerator, spelling).
// A spelling may occur in several groups (".and", ".lo", ".nan"); the opcode's row names the groups that it accepts.

// clang-format off
#define PTX_ROUNDING(X) \
    X(Rn, "rn") X(Rz, "rz") X(Rm, "rm") X(Rp, "rp") X(Rna, "rna") X(Rs, "rs") \
    X(Rni, "rni") X(Rzi, "rzi") X(Rmi, "rmi") X(Rpi, "rpi")
#define PTX_COMPARE(X) \
    X(Eq, "eq") X(Ne, "ne") X(Lt, "lt") X(Le, "le") X(Gt, "gt") X(Ge, "ge") \
    X(Lo, "lo") X(Ls, "ls") X(Hi, "hi") X(Hs, "hs") \
    X(Equ, "equ") X(Neu, "neu") X(Ltu, "ltu") X(Leu, "leu") X(Gtu, "gtu") X(Geu, "geu") X(Num, "num") X(Nan, "nan")
#define PTX_OPERATION(X) \
    X(And, "and") X(Or, "or") X(Xor, "xor") X(Cas, "cas") X(Exch, "exch") X(Add, "add") X(Inc, "inc") X(Dec, "dec") \
    X(Min, "min") X(Max, "max") X(Popc, "popc")
#define PTX_HALF(X) X(Lo, "lo") X(Hi, "hi") X(Wide, "wide")
#define PTX_SPACE(X) \
    X(Const, "const") X(Global, "global") X(Local, "local") X(Param, "param") X(ParamEntry, "param::entry") \
    X(ParamFunc, "param::func") X(Shared, "shared") X(SharedCta, "shared::cta") X(SharedCluster, "shared::cluster")
#define PTX_VECTOR(X) X(V2, "v2") X(V4, "v4") X(V8, "v8")
#define PTX_SEMANTICS(X) \
    X(Weak, "weak") X(Relaxed, "relaxed") X(Acquire, "acquire") X(Release, "release") X(AcqRel, "acq_rel") X(Sc, "sc") \
    X(Volatile, "volatile")
#define PTX_SCOPE(X) X(Cta, "cta") X(Cluster, "cluster") X(Gpu, "gpu") X(Gl, "gl") X(Sys, "sys")
#define PTX_CACHE(X) \
    X(Ca, "ca") X(Cg, "cg") X(Cs, "cs") X(Lu, "lu") X(Cv, "cv") X(Wb, "wb") X(Wt, "wt") X(L1, "L1") X(L2, "L2")
// Hints have no effect that a program can observe; they are checked and dropped.
#define PTX_EVICTION(X) \
    X(Normal, "L1::evict_normal") X(Unchanged, "L1::evict_unchanged") X(First, "L1::evict_first") \
    X(Last, "L1::evict_last") X(NoAllocate, "L1::no_allocate")
#define PTX_EVICT_L2(X) \
    X(Normal, "L2::evict_normal") X(Unchanged, "L2::evict_unchanged") X(First, "L2::evict_first") X(Last, "L2::evict_last")
#define PTX_SECONDARY(X) X(Unchanged, "L2::evict_unchanged") X(First, "L2::evict_first")
#define PTX_PREFETCH_SIZE(X) X(B64, "L2::64B") X(B128, "L2::128B") X(B256, "L2::256B")
#define PTX_SHUFFLE(X) X(Up, "up") X(Down, "down") X(Bfly, "bfly") X(Idx, "idx")
#define PTX_VOTE(X) X(All, "all") X(Any, "any") X(Uni, "uni") X(Ballot, "ballot")
#define PTX_FUNNEL(X) X(Clamp, "clamp") X(Wrap, "wrap")
#define PTX_PERMUTE(X) X(F4e, "f4e") X(B4e, "b4e") X(Rc8, "rc8") X(Ecl, "ecl") X(Ecr, "ecr") X(Rc16, "rc16")
#define PTX_SCALE(X) X(Shr7, "shr7") X(Shr15, "shr15")
#define PTX_PROPERTY(X) \
    X(Finite, "finite") X(Infinite, "infinite") X(Number, "number") X(NotANumber, "notanumber") X(Normal, "normal") \
    X(Subnormal, "subnormal")
#define PTX_GEOMETRY(X) \
    X(D1, "1d") X(D2, "2d") X(D3, "3d") X(A1, "a1d") X(A2, "a2d") X(Cube, "cube") X(Acube, "acube") X(Ms2, "2dms") \
    X(Ams2, "a2dms")
/// The number of dimensions of a tensor.
#define PTX_RANK(X) X(D1, "1d") X(D2, "2d") X(D3, "3d") X(D4, "4d") X(D5, "5d")
#define PTX_LEVEL(X) X(Base, "base") X(Level, "level") X(Grad, "grad")
#define PTX_COMPONENT(X) X(R, "r") X(G, "g") X(B, "b") X(A, "a")
/// How an out-of-bounds access to a surface is handled.
#define PTX_BORDER(X) X(Trap, "trap") X(Clamp, "clamp") X(Zero, "zero")
#define PTX_QUERY(X) \
    X(Width, "width") X(Height, "height") X(Depth, "depth") X(ChannelDataType, "channel_data_type") \
    X(ChannelOrder, "channel_order") X(NormalizedCoords, "normalized_coords") \
    X(ForceUnnormalizedCoords, "force_unnormalized_coords") X(FilterMode, "filter_mode") X(AddrMode0, "addr_mode_0") \
    X(AddrMode1, "addr_mode_1") X(AddrMode2, "addr_mode_2") X(ArraySize, "array_size") \
    X(NumMipmapLevels, "num_mipmap_levels") X(NumSamples, "num_samples") X(MemoryLayout, "memory_layout")
#define PTX_SHAPE(X) \
    X(M8n8, "m8n8") X(M8n8k4, "m8n8k4") X(M8n8k16, "m8n8k16") X(M8n8k32, "m8n8k32") X(M8n8k128, "m8n8k128") \
    X(M16n8k4, "m16n8k4") X(M16n8k8, "m16n8k8") X(M16n8k16, "m16n8k16") X(M16n8k32, "m16n8k32") \
    X(M16n8k64, "m16n8k64") X(M16n8k128, "m16n8k128") X(M16n8k256, "m16n8k256") X(M16n16k8, "m16n16k8") \
    X(M16n16k16, "m16n16k16") X(M8n32k16, "m8n32k16") X(M32n8k16, "m32n8k16")
/// How many matrices ldmatrix and stmatrix move.
#define PTX_MATRICES(X) X(X1, "x1") X(X2, "x2") X(X4, "x4")
/// The layout of a matrix instruction's first or only matrix, and of the second.
#define PTX_ORDER(X) X(Row, "row") X(Column, "col")

/// Modifiers that are either present or absent: one bit each.
#define PTX_FLAGS(X) \
    X(Ftz, "ftz") X(Sat, "sat") X(Approx, "approx") X(Full, "full") X(Relu, "relu") X(Satfinite, "satfinite") \
    X(Nan, "NaN") X(XorsignAbs, "xorsign") X(Abs, "abs") X(Noftz, "noftz") X(Uni, "uni") X(Cc, "cc") X(To, "to") \
    X(Nc, "nc") X(Aligned, "aligned") X(ShiftAmount, "shiftamt") X(CacheHint, "L2::cache_hint") X(Unified, "unified") \
    X(Oob, "oob") X(Mmio, "mmio") X(Proxy, "proxy") X(Alias, "alias") X(Async, "async") X(Read, "read") \
    X(CompletesBytes, "mbarrier::complete_tx::bytes") X(BulkGroup, "bulk_group") X(Multicast, "multicast::cluster") X(PlusOne, "po") \
    X(Trans, "trans") X(Popc, "popc") X(Tile, "tile") X(Tensormap, "tensormap")

// X(group, list, field of Modifiers): every group of which an instruction has one value.
#define PTX_GROUPS(X)                         \
    X(Rounding, PTX_ROUNDING, rounding)       \
    X(Compare, PTX_COMPARE, compare)          \
    X(Operation, PTX_OPERATION, operation)    \
    X(Half, PTX_HALF, half)                   \
    X(Space, PTX_SPACE, space)                \
    X(Vector, PTX_VECTOR, vector)             \
    X(Semantics, PTX_SEMANTICS, semantics)    \
    X(Scope, PTX_SCOPE, scope)                \
    X(Cache, PTX_CACHE, cache)                \
    X(Eviction, PTX_EVICTION, eviction)       \
    X(EvictL2, PTX_EVICT_L2, evict_l2)        \
    X(Secondary, PTX_SECONDARY, secondary)    \
    X(PrefetchSize, PTX_PREFETCH_SIZE, prefetch_size) \
    X(Shuffle, PTX_SHUFFLE, shuffle)          \
    X(Vote, PTX_VOTE, vote)                   \
    X(Funnel, PTX_FUNNEL, funnel)             \
    X(Permute, PTX_PERMUTE, permute)          \
    X(Scale, PTX_SCALE, scale)                \
    X(Property, PTX_PROPERTY, property)       \
    X(Geometry, PTX_GEOMETRY, geometry)       \
    X(Rank, PTX_RANK, rank)                   \
    X(Level, PTX_LEVEL, level)                \
    X(Component, PTX_COMPONENT, component)    \
    X(Border, PTX_BORDER, border)             \
    X(Query, PTX_QUERY, query)                \
    X(Shape, PTX_SHAPE, shape)                \
    X(Matrices, PTX_MATRICES, matrices)       \
    X(Order, PTX_ORDER, order)                \
    X(OrderB, PTX_ORDER, order_b)
// clang-format on

namespace cpu::ptx {

#define PTX_X(id, spelling) id,
#define PTX_G(group, list, field) enum class group : std::uint8_t { None, list(PTX_X) };
PTX_GROUPS(PTX_G)
#undef PTX_G

enum class Flag : std::uint8_t { PTX_FLAGS(PTX_X) Count };
#undef PTX_X

/// All modifiers of one instruction except its types. A group that is absent is None.
struct Modifiers {
#define PTX_G(group, list, field) group field = group::None;
    PTX_GROUPS(PTX_G)
#undef PTX_G
    Space source_space = Space::None;  ///< cp.async writes to `space` and reads from `source_space`
    std::uint32_t flags = 0;

    constexpr bool has(Flag flag) const noexcept { return (flags >> static_cast<unsigned>(flag)) & 1u; }
    /// The number of elements of the vector form: 1, 2, 4 or 8.
    constexpr unsigned lanes() const noexcept { return 1u << static_cast<unsigned>(vector); }
};

}  // namespace cpu::ptx
