#pragma once

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace cpu::exec {

/// Texels in host memory: `channels` values of `format` each, rows `row_pitch` and slices `slice_pitch` bytes apart.
struct TexelImage {
    std::byte* data = nullptr;
    std::size_t width = 0;
    std::size_t height = 0;  ///< 0: one dimension
    std::size_t depth = 0;   ///< 0: no third dimension; the number of layers when layered
    std::size_t row_pitch = 0;
    std::size_t slice_pitch = 0;
    CUarray_format format = CU_AD_FORMAT_FLOAT;
    unsigned channels = 1;
    bool layered = false;
    bool cubemap = false;
    std::size_t missing = 0;  ///< of the slices, those at the end that do not exist: they are zero
};

/// What the texture object that a kernel names reads from, and how.
struct Texture {
    std::vector<TexelImage> levels;  ///< the full image first; one unless mipmapped
    CUDA_TEXTURE_DESC sampling{};
    bool linear_memory = false;  ///< for tex1Dfetch: integer coordinates, zero outside
    std::shared_ptr<const void> keeps_alive;
    const std::atomic<bool>* freed = nullptr;  ///< part of what is kept alive: the program has given the memory back
};

/// What the surface object that a kernel names reads and writes.
struct Surface {
    TexelImage image;
    std::shared_ptr<const void> keeps_alive;
    const std::atomic<bool>* freed = nullptr;  ///< part of what is kept alive: the program has given the memory back
};

/// The objects that kernels may name; safe between threads. A handle is never used twice.
namespace texture_table {
std::uint64_t add(std::shared_ptr<const Texture> texture);
std::uint64_t add(std::shared_ptr<const Surface> surface);
void remove(std::uint64_t handle);
}  // namespace texture_table

/// What one thread has found in the table, which is locked once for each object and not at each access.
class TextureCache {
public:
    /// nullptr when the handle names none; else alive until the next call.
    const Texture* texture(std::uint64_t handle);
    const Surface* surface(std::uint64_t handle);

private:
    template <class Object>
    struct Found {
        std::uint64_t handle = 0;
        std::shared_ptr<const Object> object;
    };
    static constexpr std::size_t places = 8;
    void forget_removed();

    std::uint64_t removals_ = 0;  ///< of the table, when all this was found
    Found<Texture> textures_[places];
    Found<Surface> surfaces_[places];
};

}  // namespace cpu::exec
