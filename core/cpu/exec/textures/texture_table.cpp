#include "exec/textures/texture.hpp"

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
};

Table& table() {
    static auto* const instance = new Table;  // leaked: kernels may run until the very end
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

std::shared_ptr<const Texture> find_texture(std::uint64_t handle) {
    std::shared_lock lock(table().mutex);
    const auto found = table().textures.find(handle);
    return found == table().textures.end() ? nullptr : found->second;
}

std::shared_ptr<const Surface> find_surface(std::uint64_t handle) {
    std::shared_lock lock(table().mutex);
    const auto found = table().surfaces.find(handle);
    return found == table().surfaces.end() ? nullptr : found->second;
}

void remove(std::uint64_t handle) {
    std::unique_lock lock(table().mutex);
    table().textures.erase(handle);
    table().surfaces.erase(handle);
}

}  // namespace cpu::exec::texture_table
