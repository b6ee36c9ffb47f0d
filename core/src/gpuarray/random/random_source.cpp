#include "gpuarray/random/random_source.hpp"

#include "gpuarray/text.hpp"
#include "kernel_files.hpp"

namespace pycuda::gpuarray {
namespace {

/// A kernel that fills memory with an expression of `state` (and, in place, of the element d[i]).
struct Filler {
    std::string name, element, parameters, value;
};

std::vector<Filler> fillers_of(RandomKind kind) {
    const bool wide = RandomGenerators::is_64_bits(kind);
    std::vector<Filler> fillers = {
        // Uses the upper half of 64 bits: the lower half of a Sobol sequence's first numbers is 0.
        {"uniform_int", "unsigned", "", wide ? "static_cast<unsigned>(curand(&state) >> 32)" : "curand(&state)"},
        {"uniform_float", "float", "", "curand_uniform(&state)"},
        {"uniform_double", "double", "", "curand_uniform_double(&state)"},
        {"normal_float", "float", "", "curand_normal(&state)"},
        {"normal_double", "double", "", "curand_normal_double(&state)"},
        {"normal_log_float", "float", ", float mean, float stddev", "curand_log_normal(&state, mean, stddev)"},
        {"normal_log_double", "double", ", double mean, double stddev",
         "curand_log_normal_double(&state, mean, stddev)"},
        // With a NaN as the mean, cuRAND would read out of bounds.
        {"poisson_int", "unsigned", ", double mean", "mean == mean ? curand_poisson(&state, mean) : 0"},
        {"poisson_inplace_int", "unsigned", "", "curand_poisson(&state, d[i])"},
        {"poisson_inplace_float", "float", "", "d[i] == d[i] ? curand_poisson(&state, d[i]) : d[i]"},
        {"poisson_inplace_double", "double", "", "d[i] == d[i] ? curand_poisson(&state, d[i]) : d[i]"},
    };
    if (wide) fillers.push_back({"uniform_long", "unsigned long long", "", "curand(&state)"});
    if (!RandomGenerators::is_pseudo(kind)) return fillers;
    fillers.insert(fillers.end(), {{"normal_float2", "float2", "", "curand_normal2(&state)"},
                                   {"normal_double2", "double2", "", "curand_normal2_double(&state)"},
                                   {"normal_log_float2", "float2", ", float mean, float stddev",
                                    "curand_log_normal2(&state, mean, stddev)"},
                                   {"normal_log_double2", "double2", ", double mean, double stddev",
                                    "curand_log_normal2_double(&state, mean, stddev)"}});
    return fillers;
}

}  // namespace

const char* random_state_type(RandomKind kind) {
    static constexpr const char* types[] = {
        "curandStateXORWOW",           "curandStateMRG32k3a", "curandStatePhilox4_32_10",   "curandStateSobol32",
        "curandStateScrambledSobol32", "curandStateSobol64",  "curandStateScrambledSobol64"};
    return types[static_cast<int>(kind)];
}

std::vector<std::string> random_fill_kernels(RandomKind kind) {
    std::vector<std::string> names;
    for (const Filler& row : fillers_of(kind)) names.push_back(row.name);
    return names;
}

std::vector<std::string> random_kernel_names(RandomKind kind) {
    std::vector<std::string> names = random_fill_kernels(kind);
    names.push_back("prepare");
    for (const char* skip : {"skip_ahead", "skip_ahead_sequence", "skip_ahead_subsequence"}) {
        const bool sequence = skip == std::string("skip_ahead_sequence");
        const bool subsequence = skip == std::string("skip_ahead_subsequence");
        if ((sequence && !RandomGenerators::is_pseudo(kind)) || (subsequence && kind != RandomKind::MRG32k3a)) continue;
        names.push_back(skip);
        names.push_back(std::string(skip) + "_array");
    }
    return names;
}

std::string random_text(RandomKind kind) {
    const bool pseudo = RandomGenerators::is_pseudo(kind), wide = RandomGenerators::is_64_bits(kind);
    const std::string word = pseudo || wide ? "unsigned long long" : "unsigned";
    std::string text = fill_in(kernel_files::generators::head, {{"state", random_state_type(kind)}});
    for (const Filler& row : fillers_of(kind))
        text += fill_in(
            kernel_files::generators::filler,
            {{"name", row.name}, {"element", row.element}, {"parameters", row.parameters}, {"value", row.value}});
    text += pseudo ? kernel_files::generators::prepare_pseudo
                   : fill_in(kernel_files::generators::prepare_quasi,
                             {{"bits", wide ? "64" : "32"},
                              {"word", word},
                              {"constant", RandomGenerators::is_scrambled(kind) ? "constants[id], " : ""}});
    text +=
        fill_in(kernel_files::generators::skipper, {{"name", "skip_ahead"}, {"word", word}, {"function", "skipahead"}});
    if (pseudo)
        text += fill_in(kernel_files::generators::skipper,
                        {{"name", "skip_ahead_sequence"}, {"word", word}, {"function", "skipahead_sequence"}});
    if (kind == RandomKind::MRG32k3a)
        text += std::string(kernel_files::generators::subsequences) +
                fill_in(kernel_files::generators::skipper,
                        {{"name", "skip_ahead_subsequence"}, {"word", word}, {"function", "skip_subsequences"}});
    return text;
}

}  // namespace pycuda::gpuarray
