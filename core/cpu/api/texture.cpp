#include "api/abi.hpp"

#include "state/textures/texture.hpp"

using namespace cpu::api;
using namespace cpu::state;

CUresult cuTexObjectCreate(CUtexObject* pTexObject, const CUDA_RESOURCE_DESC* pResDesc,
                           const CUDA_TEXTURE_DESC* pTexDesc, const CUDA_RESOURCE_VIEW_DESC* pResViewDesc) {
    return entry_unseen_by_captures("cuTexObjectCreate", [&] {
        require(pTexObject != nullptr && pResDesc != nullptr && pTexDesc != nullptr);
        *pTexObject = texture::create(*current_context(), *pResDesc, *pTexDesc, pResViewDesc);
    });
}

CUresult cuTexObjectDestroy(CUtexObject texObject) {
    return entry_unseen_by_captures("cuTexObjectDestroy", [&] {
        current_context();
        if (texObject) texture::destroy(texObject, false);
    });
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* pResDesc, CUtexObject texObject) {
    return entry("cuTexObjectGetResourceDesc", [&] {
        current_context();
        put(pResDesc, texture::describe(texObject, false).resource);
    });
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* pTexDesc, CUtexObject texObject) {
    return entry("cuTexObjectGetTextureDesc", [&] {
        current_context();
        put(pTexDesc, texture::describe(texObject, false).sampling);
    });
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC* pResViewDesc, CUtexObject texObject) {
    return entry("cuTexObjectGetResourceViewDesc", [&] {
        current_context();
        put(pResViewDesc, texture::describe(texObject, false).view);
    });
}

CUresult cuSurfObjectCreate(CUsurfObject* pSurfObject, const CUDA_RESOURCE_DESC* pResDesc) {
    return entry("cuSurfObjectCreate", [&] {
        require(pSurfObject != nullptr && pResDesc != nullptr);
        *pSurfObject = texture::create_surface(*current_context(), *pResDesc);
    });
}

CUresult cuSurfObjectDestroy(CUsurfObject surfObject) {
    return entry_unseen_by_captures("cuSurfObjectDestroy", [&] {
        current_context();
        texture::destroy(surfObject, true);
    });
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* pResDesc, CUsurfObject surfObject) {
    return entry("cuSurfObjectGetResourceDesc", [&] {
        current_context();
        put(pResDesc, texture::describe(surfObject, true).resource);
    });
}
