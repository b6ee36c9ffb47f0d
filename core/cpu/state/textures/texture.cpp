#include "state/textures/texture.hpp"

#include "state/context.hpp"
#include "state/textures/texture_resource.hpp"
#include "state/textures/texture_view.hpp"

#include <map>
#include <mutex>

namespace cpu::state::texture {

namespace {

struct Objects {
    std::mutex mutex;
    std::map<unsigned long long, Description> by_handle;
};

Objects& objects() {
    static auto* const instance = new Objects;
    return *instance;
}

unsigned long long keep(unsigned long long handle, Description description) {
    std::lock_guard lock(objects().mutex);
    objects().by_handle.emplace(handle, std::move(description));
    return handle;
}

}  // namespace

CUtexObject create(Context& context, const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& sampling,
                   const CUDA_RESOURCE_VIEW_DESC* view) {
    auto made = make_texture(resource, sampling);
    Description description{&context, false, resource, sampling, {}};
    const bool on_array =
        resource.resType == CU_RESOURCE_TYPE_ARRAY || resource.resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    if (view && on_array) {
        apply_view(*made, *view);
        description.view = *view;
    }
    return keep(exec::texture_table::add(std::move(made)), std::move(description));
}

CUsurfObject create_surface(Context& context, const CUDA_RESOURCE_DESC& resource) {
    return keep(exec::texture_table::add(make_surface(resource)), {&context, true, resource, {}, {}});
}

Description describe(unsigned long long object, bool surface) {
    std::lock_guard lock(objects().mutex);
    const auto found = objects().by_handle.find(object);
    require(found != objects().by_handle.end() && found->second.surface == surface);
    return found->second;
}

void destroy(unsigned long long object, bool surface) {
    std::lock_guard lock(objects().mutex);
    const auto found = objects().by_handle.find(object);
    require(found != objects().by_handle.end() && found->second.surface == surface);
    objects().by_handle.erase(found);
    exec::texture_table::remove(object);
}

void destroy_all(const Context& context) {
    std::lock_guard lock(objects().mutex);
    std::erase_if(objects().by_handle, [&](const auto& entry) {
        if (entry.second.owner != &context) return false;
        exec::texture_table::remove(entry.first);
        return true;
    });
}

}  // namespace cpu::state::texture
