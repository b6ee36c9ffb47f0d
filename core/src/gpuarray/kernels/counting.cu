// Kernels that count elements per bin, or add up their weights: bincount and histograms.
//$ preface
$includes$typedef $element$ E;  // an element
typedef $edge$ Edge;  // an edge between bins
typedef $value$ V;    // the type in which both are compared
$weights$typedef unsigned long long Whole;

//$ weight_type
typedef $storage$ W;
//$ numbered_bin
/// The element is the number of its bin.
struct Bins {
    Whole count;
    __device__ Bins(const Edge*, Whole count) : count(count) {}
    __device__ bool find(V x, Whole& bin) const
    {
        bin = static_cast<Whole>(x);
        return bin < count;
    }
};
//$ bin_between_edges
/// The bin whose edges are around an element. Guessed as if the edges were equally spaced; searched for if they are not.
struct Bins {
    const Edge* edges;
    Whole count;
    V least, greatest;
    double per_bin;
    __device__ Bins(const Edge* edges, Whole count)
        : edges(edges), count(count), least(static_cast<V>(edges[0])), greatest(static_cast<V>(edges[count])),
          per_bin(static_cast<double>(count) / (static_cast<double>(greatest) - static_cast<double>(least))) {}
    __device__ V edge(Whole k) const { return static_cast<V>(edges[k]); }
    __device__ bool has(Whole bin, V x) const { return edge(bin) <= x && (bin + 1 == count || x < edge(bin + 1)); }
    __device__ bool find(V x, Whole& bin) const
    {
        if (!(x >= least && x <= greatest)) return false;
        const double guess = (static_cast<double>(x) - static_cast<double>(least)) * per_bin;
        bin = guess > 0 && guess < static_cast<double>(count) ? static_cast<Whole>(guess) : guess > 0 ? count - 1 : 0;
        if (has(bin, x)) return true;
        bin = 0;
        for (Whole end = count; end - bin > 1;) {
            const Whole middle = bin + (end - bin) / 2;
            if (edge(middle) <= x)
                bin = middle;
            else
                end = middle;
        }
        return true;
    }
};
//$ elements
//$     Four elements per thread and step: every load is issued before the first element is used.
template <class Add>
__device__ __forceinline__ void for_each(const E* x, const Bins& bins, Whole n, const Add& add)
{
    const Whole threads = blockDim.x, step = 4 * threads * gridDim.x;
#pragma unroll 1
    for (Whole first = 4 * threads * blockIdx.x + threadIdx.x; first < n; first += step) {
        E some[4];
#pragma unroll
        for (int k = 0; k < 4; ++k)
            if (first + k * threads < n) some[k] = x[first + k * threads];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            Whole bin;
            if (first + k * threads < n && bins.find(static_cast<V>(static_cast<$arithmetic$>(some[k])), bin))
                add(bin, first + k * threads);
        }
    }
}

//$ shared_table
//$     Each block has the table of its own elements in shared memory, and adds it to the result in the end.
extern "C" __global__ void __launch_bounds__(256) $name$(const E* x, const Edge* edges, Whole count, Whole n, Whole* out$parameters$)
{
    extern __shared__ $cell$ table[];
    for (unsigned k = threadIdx.x; k < $width$ * count; k += blockDim.x) table[k] = 0;
    __syncthreads();
    for_each(x, Bins(edges, count), n, [&](Whole bin, Whole i) {
        $add$
    });
    __syncthreads();
    for (unsigned k = threadIdx.x; k < $width$ * count; k += blockDim.x)
        if (table[k] != 0) atomicAdd(out + k, static_cast<Whole>(table[k]));
}
//$ global_table
extern "C" __global__ void __launch_bounds__(256) $name$(const E* x, const Edge* edges, Whole count, Whole n, Whole* table$parameters$)
{
    for_each(x, Bins(edges, count), n, [&](Whole bin, Whole i) {
        $add$
    });
}
//$ weight_of_element
/// The weight at index i.
__device__ __forceinline__ $type$ weight(const W* weights, Whole i)
{
    return static_cast<$type$>(static_cast<$arithmetic$>(weights[i]));
}

//$ greatest_exponents
//$     Real weights are added as integers, so that their sum depends neither on their order nor on other bins. First, find the greatest exponent in
//$     each bin, and which bins have infinities (1: positive, 2: negative) and NaN (4).
extern "C" __global__ void __launch_bounds__(256) $name$(const E* x, const Edge* edges, Whole count, Whole n, unsigned* greatest,
    const W* weights)
{
    unsigned* const special = greatest + count;
    for_each(x, Bins(edges, count), n, [&](Whole bin, Whole i) {
        const double w = weight(weights, i);
        const unsigned exponent = __double2hiint(w) >> 20 & 0x7ff;
        if (exponent == 0x7ff)
            atomicOr(special + bin, w != w ? 4u : w > 0 ? 1u : 2u);
        else if (w != 0 && *const_cast<volatile unsigned*>(greatest + bin) <= exponent)
            atomicMax(greatest + bin, exponent + 1);
    });
}
//$ parts_of_weights
/// x times 2 to the power of k; in two steps if the power itself is beyond the range.
__device__ __forceinline__ double scaled(double x, int k)
{
    if (k > -1023 && k < 1024) return x * __hiloint2double((1023 + k) << 20, 0);
    const int half = k / 2;
    return x * __hiloint2double((1023 + half) << 20, 0) * __hiloint2double((1023 + k - half) << 20, 0);
}

/// Add a weight to the sum of its bin: three integers of $bits$ bits each, from the greatest exponent downwards. n of them fit in 64 bits.
__device__ __forceinline__ void add_parts(Whole* sums, unsigned greatest, double w)
{
    if (greatest == 0 || w - w != 0) return;
    w = scaled(w, 1023 + $bits$ - static_cast<int>(greatest > 2 ? greatest : 2));
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        const long long part = static_cast<long long>(w);
        if (part != 0) atomicAdd(sums + k, static_cast<Whole>(part));
        w = (w - static_cast<double>(part)) * $unit$;
        if (w == 0) break;  // most weights have two parts
    }
}

//$ sums_of_parts
/// The sums as numbers.
extern "C" __global__ void __launch_bounds__(256) $name$(double* out, const unsigned* greatest, const long long* sums, Whole count)
{
    const Whole bin = blockIdx.x * 256ull + threadIdx.x;
    if (bin >= count) return;
    const unsigned top = greatest[bin], special = greatest[count + bin];
    long long high = sums[3 * bin], middle = sums[3 * bin + 1], low = sums[3 * bin + 2];
    const long long unit = 1ll << $bits$;
    bool negative = false;
    for (int turn = 0; turn < 2; ++turn) {  // carry; and if the sum is negative, negate it and carry again
        middle += low >> $bits$;
        low &= unit - 1;
        high += middle >> $bits$;
        middle &= unit - 1;
        if (high >= 0 || turn == 1) break;
        negative = true;
        high = -high, middle = -middle, low = -low;
    }
    const double first = static_cast<double>(high), rest = static_cast<double>(high - static_cast<long long>(first));
    const double second = static_cast<double>(middle);
    const double third = static_cast<double>(middle - static_cast<long long>(second)) + static_cast<double>(low) / unit;
    const double sum = first + (rest + (second + third) / unit);
    const double scaled = ldexp(negative ? -sum : sum, static_cast<int>(top > 2 ? top : 2) - 1023 - $bits$);
    const double infinity = __longlong_as_double(0x7ff0000000000000ll);
    out[bin] = special == 0 ? scaled : special == 1 ? infinity : special == 2 ? -infinity : infinity - infinity;
}
