#include "ptx/immediate.hpp"

#include <bit>

namespace cpu::ptx {
namespace {

std::uint64_t mask_of(unsigned bits) {
    return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

}  // namespace

std::optional<std::uint64_t> encode_immediate(Type type, Type literal, std::uint64_t bits) {
    const TypeInfo& wanted = info(type);
    if (type == literal) return bits;
    if (literal == Type::S64 || literal == Type::U64) {
        if (type == Type::Pred) return bits != 0;
        if (wanted.kind == Kind::Float || wanted.lanes > 1 || wanted.bits > 64) return std::nullopt;
        return bits & mask_of(wanted.bits);
    }
    if (type == Type::B32) return literal == Type::F32 ? std::optional(bits) : std::nullopt;
    if (type == Type::B64) return literal == Type::F64 ? std::optional(bits) : std::nullopt;
    if (type == Type::F64 && literal == Type::F32) {
        const float value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        return std::bit_cast<std::uint64_t>(static_cast<double>(value));
    }
    if (type == Type::F32 && literal == Type::F64)
        return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
    return std::nullopt;
}

}  // namespace cpu::ptx
