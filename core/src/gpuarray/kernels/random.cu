// Random numbers from a counter-based generator.
//$ hash
//$     Philox 4x32 with 10 rounds (Salmon et al., 2011), whose counter is the thread's number. The four words it gives are used for
//$     $count$ elements: four of 32 bits, or two of 64.
typedef $element$ Element;

__device__ __forceinline__ Element number(unsigned low, unsigned high)
{
    $number$;
}

extern "C" __global__ void __launch_bounds__(128) $name$(Element* out, unsigned long long seed, unsigned long long n)
{
    const unsigned long long thread = blockIdx.x * 128ull + threadIdx.x;
    unsigned x0 = thread, x1 = thread >> 32, x2 = 0, x3 = 0, key0 = seed, key1 = seed >> 32;
#pragma unroll
    for (int round = 0; round < 10; ++round) {
        const unsigned long long p0 = 0xD2511F53ull * x0, p1 = 0xCD9E8D57ull * x2;
        x0 = static_cast<unsigned>(p1 >> 32) ^ x1 ^ key0;
        x1 = p1;
        x2 = static_cast<unsigned>(p0 >> 32) ^ x3 ^ key1;
        x3 = p0;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    const unsigned words[4] = {x0, x1, x2, x3};
#pragma unroll
    for (int k = 0; k < $count$; ++k) {
        const unsigned long long i = thread * $count$ + k;
        if (i < n) out[i] = number(words[k * 4 / $count$], words[(k * 4 / $count$ + 1) % 4]);
    }
}
