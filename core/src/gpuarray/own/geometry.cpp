#include "pycuda/gpuarray/own/geometry.hpp"

#include "pycuda/contexts/context.hpp"

namespace pycuda::gpuarray {
namespace {

std::int64_t quotient_up(std::int64_t a, std::int64_t b) noexcept {
    return (a + b - 1) / b;
}

struct Limits {
    unsigned multiprocessors, warp_size;
};

Limits limits_of_current_device() {
    // Cached per device: programs read _grid and _block in loops.
    thread_local CUdevice known = -1;
    thread_local Limits limits{};
    const Device device = Context::get_device();
    if (device.handle() != known) {
        limits = {static_cast<unsigned>(device.get_attribute(DeviceAttribute::MULTIPROCESSOR_COUNT)),
                  static_cast<unsigned>(device.get_attribute(DeviceAttribute::WARP_SIZE))};
        known = device.handle();
    }
    return limits;
}

}  // namespace

Geometry splay(std::int64_t n, unsigned multiprocessors, unsigned warp_size) noexcept {
    constexpr std::int64_t max_threads = 128, blocks_per_multiprocessor = 8;
    const std::int64_t warp = warp_size, max_blocks = 4 * blocks_per_multiprocessor * multiprocessors;
    if (n < warp) return {1, warp_size};
    if (n < max_blocks * warp) return {static_cast<unsigned>(quotient_up(n, warp)), warp_size};
    if (n < max_blocks * max_threads)
        return {static_cast<unsigned>(max_blocks),
                static_cast<unsigned>(warp * quotient_up(quotient_up(n, warp), max_blocks))};
    return {static_cast<unsigned>(max_blocks), static_cast<unsigned>(max_threads)};
}

Geometry splay(std::int64_t n) {
    const Limits limits = limits_of_current_device();
    return splay(n, limits.multiprocessors, limits.warp_size);
}

}  // namespace pycuda::gpuarray
