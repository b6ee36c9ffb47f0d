#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace cpu::ptx {

/// How the bits of a value are interpreted.
enum class Kind : std::uint8_t { None, Predicate, Bits, Unsigned, Signed, Float, Opaque };

// X(enumerator, spelling, bits, kind, lanes): a packed type has lanes > 1.
#define PTX_TYPES(X)                           \
    X(Pred, "pred", 1, Predicate, 1)           \
    X(B1, "b1", 1, Bits, 1)                    \
    X(B8, "b8", 8, Bits, 1)                    \
    X(B16, "b16", 16, Bits, 1)                 \
    X(B32, "b32", 32, Bits, 1)                 \
    X(B64, "b64", 64, Bits, 1)                 \
    X(B128, "b128", 128, Bits, 1)              \
    X(U4, "u4", 4, Unsigned, 1)                \
    X(U8, "u8", 8, Unsigned, 1)                \
    X(U16, "u16", 16, Unsigned, 1)             \
    X(U32, "u32", 32, Unsigned, 1)             \
    X(U64, "u64", 64, Unsigned, 1)             \
    X(U16x2, "u16x2", 32, Unsigned, 2)         \
    X(S4, "s4", 4, Signed, 1)                  \
    X(S8, "s8", 8, Signed, 1)                  \
    X(S16, "s16", 16, Signed, 1)               \
    X(S32, "s32", 32, Signed, 1)               \
    X(S64, "s64", 64, Signed, 1)               \
    X(S16x2, "s16x2", 32, Signed, 2)           \
    X(F16, "f16", 16, Float, 1)                \
    X(F16x2, "f16x2", 32, Float, 2)            \
    X(Bf16, "bf16", 16, Float, 1)              \
    X(Bf16x2, "bf16x2", 32, Float, 2)          \
    X(Tf32, "tf32", 32, Float, 1)              \
    X(F32, "f32", 32, Float, 1)                \
    X(F32x2, "f32x2", 64, Float, 2)            \
    X(F64, "f64", 64, Float, 1)                \
    X(E4m3x2, "e4m3x2", 16, Float, 2)          \
    X(E5m2x2, "e5m2x2", 16, Float, 2)          \
    X(Texref, "texref", 64, Opaque, 1)         \
    X(Samplerref, "samplerref", 64, Opaque, 1) \
    X(Surfref, "surfref", 64, Opaque, 1)

enum class Type : std::uint8_t {
    None,
#define PTX_X(id, spelling, bits, kind, lanes) id,
    PTX_TYPES(PTX_X)
#undef PTX_X
        Count
};

struct TypeInfo {
    std::string_view name;
    std::uint8_t bits;
    Kind kind;
    std::uint8_t lanes;
};

inline constexpr std::array<TypeInfo, static_cast<std::size_t>(Type::Count)> type_table{{{"", 0, Kind::None, 1},
#define PTX_X(id, spelling, bits, kind, lanes) {spelling, bits, Kind::kind, lanes},
                                                                                         PTX_TYPES(PTX_X)
#undef PTX_X
}};

constexpr const TypeInfo& info(Type type) {
    return type_table[static_cast<std::size_t>(type)];
}
constexpr std::string_view name(Type type) {
    return info(type).name;
}
constexpr unsigned bits(Type type) {
    return info(type).bits;
}
/// The size in memory. A predicate cannot be in memory; it counts as 1 byte, the size that initialisers of 1-bit data
/// would have.
constexpr unsigned bytes(Type type) {
    return (info(type).bits + 7u) / 8u;
}
constexpr bool is_signed(Type type) {
    return info(type).kind == Kind::Signed;
}
constexpr bool is_float(Type type) {
    return info(type).kind == Kind::Float;
}
constexpr bool is_integer(Type type) {
    return info(type).kind == Kind::Signed || info(type).kind == Kind::Unsigned || info(type).kind == Kind::Bits;
}

}  // namespace cpu::ptx
