#pragma once

// Kernels of random number generators over cuRAND's device functions, for a program that defines, before it includes
// this:
//
//   PYCUDA_RANDOM_STATE     the state's type, such as curandStateXORWOW
//   PYCUDA_RANDOM_BITS      32 or 64: bits of a raw number
//   PYCUDA_RANDOM_PAIRS     1 where the generator makes normal numbers in pairs, else 0
//   PYCUDA_RANDOM_SEEDS     what states are made from: 1 seeds, 2 direction vectors, 3 direction vectors and scramble
//   constants PYCUDA_RANDOM_SEQUENCES 0; 1 with skipahead_sequence; 2 with skipahead_subsequence too
//
// Each thread has one state. It takes every entry whose index is its own number more than a multiple of the number of
// threads.

#include <curand_kernel.h>

#define PYCUDA_RANDOM_THREAD (blockIdx.x * (size_t)blockDim.x + threadIdx.x)
#define PYCUDA_RANDOM_THREADS (gridDim.x * (size_t)blockDim.x)

// A kernel that writes `expression`, in terms of the state `s`, to entries of `type`.
#define PYCUDA_RANDOM_FILL(name, type, parameters, expression)                                              \
    extern "C" __global__ void name(PYCUDA_RANDOM_STATE* states, type* d, size_t n parameters) {            \
        PYCUDA_RANDOM_STATE state = states[PYCUDA_RANDOM_THREAD];                                           \
        PYCUDA_RANDOM_STATE* const s = &state;                                                              \
        for (size_t i = PYCUDA_RANDOM_THREAD; i < n; i += PYCUDA_RANDOM_THREADS) d[i] = (type)(expression); \
        states[PYCUDA_RANDOM_THREAD] = state;                                                               \
    }

// The same for two entries at a time; `n` is a count of pairs.
#define PYCUDA_RANDOM_FILL_PAIRS(name, type, pair, parameters, expression)                       \
    extern "C" __global__ void name(PYCUDA_RANDOM_STATE* states, type* d, size_t n parameters) { \
        PYCUDA_RANDOM_STATE state = states[PYCUDA_RANDOM_THREAD];                                \
        PYCUDA_RANDOM_STATE* const s = &state;                                                   \
        for (size_t i = PYCUDA_RANDOM_THREAD; i < n; i += PYCUDA_RANDOM_THREADS) {               \
            const pair two = expression;                                                         \
            d[2 * i] = two.x;                                                                    \
            d[2 * i + 1] = two.y;                                                                \
        }                                                                                        \
        states[PYCUDA_RANDOM_THREAD] = state;                                                    \
    }

// Entries are read as the lambda of their Poisson number.
#define PYCUDA_RANDOM_POISSON_INPLACE(name, type) PYCUDA_RANDOM_FILL(name, type, , curand_poisson(s, (double)d[i]))

// Each generator advances by what `amount` gives.
#define PYCUDA_RANDOM_SKIP(name, type, parameter, amount, function)                            \
    extern "C" __global__ void name(PYCUDA_RANDOM_STATE* states, unsigned n, type parameter) { \
        const size_t k = PYCUDA_RANDOM_THREAD;                                                 \
        if (k < n) function((amount), &states[k]);                                             \
    }

#define PYCUDA_RANDOM_COMMA_LAMBDA , double lambda
#define PYCUDA_RANDOM_COMMA_FLOATS , float mean, float stddev
#define PYCUDA_RANDOM_COMMA_DOUBLES , double mean, double stddev

#if PYCUDA_RANDOM_BITS == 32
PYCUDA_RANDOM_FILL(uniform_int, unsigned, , curand(s))
#else
PYCUDA_RANDOM_FILL(uniform_int, unsigned, , curand(s) >> 32)
PYCUDA_RANDOM_FILL(uniform_long, unsigned long long, , curand(s))
#endif
PYCUDA_RANDOM_FILL(uniform_float, float, , curand_uniform(s))
PYCUDA_RANDOM_FILL(uniform_double, double, , curand_uniform_double(s))
PYCUDA_RANDOM_FILL(normal_float, float, , curand_normal(s))
PYCUDA_RANDOM_FILL(normal_double, double, , curand_normal_double(s))
PYCUDA_RANDOM_FILL(normal_log_float, float, PYCUDA_RANDOM_COMMA_FLOATS, curand_log_normal(s, mean, stddev))
PYCUDA_RANDOM_FILL(normal_log_double, double, PYCUDA_RANDOM_COMMA_DOUBLES, curand_log_normal_double(s, mean, stddev))
#if PYCUDA_RANDOM_PAIRS
PYCUDA_RANDOM_FILL_PAIRS(normal_float2, float, float2, , curand_normal2(s))
PYCUDA_RANDOM_FILL_PAIRS(normal_double2, double, double2, , curand_normal2_double(s))
PYCUDA_RANDOM_FILL_PAIRS(normal_log_float2, float, float2, PYCUDA_RANDOM_COMMA_FLOATS,
                         curand_log_normal2(s, mean, stddev))
PYCUDA_RANDOM_FILL_PAIRS(normal_log_double2, double, double2, PYCUDA_RANDOM_COMMA_DOUBLES,
                         curand_log_normal2_double(s, mean, stddev))
#endif
PYCUDA_RANDOM_FILL(poisson_int, unsigned, PYCUDA_RANDOM_COMMA_LAMBDA, curand_poisson(s, lambda))
PYCUDA_RANDOM_POISSON_INPLACE(poisson_inplace_float, float)
PYCUDA_RANDOM_POISSON_INPLACE(poisson_inplace_double, double)
PYCUDA_RANDOM_POISSON_INPLACE(poisson_inplace_int, unsigned)

#if PYCUDA_RANDOM_BITS == 32 && PYCUDA_RANDOM_SEEDS != 1
typedef unsigned pycuda_random_skip;
#else
typedef unsigned long long pycuda_random_skip;
#endif
PYCUDA_RANDOM_SKIP(skip_ahead, pycuda_random_skip, skip, skip, skipahead)
PYCUDA_RANDOM_SKIP(skip_ahead_array, const pycuda_random_skip*, skip, skip[k], skipahead)
#if PYCUDA_RANDOM_SEQUENCES >= 1
PYCUDA_RANDOM_SKIP(skip_ahead_sequence, pycuda_random_skip, skip, skip, skipahead_sequence)
PYCUDA_RANDOM_SKIP(skip_ahead_sequence_array, const pycuda_random_skip*, skip, skip[k], skipahead_sequence)
#endif
#if PYCUDA_RANDOM_SEQUENCES >= 2
PYCUDA_RANDOM_SKIP(skip_ahead_subsequence, pycuda_random_skip, skip, skip, skipahead_subsequence)
PYCUDA_RANDOM_SKIP(skip_ahead_subsequence_array, const pycuda_random_skip*, skip, skip[k], skipahead_subsequence)
#endif

extern "C" __global__ void random_state_size(unsigned long long* bytes) {
    *bytes = sizeof(PYCUDA_RANDOM_STATE);
}

// Makes the state of each generator. Pseudo-random generators with equal seeds take different subsequences.
#if PYCUDA_RANDOM_SEEDS == 1
extern "C" __global__ void prepare(PYCUDA_RANDOM_STATE* states, unsigned n, const int* seeds,
                                   unsigned long long offset) {
    const size_t k = PYCUDA_RANDOM_THREAD;
    if (k < n) curand_init((unsigned long long)seeds[k], k, offset, &states[k]);
}
#elif PYCUDA_RANDOM_SEEDS == 2
extern "C" __global__ void prepare(PYCUDA_RANDOM_STATE* states, unsigned n, PYCUDA_RANDOM_VECTORS* vectors,
                                   pycuda_random_skip offset) {
    const size_t k = PYCUDA_RANDOM_THREAD;
    if (k < n) curand_init(vectors[k], offset, &states[k]);
}
#else
extern "C" __global__ void prepare(PYCUDA_RANDOM_STATE* states, unsigned n, PYCUDA_RANDOM_VECTORS* vectors,
                                   const pycuda_random_skip* constants, pycuda_random_skip offset) {
    const size_t k = PYCUDA_RANDOM_THREAD;
    if (k < n) curand_init(vectors[k], constants[k], offset, &states[k]);
}
#endif
