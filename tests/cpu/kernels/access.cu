// Loads and stores of every width by one warp, the lanes of which go where an index says, through global and shared
// memory; the threads that a mask names. What is stored depends on the place: lanes that meet agree.
#define ACCESS(T)                                                                                             \
    extern "C" __global__ void gather_##T(const T* in, T* out, const unsigned* index, unsigned mask) {        \
        const unsigned t = threadIdx.x;                                                                       \
        if (mask >> t & 1) out[t] = in[index[t]];                                                             \
    }                                                                                                         \
    extern "C" __global__ void scatter_##T(const T* in, T* out, const unsigned* index, unsigned mask) {       \
        const unsigned t = threadIdx.x;                                                                       \
        if (mask >> t & 1) out[index[t]] = in[index[t]];                                                             \
    }                                                                                                         \
    extern "C" __global__ void shared_gather_##T(const T* in, T* out, const unsigned* index, unsigned mask) { \
        __shared__ T tile[64];                                                                                \
        const unsigned t = threadIdx.x;                                                                       \
        tile[t] = in[t];                                                                                      \
        tile[t + 32] = in[t + 32];                                                                            \
        __syncthreads();                                                                                      \
        if (mask >> t & 1) out[t] = tile[index[t]];                                                           \
    }                                                                                                         \
    extern "C" __global__ void shared_scatter_##T(const T* in, T* out, const unsigned* index, unsigned mask) { \
        __shared__ T tile[64];                                                                                \
        const unsigned t = threadIdx.x;                                                                       \
        tile[t] = out[t];                                                                                     \
        tile[t + 32] = out[t + 32];                                                                           \
        __syncthreads();                                                                                      \
        if (mask >> t & 1) tile[index[t]] = in[index[t]];                                                            \
        __syncthreads();                                                                                      \
        out[t] = tile[t];                                                                                     \
        out[t + 32] = tile[t + 32];                                                                           \
    }

ACCESS(uchar1)
ACCESS(uchar2)
ACCESS(uchar4)
ACCESS(ushort1)
ACCESS(ushort2)
ACCESS(ushort4)
ACCESS(float1)
ACCESS(float2)
ACCESS(float4)
ACCESS(double1)
ACCESS(double2)

#define WIDEN(T, ...)                                                                                         \
    extern "C" __global__ void widen_##T(const T* in, long long* out, const unsigned* index, unsigned mask) { \
        const unsigned t = threadIdx.x;                                                                       \
        if (!(mask >> t & 1)) return;                                                                         \
        const T v = in[index[t]];                                                                             \
        out[t] = __VA_ARGS__;                                                                                 \
    }
#define TOGETHER(x, y) ((x) * 1000ll + (y))

WIDEN(char1, v.x)
WIDEN(uchar1, v.x)
WIDEN(short1, v.x)
WIDEN(ushort1, v.x)
WIDEN(int1, v.x)
WIDEN(char2, TOGETHER(v.x, v.y))
WIDEN(short2, TOGETHER(v.x, v.y))
WIDEN(uchar4, TOGETHER(TOGETHER(TOGETHER(v.x, v.y), v.z), v.w))
WIDEN(short4, TOGETHER(TOGETHER(TOGETHER(v.x, v.y), v.z), v.w))

#define NARROW(T, ...)                                                                                         \
    extern "C" __global__ void narrow_##T(const long long* in, T* out, const unsigned* index, unsigned mask) { \
        const unsigned t = threadIdx.x;                                                                        \
        if (!(mask >> t & 1)) return;                                                                          \
        const long long v = in[index[t]];                                                                      \
        out[index[t]] = __VA_ARGS__;                                                                           \
    }

NARROW(char1, make_char1(v))
NARROW(short1, make_short1(v))
NARROW(uchar2, make_uchar2(v, v * 3))
NARROW(ushort2, make_ushort2(v, v * 3))
NARROW(char4, make_char4(v, v * 3, v * 5, v * 7))
NARROW(ushort4, make_ushort4(v, v * 3, v * 5, v * 7))
