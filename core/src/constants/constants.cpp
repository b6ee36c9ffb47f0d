#include <pycuda/constants/constants.hpp>

namespace pycuda {
namespace {

// First the values of each set, ...
#define PYCUDA_ENUM_BEGIN(type, python, cuda) constexpr EnumValue values_of_##type[] = {
#define PYCUDA_ENUM_VALUE(name, value, cuda) {#name, value, false, #name, #cuda},
#define PYCUDA_ENUM_ALIAS(name, value, cuda, canonical) {#name, value, true, #canonical, #cuda},
#define PYCUDA_ENUM_END(type) \
    }                         \
    ;
#define PYCUDA_FLAGS_BEGIN(type, python, cuda) constexpr EnumValue values_of_##type[] = {
#define PYCUDA_FLAGS_VALUE(name, value, cuda) {#name, value, false, #name, #cuda},
#define PYCUDA_FLAGS_ALIAS(name, value, cuda, canonical) {#name, value, true, #canonical, #cuda},
#define PYCUDA_FLAGS_END(type) \
    }                          \
    ;
#include <pycuda/constants/constants.def>

// ... then the sets.
constexpr EnumTable tables[] = {
#define PYCUDA_ENUM_BEGIN(type, python, cuda) {#type, #python, #cuda, false, values_of_##type},
#define PYCUDA_FLAGS_BEGIN(type, python, cuda) {#type, #python, #cuda, true, values_of_##type},
#include <pycuda/constants/constants.def>
};

constexpr EnumValue constants[] = {
#define PYCUDA_CONSTANT(name, value, cuda) {#name, value, false, #name, #cuda},
#include <pycuda/constants/constants.def>
};

}  // namespace

std::span<const EnumTable> enum_tables() noexcept {
    return tables;
}

std::span<const EnumValue> module_constants() noexcept {
    return constants;
}

}  // namespace pycuda
