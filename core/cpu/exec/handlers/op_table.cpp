#include "exec/handlers/op_table.hpp"

#include "exec/environment.hpp"
#include "exec/handlers/isa_choice.hpp"

namespace cpu::exec {
namespace {

#if defined(PYCUDA_CPU_AVX512)
constexpr bool has_v4 = true;
#else
constexpr bool has_v4 = false;
#endif

Isa chosen_isa() {
    std::string wanted = platform::environment("PYCUDA_CPU_ISA");
    if (!wanted.empty() && wanted != "baseline" && wanted != "v3" && wanted != "v4") {
        ignore_setting("PYCUDA_CPU_ISA", wanted, "baseline, v3 or v4");
        wanted = {};
    }
#if defined(__x86_64__)
    const Isa best = best_isa(features_of_this_processor());
    const bool v3 = best >= Isa::V3, v4 = has_v4 && best == Isa::V4;
    if ((wanted == "v4" && !v4) || (wanted == "v3" && !v3))
        ignore_setting("PYCUDA_CPU_ISA", wanted, "an instruction set that this processor and this build have");
    // AMD processors up to Zen 4 split 512-bit instructions: measured 0-25 % slower than the v3 build.
    const bool narrow = __builtin_cpu_is("amd") && wanted.empty();
    if (v4 && !narrow && wanted != "baseline" && wanted != "v3") return Isa::V4;
    if (v3 && wanted != "baseline") return Isa::V3;
#endif
    return Isa::Baseline;
}

/// Built at first use. Leaked: kernels may run while the process exits.
template <OpTable table()>
const OpIndex& index() {
    static const OpIndex* const built = new OpIndex(table(), ops_baseline());
    return *built;
}

}  // namespace

IsaFeatures features_of_this_processor() {
    IsaFeatures there;
#if defined(__x86_64__)
    __builtin_cpu_init();
    std::size_t n = 0;
#if defined(__clang__)  // knows the levels, but not every name
#define X(level, name) \
    there[n++] =       \
        (Isa::level == Isa::V4 ? __builtin_cpu_supports("x86-64-v4") : __builtin_cpu_supports("x86-64-v3")) != 0;
#else
#define X(level, name) there[n++] = __builtin_cpu_supports(name) != 0;
#endif
    PYCUDA_ISA_FEATURES(X)
#undef X
#endif
    return there;
}

OpIndex::OpIndex(const OpTable& table, const OpTable& of_any_processor) : name_(table.name) {
    for (std::size_t n = 0; n < rows_.size(); ++n) rows_[n] = &(table.ops[n].all ? table : of_any_processor).ops[n];
}

const OpIndex& chosen_ops() {
    switch (chosen_isa()) {
#if defined(__x86_64__)
        case Isa::V4:
            if constexpr (has_v4) return index<ops_v4>();
            [[fallthrough]];
        case Isa::V3:
            return index<ops_v3>();
#endif
        default:
            return index<ops_baseline>();
    }
}

}  // namespace cpu::exec
