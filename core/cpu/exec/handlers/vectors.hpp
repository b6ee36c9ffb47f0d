#pragma once
// The widest vectors of the instruction set, as the compiler's vector types. Included by each instruction set's file.
// Everything is in an unnamed namespace, so that the linker cannot pick an AVX copy for the baseline.

#include <cstddef>
#include <cstdint>
#include <utility>
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace cpu::exec {
namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;
using f32 = float;
using f64 = double;

#define ALWAYS_INLINE [[gnu::always_inline]] inline

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

template <class T>
struct VectorOf {
    typedef T type __attribute__((vector_size(vector_bytes)));
    typedef T unaligned __attribute__((vector_size(vector_bytes), aligned(1)));
};
template <class T>
using Vector = typename VectorOf<T>::type;
template <class T>
constexpr int vector_lanes = vector_bytes / static_cast<int>(sizeof(T));

template <class T>
ALWAYS_INLINE Vector<T> load_vector(const T* at) {
    return *reinterpret_cast<const typename VectorOf<T>::unaligned*>(at);
}
template <class T>
ALWAYS_INLINE void store_vector(T* at, Vector<T> v) {
    *reinterpret_cast<typename VectorOf<T>::unaligned*>(at) = v;
}

template <class V>
ALWAYS_INLINE bool any_bit(V v) {
#if defined(__AVX512F__)
    const __m512i bits = __builtin_bit_cast(__m512i, v);
    return _mm512_test_epi64_mask(bits, bits) != 0;
#elif defined(__AVX__)
    const __m256i bits = __builtin_bit_cast(__m256i, v);
    return !_mm256_testz_si256(bits, bits);
#elif defined(__ARM_NEON)
    return vmaxvq_u32(__builtin_bit_cast(uint32x4_t, v)) != 0;
#else
    const auto words = __builtin_bit_cast(Vector<u64>, v);
    return (words[0] | words[1]) != 0;
#endif
}

template <class V>
constexpr int lane_count = sizeof(V) / sizeof(V{}[0]);

/// Lanes Odd, Odd + 2, ... of a, followed by those of b.
template <int Odd, class V, std::size_t... L>
ALWAYS_INLINE V every_second(V a, V b, std::index_sequence<L...>) {
    return __builtin_shufflevector(a, b, (static_cast<int>(2 * L) + Odd)...);
}
/// a[From], b[From], a[From + 1], ...
template <int From, class V, std::size_t... L>
ALWAYS_INLINE V zip(V a, V b, std::index_sequence<L...>) {
    return __builtin_shufflevector(a, b, (static_cast<int>(L / 2 + L % 2 * sizeof...(L)) + From)...);
}

/// Splits N vectors that hold a0 b0 ... a1 b1 ...: out[0] receives all a, out[Step] all b.
template <int N, int Step, class V>
ALWAYS_INLINE void deinterleave(const V* in, V* out) {
    constexpr std::make_index_sequence<lane_count<V>> lanes;
    if constexpr (N == 1) {
        out[0] = in[0];
    } else {
        V even[N / 2], odd[N / 2];
        for (int n = 0; n < N / 2; ++n) {
            even[n] = every_second<0>(in[2 * n], in[2 * n + 1], lanes);
            odd[n] = every_second<1>(in[2 * n], in[2 * n + 1], lanes);
        }
        deinterleave<N / 2, 2 * Step>(even, out);
        deinterleave<N / 2, 2 * Step>(odd, out + Step);
    }
}
/// The reverse.
template <int N, int Step, class V>
ALWAYS_INLINE void interleave(const V* in, V* out) {
    constexpr int lanes = lane_count<V>;
    constexpr std::make_index_sequence<lanes> all;
    if constexpr (N == 1) {
        out[0] = in[0];
    } else {
        V even[N / 2], odd[N / 2];
        interleave<N / 2, 2 * Step>(in, even);
        interleave<N / 2, 2 * Step>(in + Step, odd);
        for (int n = 0; n < N / 2; ++n) {
            out[2 * n] = zip<0>(even[n], odd[n], all);
            out[2 * n + 1] = zip<lanes / 2>(even[n], odd[n], all);
        }
    }
}

}  // namespace
}  // namespace cpu::exec
