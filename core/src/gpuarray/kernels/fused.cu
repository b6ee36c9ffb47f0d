// Pieces of fused kernels, from which fused_source() builds them. The arrays that a kernel writes are called o0, o1, ..., those that it reads
// e0, e1, ..., numbers n0, n1, .... Pieces with $k$ are repeated for each array.
//$ operation
namespace op$number$ {
$text$}

//$ member
    $type$ $name$;
//$ expression
//$     What is computed from the elements at one index.
$operations$struct Elements {
$elements$};
struct Numbers {
$numbers$};
struct Results {
$results$};

__device__ __forceinline__ Results compute(const Elements& elements, const Numbers& numbers)
{
$values$    Results results;
$stores$    return results;
}

//$ value
    const auto v$number$ = op$operation$::operation($arguments$0);
//$ same_value
    const auto v$number$ = $value$;
//$ result
    results.r$number$ = $value$;
//$ kernel
$expression$$preface$extern "C" __global__ void __launch_bounds__(128) $name$($parameters$$extent$)
{
    const Numbers numbers = $numbers$;
$body$}
//$ pack_type
template <class E>
struct alignas($width$ * sizeof(E)) Pack {
    E v[$width$];
};

//$ packs
//$     Each thread has one pack of adjacent elements, if all pointers are aligned to packs.
    const unsigned long long begin = blockIdx.x * ($width$ * 128ull);
    if (begin + $width$ * 128 <= n$aligned$) {
        const unsigned long long first = blockIdx.x * 128ull + threadIdx.x;
$loads$$packs$#pragma unroll
        for (int j = 0; j < $width$; ++j) {
            const Results results = compute($elements$, numbers);
$moves$        }
$stores$        return;
    }
#pragma unroll 1
    for (unsigned long long i = begin + threadIdx.x; i < begin + $width$ * 128 && i < n; i += 128) {
        const Results results = compute($element$, numbers);
$store$    }
//$ output_is_aligned

        && reinterpret_cast<unsigned long long>(o$k$) % sizeof(Pack<$type$>) == 0
//+
//$ input_is_aligned

        && reinterpret_cast<unsigned long long>(e$k$) % sizeof(Pack<$type$>) == 0
//+
//$ load_pack
        const Pack<$type$> e$k$p = reinterpret_cast<const Pack<$type$>*>(e$k$)[first];
//$ pack_of_results
        Pack<$type$> o$k$p;
//$ into_pack
            o$k$p.v[j] = results.r$k$;
//$ store_pack
        reinterpret_cast<Pack<$type$>*>(o$k$)[first] = o$k$p;
//$ store
        o$k$[i] = results.r$k$;
//$ to_row
//$     Rows of adjacent elements. If a thread's elements all exist, every load is issued before the first store.
$row$$moves$    if (first + ($at_once$ - 1) * 128 < n) {
        Elements elements[$at_once$];
#pragma unroll
        for (int k = 0; k < $at_once$; ++k) elements[k] = Elements$loaded$;
#pragma unroll
        for (int k = 0; k < $at_once$; ++k) {
            const Results results = compute(elements[k], numbers);
$moved$        }
        return;
    }
#pragma unroll 1
    for (unsigned long long i = first; i < n && i < first + $at_once$ * 128; i += 128) {
        const Results results = compute($element$, numbers);
$store$    }
//$ output_to_row
    o$k$ = reinterpret_cast<$type$*>(reinterpret_cast<char*>(o$k$) + offset[$pointer$]);
//$ input_to_row
    e$k$ = reinterpret_cast<const $type$*>(reinterpret_cast<const char*>(e$k$) + offset[$pointer$]);
//$ store_of_several
            o$k$[first + k * 128] = results.r$k$;
//$ strided
$positions$#pragma unroll
    for (int k = 0; k < $at_once$; ++k)
        if (first + k * 128 < space.n) {
            const Results results = compute(elements[k], numbers);
$stores$        }
//$ elements_of_thread
    Elements elements[$at_once$];
//$ load_strided
        elements[k].e$k$ = *reinterpret_cast<const $type$*>(reinterpret_cast<const char*>(e$k$) + at[k][$pointer$]);
//$ store_strided
            *reinterpret_cast<$type$*>(reinterpret_cast<char*>(o$k$) + at[k][$pointer$]) = results.r$k$;
//$ pointer_member
    const $type$* $name$;
//$ computed
//$     The operands of a reduction, element by element.
struct Computed {
$pointers$    Numbers numbers;
    __device__ __forceinline__ Results at(unsigned long long i) const { return compute($elements$, numbers); }
};

//$ gathered
    const Computed computed = {$arrays$$numbers$};
//$ load_computed
    const Pack<$type$> $name$p = *reinterpret_cast<const Pack<$type$>*>(computed.$name$ + i);
//$ computed_pack

/// Adjacent elements of operand $k$, from element i on.
__device__ __forceinline__ Pack<$type$> pack$k$(const Computed& computed, unsigned long long i)
{
$loads$    Pack<$type$> pack;
#pragma unroll
    for (int j = 0; j < $pack$; ++j) pack.v[j] = compute($elements$, computed.numbers).r$k$;
    return pack;
}
