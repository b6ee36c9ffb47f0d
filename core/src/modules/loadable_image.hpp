#pragma once

#include <cstddef>
#include <string>

namespace pycuda {

/// The content of a file with an image, which the driver's `routine` will load. RuntimeError if it cannot be read.
std::string read_image(const char* routine, const std::string& filename);

/// An image as the driver's `routine` reads it: the driver takes no size, so text ends with a NUL, and a cubin or
/// fatbin is as long as its header says. Refers to the given memory where it can.
class LoadableImage {
public:
    /// std::invalid_argument for no bytes, LogicError for a truncated image.
    LoadableImage(const char* routine, const void* image, std::size_t nbytes);
    LoadableImage(const LoadableImage&) = delete;
    LoadableImage& operator=(const LoadableImage&) = delete;

    const void* data() const noexcept { return data_; }

private:
    std::string terminated_;
    const void* data_;
};

}  // namespace pycuda
