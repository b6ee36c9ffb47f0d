#include "exec/op_table.hpp"

#include <cstdlib>
#include <string_view>
#include <unordered_map>

namespace cpu::exec {
namespace {

OpTable best_table() {
    const char* wanted = std::getenv("PYCUDA_CPU_ISA");
    const std::string_view limit = wanted ? wanted : "v4";
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("bmi");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512cd");
    // AMD's processors up to Zen 4 split 512-bit instructions: measured 0-25 % slower than the v3 build.
    const bool narrow = __builtin_cpu_is("amd") && !wanted;
    if (v4 && !narrow && limit != "baseline" && limit != "v3") return ops_v4();
    if (v3 && limit != "baseline") return ops_v3();
#endif
    return ops_baseline();
}

using Index = std::unordered_map<std::string_view, const Op*>;

const Index& index() {
    static const Index* const built = [] {
        auto* map = new Index;  // leaked: kernels may run while the process exits
        const OpTable table = best_table();
        for (std::size_t n = 0; n < table.count; ++n) map->emplace(table.ops[n].key, &table.ops[n]);
        return map;
    }();
    return *built;
}

}  // namespace

const Op* find_op(std::string_view key) {
    const auto found = index().find(key);
    return found == index().end() ? nullptr : found->second;
}

}  // namespace cpu::exec
