#pragma once

#include <memory>

#include "files/ptx_image.hpp"

namespace ptx_file {

/// A texture or surface object of the driver with its memory; owns both.
class Object {
public:
    /// Throws std::runtime_error.
    explicit Object(const Image& image);
    ~Object();
    Object(const Object&) = delete;
    Object& operator=(const Object&) = delete;

    const Image& image() const noexcept { return image_; }
    unsigned long long handle() const noexcept { return handle_; }
    /// The texels of a surface as they are now.
    std::vector<std::byte> read() const;

private:
    CUDA_RESOURCE_DESC in_array();
    CUDA_RESOURCE_DESC in_levels();
    CUDA_RESOURCE_DESC in_memory();

    const Image& image_;
    CUarray array_ = nullptr;
    CUmipmappedArray levels_ = nullptr;
    CUdeviceptr memory_ = 0;
    unsigned long long handle_ = 0;
};

}  // namespace ptx_file
