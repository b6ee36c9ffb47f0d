// Loads and stores of every width by one warp, whose lanes access the elements that an index gives, in global and shared
// memory; only the threads of a mask. The stored value depends only on the element, so lanes that write the same one agree.
#define KERNEL(name, In, Out, ...)                                                                          \
    extern "C" __global__ void name(const In* in, Out* out, const unsigned* index, unsigned mask) {         \
        const unsigned t = threadIdx.x;                                                                     \
        const bool runs = mask >> t & 1;                                                                    \
        __VA_ARGS__                                                                                         \
    }

// The 64 elements of an array into the tile, and back.
#define FILL(all) tile[t] = all[t]; tile[t + 32] = all[t + 32]; __syncthreads();
#define EMPTY(all) __syncthreads(); all[t] = tile[t]; all[t + 32] = tile[t + 32];

#define ACCESS(T)                                                                                           \
    KERNEL(gather_##T, T, T, if (runs) out[t] = in[index[t]];)                                              \
    KERNEL(scatter_##T, T, T, if (runs) out[index[t]] = in[index[t]];)                                      \
    KERNEL(shared_gather_##T, T, T, __shared__ T tile[64]; FILL(in) if (runs) out[t] = tile[index[t]];)     \
    KERNEL(shared_scatter_##T, T, T,                                                                        \
           __shared__ T tile[64]; FILL(out) if (runs) tile[index[t]] = in[index[t]]; EMPTY(out))

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

#define WIDEN(T, ...) KERNEL(widen_##T, T, long long, if (runs) { const T v = in[index[t]]; out[t] = __VA_ARGS__; })
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

#define NARROW(T, ...) \
    KERNEL(narrow_##T, long long, T, if (runs) { const long long v = in[index[t]]; out[index[t]] = __VA_ARGS__; })

NARROW(char1, make_char1(v))
NARROW(short1, make_short1(v))
NARROW(uchar2, make_uchar2(v, v * 3))
NARROW(ushort2, make_ushort2(v, v * 3))
NARROW(char4, make_char4(v, v * 3, v * 5, v * 7))
NARROW(ushort4, make_ushort4(v, v * 3, v * 5, v * 7))
