// Read and write values of NumPy's types through textures and surfaces. These support neither double nor complex, so
// such a value is stored as two or four integers, as driver.np_to_array and gpuarray_to_array do:
//
//   float64     texture<fp_tex_double, ...>    two int
//   complex64   texture<fp_tex_cfloat, ...>    two unsigned
//   complex128  texture<fp_tex_cdouble, ...>   four int
//
// fp_tex* return double and pycuda::complex for these, and the element itself for all others. fp_surf* take x in
// elements, not in bytes, and the boundary mode last. May be included inside extern "C".
#pragma once

#include "pycuda-complex.hpp"
#include "pycuda-texture.hpp"

extern "C++" {

typedef float fp_tex_float;
typedef int2 fp_tex_double;
typedef uint2 fp_tex_cfloat;
typedef int4 fp_tex_cdouble;

namespace pycuda_texture {

/// The value that a texel represents; texel_of() is the inverse. The low word comes first, as in NumPy.
static __device__ __forceinline__ double value_of(fp_tex_double texel) {
    return __hiloint2double(texel.y, texel.x);
}
static __device__ __forceinline__ pycuda::complex<float> value_of(fp_tex_cfloat texel) {
    return pycuda::complex<float>(__uint_as_float(texel.x), __uint_as_float(texel.y));
}
static __device__ __forceinline__ pycuda::complex<double> value_of(fp_tex_cdouble texel) {
    return pycuda::complex<double>(__hiloint2double(texel.y, texel.x), __hiloint2double(texel.w, texel.z));
}
template <class T>
static __device__ __forceinline__ T value_of(T texel) {
    return texel;
}

/// The type that a surface stores for a T.
template <class T>
struct stored {
    typedef T type;
};
template <>
struct stored<double> {
    typedef fp_tex_double type;
};
template <>
struct stored<pycuda::complex<float>> {
    typedef fp_tex_cfloat type;
};
template <>
struct stored<pycuda::complex<double>> {
    typedef fp_tex_cdouble type;
};

template <class T>
static __device__ __forceinline__ T texel_of(T value) {
    return value;
}
static __device__ __forceinline__ fp_tex_double texel_of(double value) {
    return make_int2(__double2loint(value), __double2hiint(value));
}
static __device__ __forceinline__ fp_tex_cfloat texel_of(pycuda::complex<float> value) {
    return make_uint2(__float_as_uint(value._M_re), __float_as_uint(value._M_im));
}
static __device__ __forceinline__ fp_tex_cdouble texel_of(pycuda::complex<double> value) {
    return make_int4(__double2loint(value._M_re), __double2hiint(value._M_re), __double2loint(value._M_im),
                     __double2hiint(value._M_im));
}

/// The type of value_of(T).
template <class T>
struct value {
    typedef T type;
};
template <>
struct value<fp_tex_double> {
    typedef double type;
};
template <>
struct value<fp_tex_cfloat> {
    typedef pycuda::complex<float> type;
};
template <>
struct value<fp_tex_cdouble> {
    typedef pycuda::complex<double> type;
};

}  // namespace pycuda_texture

#define PYCUDA_LIST(...) __VA_ARGS__
#define PYCUDA_READER(name, kind, parameters, arguments)                                    \
    template <class T, enum cudaTextureReadMode mode>                                       \
    static __device__ __forceinline__                                                       \
        typename pycuda_texture::value<typename pycuda_texture::texel<T, mode>::type>::type \
        fp_##name(const texture<T, kind, mode>& reference, PYCUDA_LIST parameters) {        \
        return pycuda_texture::value_of(name(reference, PYCUDA_LIST arguments));            \
    }
PYCUDA_READER(tex1Dfetch, cudaTextureType1D, (int x), (x))
PYCUDA_READER(tex1D, cudaTextureType1D, (float x), (x))
PYCUDA_READER(tex2D, cudaTextureType2D, (float x, float y), (x, y))
PYCUDA_READER(tex3D, cudaTextureType3D, (float x, float y, float z), (x, y, z))
PYCUDA_READER(tex1DLayered, cudaTextureType1DLayered, (float x, int layer), (x, layer))
PYCUDA_READER(tex2DLayered, cudaTextureType2DLayered, (float x, float y, int layer), (x, y, layer))
#undef PYCUDA_READER

#define PYCUDA_SURFACE(name, kind, parameters, arguments)                                                          \
    template <class T, class E>                                                                                    \
    static __device__ __forceinline__ void fp_##name##read(T* value, const surface<E, kind>& reference, int x,     \
                                                           PYCUDA_LIST parameters,                                 \
                                                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {  \
        typedef typename pycuda_texture::stored<T>::type stored;                                                   \
        *value = pycuda_texture::value_of(                                                                         \
            name##read<stored>(reference, x * static_cast<int>(sizeof(stored)), PYCUDA_LIST arguments, mode));     \
    }                                                                                                              \
    template <class T, class E>                                                                                    \
    static __device__ __forceinline__ void fp_##name##write(T value, const surface<E, kind>& reference, int x,     \
                                                            PYCUDA_LIST parameters,                                \
                                                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
        name##write(pycuda_texture::texel_of(value), reference, x * static_cast<int>(sizeof(value)),               \
                    PYCUDA_LIST arguments, mode);                                                                  \
    }
PYCUDA_SURFACE(surf2D, cudaSurfaceType2D, (int y), (y))
PYCUDA_SURFACE(surf3D, cudaSurfaceType3D, (int y, int z), (y, z))
PYCUDA_SURFACE(surf1DLayered, cudaSurfaceType1DLayered, (int layer), (layer))
PYCUDA_SURFACE(surf2DLayered, cudaSurfaceType2DLayered, (int y, int layer), (y, layer))
#undef PYCUDA_SURFACE
#undef PYCUDA_LIST

}  // extern "C++"
