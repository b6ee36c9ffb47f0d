// Kernels around expressions and statements of the program.
//$ full_loop
    size_t i;
$loop_prep$;
    for (i = cta_start + tid; i < n; i += total_threads) {
$operation$;
    }
//$ range_loop
    $index$ i;
$loop_prep$;
    if (step < 0) {
        for (i = start + ($index$)(cta_start + tid) * step; i > stop; i += ($index$)total_threads * step) {
$operation$;
        }
    } else {
        for (i = start + ($index$)(cta_start + tid) * step; i < stop; i += ($index$)total_threads * step) {
$operation$;
        }
    }
//$ vector_pack
template <class T>
struct alignas($width$ * sizeof(T)) pycuda_pack {
    T v[$width$];
};

//$ vector_loop
//$     Packs of elements, if all vectors are aligned to them; the rest one by one.
    const size_t pycuda_packs = true$aligned$ ? n / $width$ : 0;
    size_t i;
    for (size_t pycuda_k = cta_start + tid; pycuda_k < pycuda_packs; pycuda_k += total_threads) {
$loads$#pragma unroll
        for (int pycuda_j = 0; pycuda_j < $width$; ++pycuda_j) {
            i = pycuda_k * $width$ + pycuda_j;
$of_packs$;
        }
$stores$    }
    for (i = pycuda_packs * $width$ + cta_start + tid; i < n; i += total_threads) {
$operation$;
    }
//$ vector_is_aligned
 && (size_t)$name$ % sizeof(pycuda_pack<$type$>) == 0
//+
//$ load_vector
        pycuda_pack<$type$> $name$_pycuda = reinterpret_cast<const pycuda_pack<$type$>*>($name$)[pycuda_k];
//$ declare_vector
        pycuda_pack<$type$> $name$_pycuda;
//$ store_vector
        reinterpret_cast<pycuda_pack<$type$>*>($name$)[pycuda_k] = $name$_pycuda;
//$ elementwise_kernel
$headers$
$preamble$
$packs$

extern "C" __global__ void $name$($parameters$)
{
    const unsigned tid = threadIdx.x;
    const size_t total_threads = (size_t)gridDim.x * blockDim.x;
    const size_t cta_start = (size_t)blockDim.x * blockIdx.x;
$loop$$after_loop$;
}
//$ reduction
$headers$#include <pycuda-arrays.hpp>

#define BLOCK_SIZE $block_size$
#define READ_AND_MAP(i) ($map$)
#define REDUCE(a, b) ($reduce$)
#ifndef MY_INFINITY
#define MY_INFINITY (__int_as_float(0x7f800000))
#endif

$preamble$

typedef $out_type$ out_type;

extern "C" __global__ void $name$(out_type *pycuda_out, $parameters$unsigned int pycuda_seq_count, size_t n)
{
    const unsigned pycuda_tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK_SIZE * pycuda_seq_count + pycuda_tid;
    out_type pycuda_acc = $neutral$;
    unsigned pycuda_s = 0;
    // Four elements at a time, so that their loads overlap. The program's expression calls the index i.
    for (; pycuda_s + 4 <= pycuda_seq_count && i + 3 * (size_t)BLOCK_SIZE < n; pycuda_s += 4, i += BLOCK_SIZE) {
        const out_type pycuda_first = READ_AND_MAP(i);
        i += BLOCK_SIZE;
        const out_type pycuda_second = READ_AND_MAP(i);
        i += BLOCK_SIZE;
        const out_type pycuda_third = READ_AND_MAP(i);
        i += BLOCK_SIZE;
        const out_type pycuda_fourth = READ_AND_MAP(i);
        pycuda_acc = REDUCE(pycuda_acc, pycuda_first);
        pycuda_acc = REDUCE(pycuda_acc, pycuda_second);
        pycuda_acc = REDUCE(pycuda_acc, pycuda_third);
        pycuda_acc = REDUCE(pycuda_acc, pycuda_fourth);
    }
    for (; pycuda_s < pycuda_seq_count && i < n; ++pycuda_s, i += BLOCK_SIZE) {
        const out_type pycuda_last = READ_AND_MAP(i);
        pycuda_acc = REDUCE(pycuda_acc, pycuda_last);
    }

    __shared__ pycuda::arrays::Room<out_type> pycuda_sdata[BLOCK_SIZE];
    pycuda_sdata[pycuda_tid].put(pycuda_acc);
    for (unsigned pycuda_half = BLOCK_SIZE / 2; pycuda_half > 0; pycuda_half /= 2) {
        __syncthreads();
        if (pycuda_tid < pycuda_half) {
            const out_type pycuda_other = pycuda_sdata[pycuda_tid + pycuda_half].get();
            pycuda_acc = REDUCE(pycuda_acc, pycuda_other);
            pycuda_sdata[pycuda_tid].put(pycuda_acc);
        }
    }
    if (pycuda_tid == 0) pycuda_out[blockIdx.x] = pycuda_acc;
}
