// Reductions, in pieces that reduction_source() puts together.
//$ place_type
//$     A value and its place; the place of no value comes after all others. Without branches: they cost the compiler most.
struct A {
    V value;
    unsigned long long index;
    A() = default;
    __device__ A(V value, unsigned long long index) : value(value), index(index) {}
    /// `other` comes before this one: it is `better`, the first NaN, or the first of equals.
    __device__ bool is_before(const A& other, bool better) const {
        const bool nan = value != value, other_nan = other.value != other.value;
        const bool equal = (value == other.value) | (nan & other_nan);
        return (better & !nan) | (other_nan & !nan) | (equal & (other.index < index));
    }
};
//$ moments_type
//$     How many values there are, their mean, and the sum of the squared distances from it. That of a value that is not
//$     finite is NaN. The mean has a second part: the digits that do not fit into it are the first of the distances
//$     between values that lie close together and far from 0.
struct A {
    V count, mean, rest, squares;
};

/// Of the values of both. The distances of none from others may be too large to be squared.
__device__ __forceinline__ A merged(const A& a, const A& b)
{
    const V count = a.count + b.count, share = count == 0 ? V(0) : b.count / count;
    const V distance = a.count == 0 || b.count == 0 ? V(0) : (b.mean - a.mean) + (b.rest - a.rest);
    const A& first = a.count == 0 ? b : a;
    const V step = distance * share, mean = first.mean + step, added = mean - first.mean;
    const V rest = first.rest + ((first.mean - (mean - added)) + (step - added));
    return {count, mean, rest, a.squares + b.squares + distance * distance * (a.count * share)};
}
//$ kernel
$includes$typedef $value$ V;
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
    unsigned long long kept;      // results
    unsigned long long elements;  // of each result
    Index length;                 // the same, or what the first stage made of them
    unsigned parts;               // blocks that share a result
    unsigned width;               // of columns: how many stand side by side in a block, alone or in packs
    pycuda::arrays::WideDivisor kept_axis[$kept_size$];
    long long kept_stride[$arrays$][$kept_size$];  // of the result, then of the operands
    pycuda::arrays::$divisor$ axis[$rank$];
    Offset stride[$inputs$][$rank$];
};

/// The $unit$ of place r of the result that the pointers stand at.
__device__ __forceinline__ S element($pointers$const Space& space, Index r)
{
$element$}

extern "C" __global__ void __launch_bounds__($threads$) $name$(char* out, $parameters$const Space space)
{
    const unsigned lanes = $lanes$, lane = $lane$;
    const unsigned parts = $parts$, group = blockIdx.x / parts, part = blockIdx.x - group * parts;
$place$    S sum = $nothing$;
    $if_exists${
$to_result$        const Index length = space.length / $units$, step = lanes * parts;
$before_loop$#pragma unroll 1
        for (Index r = part * lanes + lane; r < length; r += $ahead$ * step) {
            S next0 = element($arguments$space, r);  // all loads before the first of them is needed
$more$$in_loop$        }
$after_loop$$rest$    }
$join$    if (lane == 0$and_exists$) {
$store$    }
}
//$ one_more
//$     One more of a step. Loaded in any case: where a product of 64 bits is skipped, ptxas 13.0 lets its zero be
//$     read too early.
            const Index at# = r + # * step;
            S next# = element($arguments$space, at# < length ? at# : r);
            if (at# >= length) next# = $nothing$;
//$ place_in_group
//$     Where the thread's result is, among others.
    const unsigned across = $across$;
    const unsigned long long result = (group * $results$ + across) * $pack$;
//$ to_kept
//$     Moves the pointers to the result's own.
        unsigned long long rest = result;
$axes$
//+
//$ along_kept_axis
        {
            $at_place$
            out += at * space.kept_stride[0][#];
$moves$        }
//$ place_along_kept
const unsigned long long next = space.kept_axis[#].divide(rest);
            const long long at = rest - next * space.kept_axis[#].size;
            rest = next;
//+
//$ element_offsets
//$     Where the operands' elements are.
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
//$     Neighbours in memory, for one load if they are aligned.

template <class E>
struct alignas($alignment$) Pack {
    E v[$pack$];
};
//$ packed_sum
//$     Sums of adjacent results.

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
//$     Several elements of one result. Where places are wanted, the pack's is as good as theirs until the end.
$packs$    A sum = map($first_of_pack$r * $pack$);
#pragma unroll
    for (int j = 1; j < $pack$; ++j) sum = combine(sum, map($elements$r * $pack$));
    return sum;
//$ place_in_pack
//$     Which element of the best pack it is.
        if (sum.index < space.length / $pack$ * $pack$) {
            const unsigned long long begin = sum.index;
            sum = $nothing$;
#pragma unroll 1
            for (unsigned long long last = begin; last < begin + $pack$; ++last) sum = combine(sum, map($singles$last));
        }
//$ after_packs
        const Index last = length * $pack$ + lane;  // of the elements that fill no pack
        if (part == 0 && last < space.length) sum = combine(sum, map($singles$last));
//$ one_result
$exact$        const A& a = sum;
        $store$
//$ packed_result
        {
            const A& a = sum.v[#];
            $store$
        }
        out += space.kept_stride[0][$last$];
//$ join
//$     The sum of a result's lanes, in the first of them. A short text: the compiler's time goes with it.
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
