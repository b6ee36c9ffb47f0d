// The functions of cuBLAS, cuSOLVER and cuFFT that the core calls, each of which calls one function of the test with
// its name and its arguments as 64-bit numbers. The upper half of 32-bit arguments is undefined.

#include <array>
#include <cstdint>

namespace {

using Handler = int (*)(const char* name, const std::uint64_t* arguments);
Handler handler = nullptr;

template <class... Numbers>
int call(const char* name, Numbers... numbers) {
    const std::array<std::uint64_t, sizeof...(numbers) + 1> arguments{numbers..., 0};
    return handler ? handler(name, arguments.data()) : 0;
}

using N = std::uint64_t;

}  // namespace

extern "C" {

void fake_vendor_set_handler(Handler given) {
    handler = given;
}

#define TAKES_1(name)          \
    int name(N a) {            \
        return call(#name, a); \
    }
#define TAKES_2(name)             \
    int name(N a, N b) {          \
        return call(#name, a, b); \
    }
#define TAKES_3(name)                \
    int name(N a, N b, N c) {        \
        return call(#name, a, b, c); \
    }
#define TAKES_4(name)                   \
    int name(N a, N b, N c, N d) {      \
        return call(#name, a, b, c, d); \
    }
#define TAKES_6(name)                         \
    int name(N a, N b, N c, N d, N e, N f) {  \
        return call(#name, a, b, c, d, e, f); \
    }
#define TAKES_8(name)                                  \
    int name(N a, N b, N c, N d, N e, N f, N g, N h) { \
        return call(#name, a, b, c, d, e, f, g, h);    \
    }
#define TAKES_9(name)                                       \
    int name(N a, N b, N c, N d, N e, N f, N g, N h, N i) { \
        return call(#name, a, b, c, d, e, f, g, h, i);      \
    }
#define TAKES_10(name)                                           \
    int name(N a, N b, N c, N d, N e, N f, N g, N h, N i, N j) { \
        return call(#name, a, b, c, d, e, f, g, h, i, j);        \
    }
#define TAKES_12(name)                                                     \
    int name(N a, N b, N c, N d, N e, N f, N g, N h, N i, N j, N k, N l) { \
        return call(#name, a, b, c, d, e, f, g, h, i, j, k, l);            \
    }
#define TAKES_16(name)                                                                         \
    int name(N a, N b, N c, N d, N e, N f, N g, N h, N i, N j, N k, N l, N m, N n, N o, N p) { \
        return call(#name, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);                    \
    }

// For float, double and both complex types; two functions have different names for complex types.
#define OF_TYPES(takes, real, complex) takes(cusolverDnS##real) takes(cusolverDnD##real) OF_COMPLEX(takes, complex)
#define OF_COMPLEX(takes, name) takes(cusolverDnC##name) takes(cusolverDnZ##name)

TAKES_1(cusolverDnCreate)
TAKES_1(cusolverDnDestroy)
TAKES_2(cusolverDnSetStream)
OF_TYPES(TAKES_6, getrf_bufferSize, getrf_bufferSize)
OF_TYPES(TAKES_8, getrf, getrf)
OF_TYPES(TAKES_10, getrs, getrs)
OF_TYPES(TAKES_6, potrf_bufferSize, potrf_bufferSize)
OF_TYPES(TAKES_8, potrf, potrf)
OF_TYPES(TAKES_6, geqrf_bufferSize, geqrf_bufferSize)
OF_TYPES(TAKES_9, geqrf, geqrf)
OF_TYPES(TAKES_8, orgqr_bufferSize, ungqr_bufferSize)
OF_TYPES(TAKES_10, orgqr, ungqr)
OF_TYPES(TAKES_4, gesvd_bufferSize, gesvd_bufferSize)
OF_TYPES(TAKES_16, gesvd, gesvd)
OF_TYPES(TAKES_8, syevd_bufferSize, heevd_bufferSize)
OF_TYPES(TAKES_10, syevd, heevd)

TAKES_1(cublasCreate_v2)
TAKES_1(cublasDestroy_v2)
TAKES_2(cublasSetStream_v2)
int cublasGemmStridedBatchedEx(N a, N b, N c, N d, N e, N f, N g, N h, N i, N j, N k, N l, N m, N n, N o, N p, N q, N r,
                               N s, N t, N u, N v, N w) {
    return call("cublasGemmStridedBatchedEx", a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w);
}

TAKES_1(cufftCreate)
TAKES_1(cufftDestroy)
TAKES_2(cufftSetAutoAllocation)
TAKES_12(cufftMakePlanMany64)
TAKES_2(cufftSetStream)
TAKES_2(cufftSetWorkArea)
TAKES_4(cufftExecC2C)
TAKES_4(cufftExecZ2Z)
TAKES_3(cufftExecR2C)
TAKES_3(cufftExecD2Z)
TAKES_3(cufftExecC2R)
TAKES_3(cufftExecZ2D)

}  // extern "C"
