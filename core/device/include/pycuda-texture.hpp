// Texture and surface references, which CUDA C++ had until CUDA 11: `texture<float, 2> t;` and `tex2D(t, x, y)`.
//
// A reference is an 8-byte variable that holds a texture or surface object. Module.get_texref and get_surfref find it
// by name, and write the bound object to it before each launch; until then it holds a description of its declaration,
// which they read. The compiler layer includes this header into sources that declare references, and puts
// PYCUDA_REFERENCE before each declaration. May be included inside extern "C".
#pragma once

#if __CUDACC_VER_MAJOR__ < 12

#define PYCUDA_REFERENCE

#else

#define PYCUDA_REFERENCE __constant__

extern "C++" {

namespace pycuda_texture {

/// A texel of an element type: its CUarray_format, its channels, and the types that the readers return.
template <class T>
struct element;

#define PYCUDA_ELEMENT(type, code, count, as_float, four, four_as_float) \
    template <>                                                          \
    struct element<type> {                                               \
        enum { format = code, channels = count };                        \
        typedef as_float normalized;                                     \
        typedef four gathered;                                           \
        typedef four_as_float gathered_normalized;                       \
    };
#define PYCUDA_ELEMENTS(scalar, vector, code)                     \
    PYCUDA_ELEMENT(scalar, code, 1, float, vector##4, float4)     \
    PYCUDA_ELEMENT(vector##1, code, 1, float1, vector##4, float4) \
    PYCUDA_ELEMENT(vector##2, code, 2, float2, vector##4, float4) \
    PYCUDA_ELEMENT(vector##4, code, 4, float4, vector##4, float4)
PYCUDA_ELEMENTS(unsigned char, uchar, 0x01)
PYCUDA_ELEMENTS(unsigned short, ushort, 0x02)
PYCUDA_ELEMENTS(unsigned int, uint, 0x03)
PYCUDA_ELEMENTS(signed char, char, 0x08)
PYCUDA_ELEMENTS(short, short, 0x09)
PYCUDA_ELEMENTS(int, int, 0x0a)
PYCUDA_ELEMENTS(float, float, 0x20)
PYCUDA_ELEMENT(char, 0x08, 1, float, char4, float4)
#undef PYCUDA_ELEMENTS
#undef PYCUDA_ELEMENT

/// The type that a reader returns for a texture of T in a read mode.
template <class T, enum cudaTextureReadMode mode>
struct texel {
    typedef T type;
    typedef typename element<T>::gathered gathered;
};
template <class T>
struct texel<T, cudaReadModeNormalizedFloat> {
    typedef typename element<T>::normalized type;
    typedef typename element<T>::gathered_normalized gathered;
};

}  // namespace pycuda_texture

// The host writes the members of both. texture_reference.cpp on the host has to know their initial values.

template <class T, int textureType = cudaTextureType1D, enum cudaTextureReadMode mode = cudaReadModeElementType>
struct texture {
    /// "TEXR" above channels, format, read mode and texture type, until the host has written an object.
    cudaTextureObject_t object = 0x5445585200000000ull |
                                 static_cast<cudaTextureObject_t>(pycuda_texture::element<T>::channels) << 24 |
                                 pycuda_texture::element<T>::format << 16 | mode << 8 | textureType;
};

template <class T, int surfaceType = cudaSurfaceType1D>
struct surface {
    /// "SURF" above the surface type.
    cudaSurfaceObject_t object = 0x5355524600000000ull | surfaceType;
};

#define PYCUDA_LIST(...) __VA_ARGS__
#define PYCUDA_READER(name, kind, result, parameters, arguments)                                                 \
    template <class T, enum cudaTextureReadMode mode>                                                            \
    static __device__ __forceinline__ typename pycuda_texture::texel<T, mode>::result name(                      \
        const texture<T, kind, mode>& reference, PYCUDA_LIST parameters) {                                       \
        return ::name<typename pycuda_texture::texel<T, mode>::result>(reference.object, PYCUDA_LIST arguments); \
    }
PYCUDA_READER(tex1Dfetch, cudaTextureType1D, type, (int x), (x))
PYCUDA_READER(tex1D, cudaTextureType1D, type, (float x), (x))
PYCUDA_READER(tex2D, cudaTextureType2D, type, (float x, float y), (x, y))
PYCUDA_READER(tex3D, cudaTextureType3D, type, (float x, float y, float z), (x, y, z))
PYCUDA_READER(tex1DLayered, cudaTextureType1DLayered, type, (float x, int layer), (x, layer))
PYCUDA_READER(tex2DLayered, cudaTextureType2DLayered, type, (float x, float y, int layer), (x, y, layer))
PYCUDA_READER(texCubemap, cudaTextureTypeCubemap, type, (float x, float y, float z), (x, y, z))
PYCUDA_READER(texCubemapLayered, cudaTextureTypeCubemapLayered, type, (float x, float y, float z, int layer),
              (x, y, z, layer))
PYCUDA_READER(tex2Dgather, cudaTextureType2D, gathered, (float x, float y, int component = 0), (x, y, component))

PYCUDA_READER(tex1DLod, cudaTextureType1D, type, (float x, float level), (x, level))
PYCUDA_READER(tex2DLod, cudaTextureType2D, type, (float x, float y, float level), (x, y, level))
PYCUDA_READER(tex3DLod, cudaTextureType3D, type, (float x, float y, float z, float level), (x, y, z, level))
PYCUDA_READER(tex1DLayeredLod, cudaTextureType1DLayered, type, (float x, int layer, float level), (x, layer, level))
PYCUDA_READER(tex2DLayeredLod, cudaTextureType2DLayered, type, (float x, float y, int layer, float level),
              (x, y, layer, level))
PYCUDA_READER(texCubemapLod, cudaTextureTypeCubemap, type, (float x, float y, float z, float level), (x, y, z, level))
PYCUDA_READER(texCubemapLayeredLod, cudaTextureTypeCubemapLayered, type,
              (float x, float y, float z, int layer, float level), (x, y, z, layer, level))

PYCUDA_READER(tex1DGrad, cudaTextureType1D, type, (float x, float dx, float dy), (x, dx, dy))
PYCUDA_READER(tex2DGrad, cudaTextureType2D, type, (float x, float y, float2 dx, float2 dy), (x, y, dx, dy))
PYCUDA_READER(tex3DGrad, cudaTextureType3D, type, (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy))
PYCUDA_READER(tex1DLayeredGrad, cudaTextureType1DLayered, type, (float x, int layer, float dx, float dy),
              (x, layer, dx, dy))
PYCUDA_READER(tex2DLayeredGrad, cudaTextureType2DLayered, type, (float x, float y, int layer, float2 dx, float2 dy),
              (x, y, layer, dx, dy))
PYCUDA_READER(texCubemapGrad, cudaTextureTypeCubemap, type, (float x, float y, float z, float4 dx, float4 dy),
              (x, y, z, dx, dy))
PYCUDA_READER(texCubemapLayeredGrad, cudaTextureTypeCubemapLayered, type,
              (float x, float y, float z, int layer, float4 dx, float4 dy), (x, y, z, layer, dx, dy))
#undef PYCUDA_READER

// Surfaces: x is in bytes. The value read is returned, or stored through a pointer.
#define PYCUDA_SURFACE(name, kind, parameters, arguments)                                                     \
    template <class T, class E>                                                                               \
    static __device__ __forceinline__ T name##read(const surface<E, kind>& reference, PYCUDA_LIST parameters, \
                                                   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {     \
        return ::name##read<T>(reference.object, PYCUDA_LIST arguments, mode);                                \
    }                                                                                                         \
    template <class T, class E>                                                                               \
    static __device__ __forceinline__ void name##read(T* value, const surface<E, kind>& reference,            \
                                                      PYCUDA_LIST parameters,                                 \
                                                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {  \
        *value = ::name##read<T>(reference.object, PYCUDA_LIST arguments, mode);                              \
    }                                                                                                         \
    template <class T, class E>                                                                               \
    static __device__ __forceinline__ void name##write(T value, const surface<E, kind>& reference,            \
                                                       PYCUDA_LIST parameters,                                \
                                                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
        ::name##write(value, reference.object, PYCUDA_LIST arguments, mode);                                  \
    }
PYCUDA_SURFACE(surf1D, cudaSurfaceType1D, (int x), (x))
PYCUDA_SURFACE(surf2D, cudaSurfaceType2D, (int x, int y), (x, y))
PYCUDA_SURFACE(surf3D, cudaSurfaceType3D, (int x, int y, int z), (x, y, z))
PYCUDA_SURFACE(surf1DLayered, cudaSurfaceType1DLayered, (int x, int layer), (x, layer))
PYCUDA_SURFACE(surf2DLayered, cudaSurfaceType2DLayered, (int x, int y, int layer), (x, y, layer))
PYCUDA_SURFACE(surfCubemap, cudaSurfaceTypeCubemap, (int x, int y, int face), (x, y, face))
PYCUDA_SURFACE(surfCubemapLayered, cudaSurfaceTypeCubemapLayered, (int x, int y, int layerface), (x, y, layerface))
#undef PYCUDA_SURFACE
#undef PYCUDA_LIST

}  // extern "C++"

#endif  // CUDA 12 and newer
