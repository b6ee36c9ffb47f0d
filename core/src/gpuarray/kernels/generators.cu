// cuRAND's generators.
//$ head
#include <curand_kernel.h>

typedef $state$ State;

extern "C" __device__ State pycuda_state;
__device__ State pycuda_state;
//$ filler

extern "C" __global__ void $name$(State *s, $element$ *d, size_t n$parameters$)
{
    const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    State state = s[id];
    for (size_t i = id; i < n; i += gridDim.x * blockDim.x) d[i] = $value$;
    s[id] = state;
}
//$ prepare_pseudo

extern "C" __global__ void prepare(State *s, const int *seeds, unsigned long long offset)
{
    const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(seeds[id], id, offset, &s[id]);
}
//$ prepare_quasi

extern "C" __global__ void prepare(State *s, curandDirectionVectors$bits$_t *vectors, const $word$ *constants,
    unsigned long long offset)
{
    const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(vectors[id], $constant$static_cast<$word$>(offset), &s[id]);
}
//$ subsequences

// Beyond 2^56 subsequences, cuRAND reads past the end of its table. So skip whole sequences, 2^51 subsequences each.
static __device__ void skip_subsequences(unsigned long long count, State *state)
{
    skipahead_subsequence(count & ((1ull << 51) - 1), state);
    if (count >> 51) skipahead_sequence(count >> 51, state);
}
//$ skipper

extern "C" __global__ void $name$(State *s, $word$ count)
{
    const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    State state = s[id];
    $function$(count, &state);
    s[id] = state;
}

extern "C" __global__ void $name$_array(State *s, const $word$ *counts)
{
    const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    State state = s[id];
    $function$(counts[id], &state);
    s[id] = state;
}
