#pragma once

#include <bitset>
#include <cstddef>
#include <iterator>

namespace cpu::exec {

/// The builds of the handlers: any processor of the architecture, x86-64-v3, x86-64-v4.
enum class Isa { Baseline, V3, V4 };

/// The features that the compiler may use in the builds for V3 and V4, by the compiler's names: each build needs all of
/// its level and of the levels below, not only the vectors.
#define PYCUDA_ISA_FEATURES(X) \
    X(V3, "sse3")              \
    X(V3, "ssse3")             \
    X(V3, "sse4.1")            \
    X(V3, "sse4.2")            \
    X(V3, "popcnt")            \
    X(V3, "cmpxchg16b")        \
    X(V3, "lahf_lm")           \
    X(V3, "avx")               \
    X(V3, "avx2")              \
    X(V3, "bmi")               \
    X(V3, "bmi2")              \
    X(V3, "f16c")              \
    X(V3, "fma")               \
    X(V3, "lzcnt")             \
    X(V3, "movbe")             \
    X(V3, "xsave")             \
    X(V4, "avx512f")           \
    X(V4, "avx512bw")          \
    X(V4, "avx512cd")          \
    X(V4, "avx512dq")          \
    X(V4, "avx512vl")

struct IsaFeature {
    Isa level;
    const char* name;
};
#define X(level, name) {Isa::level, name},
inline constexpr IsaFeature isa_features[] = {PYCUDA_ISA_FEATURES(X)};
#undef X

/// One bit for each row of isa_features.
using IsaFeatures = std::bitset<std::size(isa_features)>;
IsaFeatures features_of_this_processor();

/// The best build that a processor with these features can run.
inline Isa best_isa(const IsaFeatures& there) {
    Isa best = Isa::V4;
    for (std::size_t n = 0; n < std::size(isa_features); ++n)
        if (!there[n] && isa_features[n].level <= best)
            best = static_cast<Isa>(static_cast<int>(isa_features[n].level) - 1);
    return best;
}

}  // namespace cpu::exec
