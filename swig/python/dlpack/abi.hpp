#pragma once

#include <cstdint>

/// The binary interface of DLPack 1.x, as specified: arrays that libraries exchange.
namespace pycuda::python::dlpack {

inline constexpr std::uint32_t major_version = 1, minor_version = 0;

struct Device {
    std::int32_t type, id;
};

struct DataType {
    std::uint8_t code, bits;
    std::uint16_t lanes;
};

struct Tensor {
    void* data;
    Device device;
    std::int32_t ndim;
    DataType dtype;
    std::int64_t *shape, *strides;  ///< in elements; strides null: packed, C order
    std::uint64_t byte_offset;
};

/// The contents of a capsule named "dltensor". Its consumer calls the deleter, once, on any thread.
struct Managed {
    static constexpr const char *fresh = "dltensor", *used = "used_dltensor";
    Tensor tensor;
    void* owner;
    void (*deleter)(Managed*);
};

/// The same with a version, "dltensor_versioned".
struct ManagedVersioned {
    static constexpr const char *fresh = "dltensor_versioned", *used = "used_dltensor_versioned";
    static constexpr std::uint64_t read_only = 1, is_copied = 2;
    std::uint32_t major, minor;
    void* owner;
    void (*deleter)(ManagedVersioned*);
    std::uint64_t flags;
    Tensor tensor;
};

}  // namespace pycuda::python::dlpack
