// cuRAND's device generators: raw bits, uniform and normal numbers, and skipping ahead.
#include <curand_kernel.h>

struct Outputs {
    unsigned* bits;
    float* uniform;
    float* normal;
    double* uniform_double;
    double* normal_double;
    unsigned* poisson;
};

// What every thread draws: 8 of each kind in turn.
template <class State>
__device__ void draw(State& state, const Outputs& out, unsigned i, unsigned count) {
    for (unsigned k = 0; k < 8; ++k) out.bits[k * count + i] = curand(&state);
    for (unsigned k = 0; k < 8; ++k) out.uniform[k * count + i] = curand_uniform(&state);
    for (unsigned k = 0; k < 8; ++k) out.normal[k * count + i] = curand_normal(&state);
    for (unsigned k = 0; k < 8; ++k) out.uniform_double[k * count + i] = curand_uniform_double(&state);
    for (unsigned k = 0; k < 8; ++k) out.normal_double[k * count + i] = curand_normal_double(&state);
    for (unsigned k = 0; k < 8; ++k) out.poisson[k * count + i] = curand_poisson(&state, k < 4 ? 3.5 : 200);
}

template <class State>
__device__ void seed_and_draw(const Outputs& out, unsigned long long seed, unsigned long long offset, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    State state;
    curand_init(seed, i, offset, &state);
    draw(state, out, i, count);
}

#define GENERATOR(name, State)                                                                              \
    extern "C" __global__ void name(Outputs out, unsigned long long seed, unsigned long long offset,        \
                                    unsigned count) {                                                       \
        seed_and_draw<State>(out, seed, offset, count);                                                     \
    }
GENERATOR(xorwow, curandStateXORWOW_t)
GENERATOR(mrg32k3a, curandStateMRG32k3a_t)
GENERATOR(philox, curandStatePhilox4_32_10_t)

// What seeding leaves: the words that the recurrences start from.
extern "C" __global__ void seeded(unsigned* xorwow, unsigned* mrg32k3a, unsigned long long seed, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    curandStateXORWOW_t x;
    curandStateMRG32k3a_t m;
    curand_init(seed, i, 0, &x);
    curand_init(seed, i, 0, &m);
    for (int k = 0; k < 5; ++k) xorwow[6 * i + k] = x.v[k];
    xorwow[6 * i + 5] = x.d;
    for (int k = 0; k < 3; ++k) mrg32k3a[6 * i + k] = m.s1[k], mrg32k3a[6 * i + 3 + k] = m.s2[k];
}

// The numbers after the first `length` of one sequence, in one run and by skipping; 1 where they differ.
template <class State>
__device__ void compare_skips(int* different, unsigned length) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    State walking, skipping;
    curand_init(99, i, 0, &walking);
    curand_init(99, i, 0, &skipping);
    for (unsigned k = 0; k < length; ++k) curand(&walking);
    skipahead(static_cast<unsigned long long>(length), &skipping);
    int wrong = 0;
    for (unsigned k = 0; k < 5; ++k) wrong |= curand(&walking) != curand(&skipping);
    different[i] = wrong;
}
extern "C" __global__ void skip_xorwow(int* different, unsigned length) {
    compare_skips<curandStateXORWOW_t>(different, length);
}
extern "C" __global__ void skip_mrg32k3a(int* different, unsigned length) {
    compare_skips<curandStateMRG32k3a_t>(different, length);
}
extern "C" __global__ void skip_philox(int* different, unsigned length) {
    compare_skips<curandStatePhilox4_32_10_t>(different, length);
}

// Four numbers at a time, which only Philox has.
extern "C" __global__ void philox_fours(uint4* bits, float4* normal, unsigned long long seed, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    curandStatePhilox4_32_10_t state;
    curand_init(seed, i, 0, &state);
    bits[i] = curand4(&state);
    normal[i] = curand_normal4(&state);
}

// Quasi-random points: a thread takes `steps` numbers of one dimension, from `thread * steps` on.
template <class State, class Bits, class Vectors, class... Scramble>
__device__ void sobol(Vectors* vectors, Bits* bits, float* uniform, float* normal, unsigned steps,
                      Scramble... scramble) {
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, dimension = blockIdx.y;
    const unsigned first = (dimension * gridDim.x * blockDim.x + t) * steps;
    State state;
    curand_init(vectors[dimension], scramble..., t * steps, &state);
    for (unsigned k = 0; k < steps; ++k) {
        State copy = state;
        uniform[first + k] = curand_uniform(&copy);
        copy = state;
        normal[first + k] = curand_normal(&copy);
        bits[first + k] = curand(&state);
    }
}
extern "C" __global__ void sobol32(curandDirectionVectors32_t* v, unsigned* bits, float* uniform, float* normal,
                                   unsigned steps) {
    sobol<curandStateSobol32_t>(v, bits, uniform, normal, steps);
}
extern "C" __global__ void scrambled_sobol32(curandDirectionVectors32_t* v, unsigned* bits, float* uniform,
                                             float* normal, unsigned steps) {
    sobol<curandStateScrambledSobol32_t>(v, bits, uniform, normal, steps, 0x9e3779b9u);
}
extern "C" __global__ void sobol64(curandDirectionVectors64_t* v, unsigned long long* bits, float* uniform,
                                   float* normal, unsigned steps) {
    sobol<curandStateSobol64_t>(v, bits, uniform, normal, steps);
}
extern "C" __global__ void scrambled_sobol64(curandDirectionVectors64_t* v, unsigned long long* bits, float* uniform,
                                             float* normal, unsigned steps) {
    sobol<curandStateScrambledSobol64_t>(v, bits, uniform, normal, steps, 0x9e3779b97f4a7c15ull);
}
