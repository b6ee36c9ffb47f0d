#include "exec/textures/texture.hpp"

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace cpu::exec::texture_table {

namespace {

struct Table {
    std::shared_mutex mutex;
    std::unordered_map<std::uint64_t, std::shared_ptr<const Texture>> textures;
    std::unordered_map<std::uint64_t, std::shared_ptr<const Surface>> surfaces;
    std::uint64_t next = 1;
    std::atomic<std::uint64_t> removals{0};
};

Table& table() {
    static auto* const instance = new Table;  // leaked: kernels may run until the process ends
    return *instance;
}

}  // namespace

std::uint64_t add(std::shared_ptr<const Texture> texture) {
    std::unique_lock lock(table().mutex);
    table().textures.emplace(table().next, std::move(texture));
    return table().next++;
}

std::uint64_t add(std::shared_ptr<const Surface> surface) {
    std::unique_lock lock(table().mutex);
    table().surfaces.emplace(table().next, std::move(surface));
    return table().next++;
}

void remove(std::uint64_t handle) {
    std::unique_lock lock(table().mutex);
    table().textures.erase(handle);
    table().surfaces.erase(handle);
    table().removals.fetch_add(1, std::memory_order_release);
}

}  // namespace cpu::exec::texture_table

namespace cpu::exec {

namespace {

using texture_table::table;

template <class Object>
std::shared_ptr<const Object> find(const std::unordered_map<std::uint64_t, std::shared_ptr<const Object>>& objects,
                                   std::uint64_t handle) {
    std::shared_lock lock(table().mutex);
    const auto found = objects.find(handle);
    return found == objects.end() ? nullptr : found->second;
}

}  // namespace

void TextureCache::forget_removed() {
    const std::uint64_t now = table().removals.load(std::memory_order_acquire);
    if (now == removals_) return;
    *this = TextureCache();
    removals_ = now;
}

const Texture* TextureCache::texture(std::uint64_t handle) {
    forget_removed();
    Found<Texture>& found = textures_[handle % slots];
    if (found.handle != handle || !found.object) found = {handle, find(table().textures, handle)};
    return found.object.get();
}

const Surface* TextureCache::surface(std::uint64_t handle) {
    forget_removed();
    Found<Surface>& found = surfaces_[handle % slots];
    if (found.handle != handle || !found.object) found = {handle, find(table().surfaces, handle)};
    return found.object.get();
}

}  // namespace cpu::exec
