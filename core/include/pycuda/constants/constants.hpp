// Every constant of the public interface as C++ types, and the same as a table that bindings read at run time.
#pragma once

#include <span>

namespace pycuda {

// One `enum class X : int` for each PYCUDA_ENUM of constants.def. Aliases are enumerators too.
#define PYCUDA_ENUM_BEGIN(type, python, cuda) enum class type : int {
#define PYCUDA_ENUM_VALUE(name, value, cuda) name = value,
#define PYCUDA_ENUM_ALIAS(name, value, cuda, canonical) name = value,
#define PYCUDA_ENUM_END(type) \
    }                         \
    ;
// One holder of `unsigned` constants for each PYCUDA_FLAGS: values can be combined, so there is no type of them.
#define PYCUDA_FLAGS_BEGIN(type, python, cuda) \
    struct type {                              \
        type() = delete;
#define PYCUDA_FLAGS_VALUE(name, value, cuda) static constexpr unsigned name = value;
#define PYCUDA_FLAGS_ALIAS(name, value, cuda, canonical) static constexpr unsigned name = canonical;
#define PYCUDA_FLAGS_END(type) \
    }                          \
    ;
#define PYCUDA_CONSTANT(name, value, cuda) inline constexpr int name = value;
#include <pycuda/constants/constants.def>

/// One name of a constant.
struct EnumValue {
    const char* name;
    int value;
    bool alias;             ///< whether another name of the same type is the canonical one of this value
    const char* canonical;  ///< the canonical name of the value; `name` itself when this is no alias
    const char* cuda_name;  ///< its name in cuda.h
};

/// One set of constants, in the order of constants.def. All text is static.
struct EnumTable {
    const char* cpp_name;     ///< also the name in Java, e.g. "DeviceAttribute"
    const char* python_name;  ///< e.g. "device_attribute"
    const char* cuda_name;    ///< e.g. "CUdevice_attribute"; "PREFIX_*" for a group of macros
    bool flags;               ///< whether values can be combined with |
    std::span<const EnumValue> values;
};

/// Every set of constants. Calls no driver function.
std::span<const EnumTable> enum_tables() noexcept;

/// The integers of the module (TRSF_READ_AS_INTEGER, ...). Calls no driver function.
std::span<const EnumValue> module_constants() noexcept;

}  // namespace pycuda
