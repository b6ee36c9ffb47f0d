#include "modules/loadable_image.hpp"

#include <cuda.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "modules/image_size.hpp"
#include "platform/files.hpp"
#include "pycuda/driver/failures.hpp"
#include "pycuda/errors/error.hpp"

namespace pycuda {

std::string read_image(const char* routine, const std::string& filename) {
    std::optional<std::string> image = read_file(filename);
    if (!image) throw RuntimeError(routine, CUDA_ERROR_FILE_NOT_FOUND, "'" + filename + "': " + std::strerror(errno));
    return *std::move(image);
}

LoadableImage::LoadableImage(const char* routine, const void* image, std::size_t nbytes) : data_(image) {
    if (nbytes == 0) throw std::invalid_argument("a module or library cannot be loaded from an empty buffer");
    const std::size_t claimed = size_of_image(image, nbytes);
    if (claimed > nbytes)
        raise(routine, CUDA_ERROR_INVALID_IMAGE,
              "the image is truncated: its header describes more than the " + std::to_string(nbytes) + " bytes given");
    const auto* const bytes = static_cast<const char*>(image);
    if (claimed == 0 && bytes[nbytes - 1] != 0) {
        terminated_.assign(bytes, nbytes);
        data_ = terminated_.c_str();
    }
}

}  // namespace pycuda
