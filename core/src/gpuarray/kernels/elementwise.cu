// Pieces of elementwise operations, from which elementwise_source() builds kernels. The operands in memory are called a, b, c, d, with the
// types A, B, C, D; their values are x, y, z, w. Pieces with $x$ and $X$ are repeated for each operand.
//$ operation
typedef $compute$ T;  // the type to compute in
typedef $out$ R;  // the type of results
$storage$$types$
__device__ __forceinline__ R operation($parameters$unsigned long long i)
{
$values$    return $result$;
}

//$ storage_type
typedef $storage$ S;
//$ operand_type
typedef $type$ $X$;
//$ operand_value
    const $type$ $name$ = $value$;
//$ kernel
$preface$extern "C" __global__ void __launch_bounds__(128) $name$(R* out$operands$, $extent$)
{
$body$}
//$ one
//$     One element per thread, for operations that take longer than their memory accesses: more threads run, and the source is shorter.
    const unsigned long long i = blockIdx.x * 128ull + threadIdx.x;
    if (i < n) out[i] = $element$;
//$ dense
    const unsigned long long first = blockIdx.x * 512ull + threadIdx.x;
//$ all_loads_first
//$     Four elements per thread. If all four exist, every load is issued before the first store.
    if ($all_there$) {
$declared$$loop$#pragma unroll
        for (int k = 0; k < 4; ++k)
            out[first + k * 128] = $loaded$;
    } else {
#pragma unroll 1
        for (unsigned long long i = first; i < n; i += 128)
            out[i] = $element$;
    }
//$ four_of_operand
        $X$ $x$s[4];
//$ load_loop
#pragma unroll
        for (int k = 0; k < 4; ++k) {
$loads$        }
//$ load
            $x$s[k] = $x$[first + k * 128];
//$ in_turn
//$     The same for long operations: the loop contains the operation once, and elements move up in turn.
    unsigned long long i = first;
$declared$$loads$#pragma unroll 1
    for (int k = 0; k < 4 && i < n; ++k, i += 128) {
        out[i] = $next$;
$moves$    }
//$ four_names
    $X$ $x$0, $x$1, $x$2, $x$3;
//$ load_if_there
    if (first + # * 128 < n) {
$loads$    }
//$ load_by_name
        $x$# = $x$[first + # * 128];
//$ move_up
        $x$0 = $x$1;
        $x$1 = $x$2;
        $x$2 = $x$3;
//$ pack_type
template <class E>
struct alignas($width$ * sizeof(E)) Pack {
    E v[$width$];
};

//$ packs
//$     The same if there are elements of less than 4 bytes: each thread has some packs, if all pointers are aligned to packs.
    constexpr int packs = $packs$;
    const bool aligned = reinterpret_cast<unsigned long long>(out) % sizeof(Pack<R>) == 0$aligned$;
    const unsigned long long begin = blockIdx.x * $block$ull;
    if (aligned && begin + $block$ <= n) {
        const unsigned long long first = begin / $width$ + threadIdx.x;
$declared$#pragma unroll
        for (int k = 0; k < packs; ++k) {
$loads$        }
#pragma unroll
        for (int k = 0; k < packs; ++k) {
            Pack<R> result;
#pragma unroll
            for (int j = 0; j < $width$; ++j) result.v[j] = $loaded$;
            reinterpret_cast<Pack<R>*>(out)[first + k * 128] = result;
        }
        return;
    }
#pragma unroll 1
    for (unsigned long long first = begin + threadIdx.x; first < begin + $block$ && first < n; first += 512) {
$four$    }
//$ operand_is_aligned

                         && reinterpret_cast<unsigned long long>($x$) % sizeof(Pack<$X$>) == 0
//+
//$ packs_of_operand
        Pack<$X$> $x$s[packs];
//$ load_pack
            $x$s[k] = reinterpret_cast<const Pack<$X$>*>($x$)[first + k * 128];
//$ row_space
struct Space {
    unsigned long long n;  // elements per row
    pycuda::arrays::WideDivisor blocks;  // per row
    pycuda::arrays::WideDivisor axis[$rank$];
    long long stride[$pointers$][$rank$];
};

//$ row_of_block
    unsigned long long row = space.blocks.divide(blockIdx.x);
    const unsigned long long first = (blockIdx.x - row * space.blocks.size) * $block$ + threadIdx.x, n = space.n;
    long long offset[$pointers$] = {};
#pragma unroll
    for (int axis = $last$; axis >= 0; --axis) {
        const unsigned long long next = space.axis[axis].divide(row);
        const long long at = row - next * space.axis[axis].size;
        row = next;
#pragma unroll
        for (int k = 0; k < $pointers$; ++k) offset[k] += at * space.stride[k][axis];
    }
//$ to_row
$row$    out = reinterpret_cast<R*>(reinterpret_cast<char*>(out) + offset[0]);
$moves$
//+
//$ operand_to_row
    $x$ = reinterpret_cast<const $X$*>(reinterpret_cast<const char*>($x$) + offset[$pointer$]);
//$ strided_space
typedef $index$ Index;
typedef $offset$ Offset;

struct Space {
    Index n;
    pycuda::arrays::$divisor$ axis[$rank$];
    Offset stride[$pointers$][$rank$];
};

//$ strided_positions
    const Index first = blockIdx.x * Index($block$) + threadIdx.x;
    Offset at[$at_once$][$pointers$] = {};
$declared$#pragma unroll
    for (int k = 0; k < $at_once$; ++k) {
        Index i = first + k * 128;
        if (i >= space.n) i = space.n - 1;
#pragma unroll
        for (int axis = $last$; axis > 0; --axis) {
            const Index next = space.axis[axis].divide(i);
            const Offset here = i - next * space.axis[axis].size;
            i = next;
#pragma unroll
            for (int o = 0; o < $pointers$; ++o) at[k][o] += here * space.stride[o][axis];
        }
#pragma unroll
        for (int o = 0; o < $pointers$; ++o) at[k][o] += static_cast<Offset>(i) * space.stride[o][0];
$loads$    }
//$ strided
$positions$#pragma unroll
    for (int k = 0; k < 4; ++k)
        if (first + k * 128 < space.n) *reinterpret_cast<R*>(reinterpret_cast<char*>(out) + at[k][0]) = $loaded$;
//$ four_strided
    $X$ $x$s[4];
//$ load_strided
        $x$s[k] = *reinterpret_cast<const $X$*>(reinterpret_cast<const char*>($x$) + at[k][$pointer$]);
//$ update_at
//$     One thread for each distinct index.
extern "C" __global__ void __launch_bounds__(128) $name$(A* array, const long long* indices, const long long* order, const B* values,
    unsigned long long n)
{
    const unsigned long long first = blockIdx.x * 128ull + threadIdx.x;
    if (first >= n || (first > 0 && indices[first] == indices[first - 1])) return;
    A element = array[indices[first]];
    for (unsigned long long k = first; k < n && indices[k] == indices[first]; ++k)
        element = operation(element, values[order[k]], k);
    array[indices[first]] = element;
}
