#pragma once

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace cpu::exec {

/// Texels in host memory: `channels` values of `format` each, with rows `row_pitch` and slices `slice_pitch` bytes
/// apart.
struct TexelImage {
    std::byte* data = nullptr;
    std::size_t width = 0;
    std::size_t height = 0;  ///< 0: one-dimensional
    std::size_t depth = 0;   ///< 0: no third dimension; if layered, the number of layers
    std::size_t row_pitch = 0;
    std::size_t slice_pitch = 0;
    CUarray_format format = CU_AD_FORMAT_FLOAT;
    unsigned channels = 1;
    bool layered = false;
    bool cubemap = false;
    std::size_t missing = 0;  ///< how many slices at the end do not exist; they read as zero
};

/// What the texture object named by a kernel reads, and how.
struct Texture {
    std::vector<TexelImage> levels;  ///< the full image first; one unless mipmapped
    CUDA_TEXTURE_DESC sampling{};
    bool linear_memory = false;  ///< for tex1Dfetch: integer coordinates; reads zero outside
    std::shared_ptr<const void> keeps_alive;
    /// Owned by what is kept alive; true once the program has freed the memory.
    const std::atomic<bool>* freed = nullptr;
};

/// What the surface object named by a kernel reads and writes.
struct Surface {
    TexelImage image;
    std::shared_ptr<const void> keeps_alive;
    /// Owned by what is kept alive; true once the program has freed the memory.
    const std::atomic<bool>* freed = nullptr;
};

/// The objects that kernels may name. Thread-safe. A handle is never reused.
namespace texture_table {
std::uint64_t add(std::shared_ptr<const Texture> texture);
std::uint64_t add(std::shared_ptr<const Surface> surface);
void remove(std::uint64_t handle);
}  // namespace texture_table

/// One thread's cache of the table, which is then locked once for each object instead of at each access.
class TextureCache {
public:
    /// nullptr if the handle names no texture; else valid until the next call.
    const Texture* texture(std::uint64_t handle);
    const Surface* surface(std::uint64_t handle);

private:
    template <class Object>
    struct Found {
        std::uint64_t handle = 0;
        std::shared_ptr<const Object> object;
    };
    static constexpr std::size_t slots = 8;
    void forget_removed();

    std::uint64_t removals_ = 0;  ///< the table's removals when the cache was filled
    Found<Texture> textures_[slots];
    Found<Surface> surfaces_[slots];
};

}  // namespace cpu::exec
