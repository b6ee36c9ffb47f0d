// Texture and surface references, which PTX text declares as `.texref` and `.surfref`.
#include "api/abi.hpp"

#include "state/device.hpp"
#include "state/modules/module.hpp"
#include "state/textures/array.hpp"
#include "state/textures/texture_reference.hpp"

#include <algorithm>

using namespace cpu::api;
using namespace cpu::state;

namespace {

std::shared_ptr<TextureReference> reference_of(CUtexref handle) {
    return texture_references().get(handle);
}

// As in the driver, no context needs to be current: a reference belongs to one.

template <class F>
CUresult ask(const char* name, CUtexref reference, F&& f) {
    return entry(name, [&] { f(reference_of(reference)->state()); });
}

template <class F>
CUresult change(const char* name, CUtexref reference, F&& f) {
    return entry(name, [&] { reference_of(reference)->change(f); });
}

/// Arrays of another context can be bound if their memory is accessible.
void check_reach(const Context* from, const Context* owner) {
    require(from == owner || from->is_peer(owner), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
}

bool is_dimension(int dim) {
    return dim >= 0 && dim < 3;
}

CUresult set_address_2d(CUtexref reference, const CUDA_ARRAY_DESCRIPTOR* shape, CUdeviceptr pointer, std::size_t pitch,
                        std::size_t pitch_alignment) {
    return change("cuTexRefSetAddress2D", reference, [&](TextureState& state) {
        require(shape != nullptr);
        require(pointer % limits::texture_alignment == 0 && pitch % pitch_alignment == 0);
        require(shape->Width <= limits::linear_texture_width && shape->Height <= limits::linear_texture_height);
        require(pitch > 0 && pitch <= limits::linear_texture_pitch);
        const std::size_t channel = is_plain_format(shape->Format) ? channel_bytes(shape->Format) : 0;
        require(pitch >= shape->Width * channel * shape->NumChannels);
        state.set_address_2d(*shape, pointer, pitch);
    });
}

}  // namespace

CUresult cuTexRefCreate(CUtexref* pTexRef) {
    return entry("cuTexRefCreate", [&] {
        require(pTexRef != nullptr);
        *pTexRef = texture_references().add(std::make_shared<TextureReference>(*current_context(), false));
    });
}

CUresult cuTexRefDestroy(CUtexref hTexRef) {
    return entry("cuTexRefDestroy", [&] {
        // The driver destroys a module's reference too; the module then holds a dangling one.
        require(!reference_of(hTexRef)->of_module(), CUDA_ERROR_INVALID_HANDLE);
        texture_references().take(hTexRef);
    });
}

CUresult cuTexRefSetArray(CUtexref hTexRef, CUarray hArray, unsigned int Flags) {
    return entry("cuTexRefSetArray", [&] {
        const auto reference = reference_of(hTexRef);
        require((Flags & ~static_cast<unsigned>(CU_TRSA_OVERRIDE_FORMAT)) == 0);
        check_reach(reference->context(), arrays().get(hArray)->owner());
        reference->change([&](TextureState& state) { state.set_array(hArray); });
    });
}

CUresult cuTexRefSetMipmappedArray(CUtexref hTexRef, CUmipmappedArray hMipmappedArray, unsigned int Flags) {
    return entry("cuTexRefSetMipmappedArray", [&] {
        const auto reference = reference_of(hTexRef);
        require((Flags & ~static_cast<unsigned>(CU_TRSA_OVERRIDE_FORMAT)) == 0);
        check_reach(reference->context(), mipmapped_arrays().get(hMipmappedArray)->owner());
        reference->change([&](TextureState& state) { state.set_mipmapped_array(hMipmappedArray); });
    });
}

CUresult cuTexRefSetAddress_v2(size_t* ByteOffset, CUtexref hTexRef, CUdeviceptr dptr, size_t bytes) {
    return change("cuTexRefSetAddress", hTexRef, [&](TextureState& state) {
        put_optional(ByteOffset, state.set_address(dptr, bytes, ByteOffset != nullptr));
    });
}

CUresult cuTexRefSetAddress2D_v3(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR* desc, CUdeviceptr dptr, size_t Pitch) {
    return set_address_2d(hTexRef, desc, dptr, Pitch, limits::texture_pitch_alignment);
}

CUresult cuTexRefSetAddress2D_v2(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR* desc, CUdeviceptr dptr, size_t Pitch) {
    return set_address_2d(hTexRef, desc, dptr, Pitch, 1);
}

CUresult cuTexRefSetFormat(CUtexref hTexRef, CUarray_format fmt, int NumPackedComponents) {
    // The format is checked when a kernel is launched.
    return change("cuTexRefSetFormat", hTexRef, [&](TextureState& state) {
        require(NumPackedComponents <= 2 || NumPackedComponents == 4);
        state.format = fmt;
        state.channels = NumPackedComponents;
    });
}

CUresult cuTexRefSetAddressMode(CUtexref hTexRef, int dim, CUaddress_mode am) {
    return change("cuTexRefSetAddressMode", hTexRef, [&](TextureState& state) {
        require(is_dimension(dim));
        const bool known = am >= CU_TR_ADDRESS_MODE_WRAP && am <= CU_TR_ADDRESS_MODE_BORDER;
        state.sampling.addressMode[dim] = known ? am : CU_TR_ADDRESS_MODE_CLAMP;
    });
}

CUresult cuTexRefSetFilterMode(CUtexref hTexRef, CUfilter_mode fm) {
    return change("cuTexRefSetFilterMode", hTexRef, [&](TextureState& state) { state.sampling.filterMode = fm; });
}

CUresult cuTexRefSetMipmapFilterMode(CUtexref hTexRef, CUfilter_mode fm) {
    return change("cuTexRefSetMipmapFilterMode", hTexRef, [&](TextureState& state) {
        require(fm == CU_TR_FILTER_MODE_POINT || fm == CU_TR_FILTER_MODE_LINEAR);
        state.sampling.mipmapFilterMode = fm;
    });
}

CUresult cuTexRefSetMipmapLevelBias(CUtexref hTexRef, float bias) {
    return change("cuTexRefSetMipmapLevelBias", hTexRef,
                  [&](TextureState& state) { state.sampling.mipmapLevelBias = bias; });
}

CUresult cuTexRefSetMipmapLevelClamp(CUtexref hTexRef, float minMipmapLevelClamp, float maxMipmapLevelClamp) {
    return change("cuTexRefSetMipmapLevelClamp", hTexRef, [&](TextureState& state) {
        state.sampling.minMipmapLevelClamp = minMipmapLevelClamp;
        state.sampling.maxMipmapLevelClamp = maxMipmapLevelClamp;
    });
}

CUresult cuTexRefSetMaxAnisotropy(CUtexref hTexRef, unsigned int maxAniso) {
    return change("cuTexRefSetMaxAnisotropy", hTexRef,
                  [&](TextureState& state) { state.sampling.maxAnisotropy = maxAniso; });
}

CUresult cuTexRefSetBorderColor(CUtexref hTexRef, float* pBorderColor) {
    return change("cuTexRefSetBorderColor", hTexRef, [&](TextureState& state) {
        require(pBorderColor != nullptr);
        std::copy_n(pBorderColor, 4, state.sampling.borderColor);
    });
}

CUresult cuTexRefSetFlags(CUtexref hTexRef, unsigned int Flags) {
    return change("cuTexRefSetFlags", hTexRef, [&](TextureState& state) {
        require(Flags < CU_TRSF_SEAMLESS_CUBEMAP);
        state.sampling.flags = Flags;
    });
}

CUresult cuTexRefGetAddress_v2(CUdeviceptr* pdptr, CUtexref hTexRef) {
    return ask("cuTexRefGetAddress", hTexRef, [&](const TextureState& state) { put(pdptr, state.address()); });
}

CUresult cuTexRefGetArray(CUarray* phArray, CUtexref hTexRef) {
    return ask("cuTexRefGetArray", hTexRef, [&](const TextureState& state) { put(phArray, state.array()); });
}

CUresult cuTexRefGetMipmappedArray(CUmipmappedArray* phMipmappedArray, CUtexref hTexRef) {
    return ask("cuTexRefGetMipmappedArray", hTexRef,
               [&](const TextureState& state) { put(phMipmappedArray, state.mipmapped_array()); });
}

CUresult cuTexRefGetAddressMode(CUaddress_mode* pam, CUtexref hTexRef, int dim) {
    return ask("cuTexRefGetAddressMode", hTexRef, [&](const TextureState& state) {
        require(is_dimension(dim));
        put(pam, state.sampling.addressMode[dim]);
    });
}

CUresult cuTexRefGetFilterMode(CUfilter_mode* pfm, CUtexref hTexRef) {
    return ask("cuTexRefGetFilterMode", hTexRef,
               [&](const TextureState& state) { put(pfm, state.sampling.filterMode); });
}

CUresult cuTexRefGetFormat(CUarray_format* pFormat, int* pNumChannels, CUtexref hTexRef) {
    return ask("cuTexRefGetFormat", hTexRef, [&](const TextureState& state) {
        put_optional(pFormat, state.format);
        put_optional(pNumChannels, state.channels);
    });
}

CUresult cuTexRefGetMipmapFilterMode(CUfilter_mode* pfm, CUtexref hTexRef) {
    return ask("cuTexRefGetMipmapFilterMode", hTexRef,
               [&](const TextureState& state) { put(pfm, state.sampling.mipmapFilterMode); });
}

CUresult cuTexRefGetMipmapLevelBias(float* pbias, CUtexref hTexRef) {
    return ask("cuTexRefGetMipmapLevelBias", hTexRef,
               [&](const TextureState& state) { put(pbias, state.sampling.mipmapLevelBias); });
}

CUresult cuTexRefGetMipmapLevelClamp(float* pminMipmapLevelClamp, float* pmaxMipmapLevelClamp, CUtexref hTexRef) {
    return ask("cuTexRefGetMipmapLevelClamp", hTexRef, [&](const TextureState& state) {
        require(pminMipmapLevelClamp != nullptr && pmaxMipmapLevelClamp != nullptr);
        *pminMipmapLevelClamp = state.sampling.minMipmapLevelClamp;
        *pmaxMipmapLevelClamp = state.sampling.maxMipmapLevelClamp;
    });
}

CUresult cuTexRefGetMaxAnisotropy(int* pmaxAniso, CUtexref hTexRef) {
    return ask("cuTexRefGetMaxAnisotropy", hTexRef,
               [&](const TextureState& state) { put(pmaxAniso, state.sampling.maxAnisotropy); });
}

CUresult cuTexRefGetBorderColor(float* pBorderColor, CUtexref hTexRef) {
    return ask("cuTexRefGetBorderColor", hTexRef, [&](const TextureState& state) {
        require(pBorderColor != nullptr);
        std::copy_n(state.sampling.borderColor, 4, pBorderColor);
    });
}

CUresult cuTexRefGetFlags(unsigned int* pFlags, CUtexref hTexRef) {
    return ask("cuTexRefGetFlags", hTexRef, [&](const TextureState& state) { put(pFlags, state.sampling.flags); });
}

CUresult cuParamSetTexRef(CUfunction hfunc, int, CUtexref hTexRef) {
    return entry("cuParamSetTexRef", [&] {
        functions().get(hfunc);
        reference_of(hTexRef);
        // No kernel takes one as an argument: it finds the references of its module by name.
        fail(CUDA_ERROR_INVALID_VALUE);
    });
}

CUresult cuSurfRefSetArray(CUsurfref hSurfRef, CUarray hArray, unsigned int Flags) {
    return entry("cuSurfRefSetArray", [&] {
        const auto reference = surface_references().get(hSurfRef);
        require(Flags == 0);
        check_reach(reference->context(), arrays().get(hArray)->owner());
        reference->set_array(hArray);
    });
}

CUresult cuSurfRefGetArray(CUarray* phArray, CUsurfref hSurfRef) {
    return entry("cuSurfRefGetArray", [&] { put(phArray, surface_references().get(hSurfRef)->array()); });
}
