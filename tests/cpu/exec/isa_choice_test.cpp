#include "exec/handlers/isa_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace cpu::exec {
namespace {

TEST(IsaChoice, AProcessorThatLacksOneFeatureFallsBack) {
    IsaFeatures all;
    all.set();
    EXPECT_EQ(best_isa(all), Isa::V4);
    for (std::size_t n = 0; n < std::size(isa_features); ++n) {
        IsaFeatures but_one = all;
        but_one.reset(n);
        const Isa below = isa_features[n].level == Isa::V4 ? Isa::V3 : Isa::Baseline;
        EXPECT_EQ(best_isa(but_one), below) << isa_features[n].name;
    }
    EXPECT_EQ(best_isa({}), Isa::Baseline);
}

#if defined(ISA_MACROS_DIRECTORY)
/// The macros that the compiler defines for a level and that name a feature, as the features' names.
std::set<std::string> features_in(const std::string& level) {
    std::ifstream file(ISA_MACROS_DIRECTORY "/" + level + ".macros");
    std::set<std::string> features;
    for (std::string define, name, value; file >> define >> name && std::getline(file, value);) {
        if (value != " 1" || !name.starts_with("__") || !name.ends_with("__")) continue;
        name = name.substr(2, name.size() - 4);
        for (char& c : name) c = static_cast<char>(std::tolower(c));
        if (name == "sse4_1" || name == "sse4_2") name[4] = '.';
        if (name == "lahf_sahf") name = "lahf_lm";
        features.insert(name);
    }
    return features;
}

/// A feature that the compiler uses and the list lacks would be an illegal instruction on some processor.
TEST(IsaChoice, TheListHasAllThatTheCompilerUses) {
    auto known = features_in("x86-64");
    EXPECT_TRUE(known.contains("sse2"));
    known.insert("crc32");  // part of sse4.2
    known.insert({"evex256", "evex512"});  // GCC 14's options for the width of AVX-512's vectors; no features of a processor
    for (const auto& [level, file] : {std::pair(Isa::V3, "x86-64-v3"), std::pair(Isa::V4, "x86-64-v4")}) {
        for (const IsaFeature& feature : isa_features)
            if (feature.level == level) known.insert(feature.name);
        const auto used = features_in(file);
        EXPECT_TRUE(used.contains(level == Isa::V3 ? "avx2" : "avx512f"));
        for (const std::string& feature : used) EXPECT_TRUE(known.contains(feature)) << file << " uses " << feature;
    }
}

TEST(IsaChoice, AgreesWithTheCompilersOwnIdeaOfThisProcessor) {
    const Isa best = best_isa(features_of_this_processor());
    EXPECT_EQ(best >= Isa::V3, __builtin_cpu_supports("x86-64-v3") != 0);
    EXPECT_EQ(best == Isa::V4, __builtin_cpu_supports("x86-64-v4") != 0);
}
#endif

}  // namespace
}  // namespace cpu::exec
