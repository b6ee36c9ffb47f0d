// Pieces of reductions, from which reduction_source() builds kernels.
//$ index_type
//$     A value and its index; the index of the neutral element is greater than all others. Without branches, which take longest to compile.
struct A {
    V value;
    unsigned long long index;
    A() = default;
    __device__ A(V value, unsigned long long index) : value(value), index(index) {}
    /// True if `other` wins over this: it is `better`, the first NaN, or the first of equal values.
    __device__ bool is_before(const A& other, bool better) const {
        const bool nan = value != value, other_nan = other.value != other.value;
        const bool equal = (value == other.value) | (nan & other_nan);
        return (better & !nan) | (other_nan & !nan) | (equal & (other.index < index));
    }
};
//$ moments_type
//$     The number of values, their mean, and the sum of the squared distances from it, which is NaN if a value is not
//$     finite. The mean has a second part with the digits that do not fit into the first: they matter if values are
//$     far from 0 and close together.
struct A {
    V count, mean, rest, squares;
};

/// Nearly a / b: in float32, the last digits of a share do not change the moments' last digits.
__device__ __forceinline__ float quotient(float a, float b) { return __fdividef(a, b); }
__device__ __forceinline__ double quotient(double a, double b) { return a / b; }

/// The moments of all values. If there are none on one side, the distance counts as 0, because its square might overflow.
__device__ __forceinline__ A merged(const A& a, const A& b)
{
    const V count = a.count + b.count, share = count == 0 ? V(0) : quotient(b.count, count);
    const V distance = a.count == 0 || b.count == 0 ? V(0) : (b.mean - a.mean) + (b.rest - a.rest);
    const A& first = a.count == 0 ? b : a;
    const V step = distance * share, mean = first.mean + step, added = mean - first.mean;
    const V rest = first.rest + ((first.mean - (mean - added)) + (step - added));
    return {count, mean, rest, a.squares + b.squares + distance * distance * (a.count * share)};
}
//$ moments_of_pack
//$     The moments of adjacent values, in fewer instructions than by joining them one by one: `rest` is what rounding took from their mean,
//$     whose size is a power of two.

__device__ __forceinline__ A moments(const V (&x)[$pack$])
{
    const V share = V(1.0 / $pack$);
    V mean = 0, rest = 0, squares = 0;
#pragma unroll
    for (int j = 0; j < $pack$; ++j) mean += x[j] * share;
#pragma unroll
    for (int j = 0; j < $pack$; ++j) {
        const V distance = x[j] - mean;
        rest += distance * share;
        squares += distance * distance;
    }
    return {$pack$, mean, rest, squares - rest * rest * $pack$};
}
//$ kernel
$includes$$computed$typedef $value$ V;
$accumulator$$types$typedef $out$ R;
typedef $index$ Index;
typedef $offset$ Offset;

__device__ __forceinline__ A combine(const A& a, const A& b)
{
    return $combine$;
}

__device__ __forceinline__ A map($operands$long long i)
{
$map$}
$pack_type$$sum_type$
struct Space {
    unsigned long long results;
    unsigned long long elements;  // of each result
    Index length;                 // the same; in the second stage, the accumulators of each result
    unsigned parts;               // blocks that share a result
    unsigned width;               // for columns: how many of them, or of packs of them, a block has
    pycuda::arrays::WideDivisor result_axis[$result_size$];
    long long result_stride[$arrays$][$result_size$];  // of the result array, then of the operands
    pycuda::arrays::$divisor$ axis[$rank$];
    Offset stride[$inputs$][$rank$];
};

/// The $unit$ at index r of those that make up one result; the pointers are at the first.
__device__ __forceinline__ S element($pointers$const Space& space, Index r)
{
$element$}

extern "C" __global__ void __launch_bounds__($bounds$) $name$(char* out, $parameters$const Space space)
{
$gathered$    const unsigned lanes = $lanes$, lane = $lane$;
    const unsigned parts = $parts$, group = blockIdx.x / parts, part = blockIdx.x - group * parts;
$result_index$    S sum = $nothing$;
    $if_exists${
$to_result$        const Index length = space.length / $units$, step = lanes * parts;
$before_loop$#pragma unroll 1
        for (Index r = part * lanes + lane; r < length; r += $ahead$ * step) {
            S next0 = element($arguments$space, r);  // every load is issued before the first value is used
$more$$in_loop$        }
$after_loop$$rest$    }
$join$    if (lane == 0$and_exists$) {
$store$    }
}
//$ one_more
//$     One more element of a step. It is loaded even if there is none: if a 64-bit product is skipped, code of ptxas 13.0 reads the zero
//$     its place too early.
            const Index at# = r + # * step;
            S next# = element($arguments$space, at# < length ? at# : r);
            if (at# >= length) next# = $nothing$;
//$ result_in_group
//$     The number of the thread's result, if a block has several.
    const unsigned across = $across$;
    const unsigned long long result = (group * $results$ + across) * $pack$;
//$ to_result
//$     Advance the pointers to the result and its operands.
        unsigned long long rest = result;
$axes$
//+
//$ along_result_axis
        {
            $at_coordinate$
            out += at * space.result_stride[0][#];
$moves$        }
//$ coordinate_along_result
const unsigned long long next = space.result_axis[#].divide(rest);
            const long long at = rest - next * space.result_axis[#].size;
            rest = next;
//+
//$ element_offsets
//$     The byte offset of element r in each operand.
    Index rest = r;
$offsets$$axes$$last$
//+
//$ along_reduced_axis
    {
        const Index next = space.axis[#].divide(rest);
        const Offset here = rest - next * space.axis[#].size;
        rest = next;
$moves$    }
//$ pack_type
//$     Elements that are adjacent in memory, for a single load if they are aligned.

template <class E>
struct alignas($alignment$) Pack {
    E v[$pack$];
};
//$ packed_sum
//$     The accumulators of adjacent results.

struct S {
    A v[$pack$];
};

__device__ __forceinline__ S combine(const S& a, const S& b)
{
    return {{$sums$}};
}

__device__ __forceinline__ S nothing()
{
    return {{$neutrals$}};
}
//$ element_of_results
//$     One element of each of several results.
$packs$    return {{$maps$}};
//$ elements_of_result
//$     Several elements of one result. If indices are wanted, all have the pack's; index_in_pack finds the element in the end.
$packs$    A sum = map($first_of_pack$r * $pack$);
#pragma unroll
    for (int j = 1; j < $pack$; ++j) sum = combine(sum, map($elements$r * $pack$));
    return sum;
//$ moments_of_elements
//$     The moments of several elements of one result.
$packs$    V x[$pack$];
#pragma unroll
    for (int j = 0; j < $pack$; ++j) x[j] = map($elements$r * $pack$).mean;
    return moments(x);
//$ index_in_pack
//$     Find the element within the pack that won.
        if (sum.index < space.length / $pack$ * $pack$) {
            const unsigned long long begin = sum.index;
            sum = $nothing$;
#pragma unroll 1
            for (unsigned long long last = begin; last < begin + $pack$; ++last) sum = combine(sum, map($singles$last));
        }
//$ after_packs
        const Index last = length * $pack$ + lane;  // of the elements after the last whole pack
        if (part == 0 && last < space.length) sum = combine(sum, map($singles$last));
//$ one_result
$exact$        const A& a = sum;
        $store$
//$ packed_result
        {
            const A& a = sum.v[#];
            $store$
        }
        out += space.result_stride[0][$last$];
//$ join
//$     Combine the accumulators of a result's lanes in lane 0. Not unrolled, because compile time grows with the code.
    __shared__ pycuda::arrays::Room<S> sums[$threads$];
    sums[threadIdx.x].put(sum);
#pragma unroll 1
    for (unsigned count = lanes; count > 1$goes_on$;) {
        const unsigned half = (count + 1) / 2;
        $wait$
        if (lane + half < count) {
            sum = combine(sum, sums[threadIdx.x + half * $apart$].get());
            sums[threadIdx.x].put(sum);
        }
        count = half;
    }
