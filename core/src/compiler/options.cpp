#include "compiler/options.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "platform/files.hpp"

namespace pycuda {

namespace {

enum class Meaning {
    Same,      ///< handed to NVRTC under its own name
    HostOnly,  ///< does not affect device code: not passed to NVRTC
    IncludeDir,
    PreInclude,
    Arch,
    NvccOnly,
    NvrtcOnly,
};

/// One option of nvcc. Either dash form of either name is accepted, as nvcc does.
struct Rule {
    const char* long_name;
    const char* short_name;
    bool has_value;
    Meaning meaning;
    const char* nvrtc = nullptr;  ///< NVRTC's spelling; ends in '=' if a value follows
};

constexpr Rule rules[] = {
    {"include-path", "I", true, Meaning::IncludeDir},
    {"system-include", "isystem", true, Meaning::IncludeDir},
    {"pre-include", "include", true, Meaning::PreInclude},
    {"define-macro", "D", true, Meaning::Same, "-D"},
    {"undefine-macro", "U", true, Meaning::Same, "-U"},
    {"gpu-architecture", "arch", true, Meaning::Arch},
    {"gpu-code", "code", true, Meaning::NvccOnly},
    {"generate-code", "gencode", true, Meaning::NvccOnly},
    {"std", "std", true, Meaning::Same, "--std="},
    {"use_fast_math", "use_fast_math", false, Meaning::Same, "--use_fast_math"},
    {"ftz", "ftz", true, Meaning::Same, "--ftz="},
    {"prec-div", "prec-div", true, Meaning::Same, "--prec-div="},
    {"prec-sqrt", "prec-sqrt", true, Meaning::Same, "--prec-sqrt="},
    {"fmad", "fmad", true, Meaning::Same, "--fmad="},
    {"maxrregcount", "maxrregcount", true, Meaning::Same, "--maxrregcount="},
    {"device-debug", "G", false, Meaning::Same, "--device-debug"},
    {"generate-line-info", "lineinfo", false, Meaning::Same, "--generate-line-info"},
    {"relocatable-device-code", "rdc", true, Meaning::Same, "--relocatable-device-code="},
    {"device-c", "dc", false, Meaning::Same, "--relocatable-device-code=true"},
    {"restrict", "restrict", false, Meaning::Same, "--restrict"},
    {"extra-device-vectorization", "extra-device-vectorization", false, Meaning::Same, "--extra-device-vectorization"},
    {"ptxas-options", "Xptxas", true, Meaning::Same, "--ptxas-options="},
    {"disable-warnings", "w", false, Meaning::Same, "--disable-warnings"},
    {"diag-suppress", "diag-suppress", true, Meaning::Same, "--diag-suppress="},
    {"diag-error", "diag-error", true, Meaning::Same, "--diag-error="},
    {"diag-warn", "diag-warn", true, Meaning::Same, "--diag-warn="},
    {"display-error-number", "err-no", false, Meaning::Same, "--display-error-number"},
    {"no-display-error-number", "no-err-no", false, Meaning::Same, "--no-display-error-number"},
    {"debug", "g", false, Meaning::HostOnly},
    {"optimize", "O", true, Meaning::HostOnly},
    {"machine", "m", true, Meaning::HostOnly},
    {"m64", "m64", false, Meaning::HostOnly},
    {"Wno-deprecated-gpu-targets", "Wno-deprecated-gpu-targets", false, Meaning::HostOnly},
    {"default-stream", "default-stream", true, Meaning::HostOnly},
    {"device-as-default-execution-space", "default-device", false, Meaning::NvrtcOnly,
     "--device-as-default-execution-space"},
    {"device-int128", "device-int128", false, Meaning::NvrtcOnly, "--device-int128"},
};

/// A rule and the value after it; no rule for options that are not in the table.
struct Match {
    const Rule* rule = nullptr;
    std::string value;
    std::size_t consumed = 1;  ///< number of arguments: 2 if the value is the next one
};

const Rule* find_rule(std::string_view name) {
    for (const Rule& rule : rules)
        if (name == rule.long_name || name == rule.short_name) return &rule;
    return nullptr;
}

/// "-Ifoo", "-DX=1", "-UX", "-O3": the value follows its letter without a sign.
const Rule* find_joined_rule(const std::string& option) {
    if (option.size() < 3 || option[1] == '-') return nullptr;
    const char letter = option[1];
    const bool joined = letter == 'I' || letter == 'D' || letter == 'U' || (letter == 'O' && std::isdigit(option[2]));
    return joined ? find_rule(std::string_view(&letter, 1)) : nullptr;
}

Match match(const std::vector<std::string>& options, std::size_t index) {
    const std::string& option = options[index];
    if (option.size() < 2 || option[0] != '-') return {};
    const std::size_t dashes = option[1] == '-' ? 2 : 1;
    const std::size_t sign = std::min(option.find('='), option.size());
    const Rule* rule = find_rule(std::string_view(option).substr(dashes, sign - dashes));
    if (!rule) {
        rule = find_joined_rule(option);
        return rule ? Match{rule, option.substr(2)} : Match{};
    }
    if (!rule->has_value) return sign == option.size() ? Match{rule, {}} : Match{};
    if (sign < option.size()) return {rule, option.substr(sign + 1)};
    return index + 1 < options.size() ? Match{rule, options[index + 1], 2} : Match{};
}

void note_nvcc_only(ParsedOptions& parsed, const std::string& option) {
    if (parsed.nvcc_only.empty()) parsed.nvcc_only = option;
}

}  // namespace

ParsedOptions parse_options(const std::vector<std::string>& options) {
    ParsedOptions parsed;
    for (std::size_t i = 0; i < options.size();) {
        const Match found = match(options, i);
        const std::vector<std::string> words(options.begin() + static_cast<std::ptrdiff_t>(i),
                                             options.begin() + static_cast<std::ptrdiff_t>(i + found.consumed));
        i += found.consumed;
        const Meaning meaning = found.rule ? found.rule->meaning : Meaning::NvccOnly;
        // nvcc splits some values at commas; NVRTC does not.
        const bool has_list = found.value.find(',') != std::string::npos;
        if (meaning == Meaning::NvccOnly || has_list) {
            note_nvcc_only(parsed, words[0]);
            parsed.nvcc.insert(parsed.nvcc.end(), words.begin(), words.end());
            parsed.has_gencode |= meaning == Meaning::NvccOnly && found.rule;
            continue;
        }
        if (meaning == Meaning::Arch) {
            parsed.arch = found.value;
            continue;
        }
        if (meaning == Meaning::IncludeDir) {
            parsed.include_dirs.push_back(absolute_path(found.value));
            parsed.nvcc.push_back((found.rule->short_name[0] == 'I' ? "-I" : "-isystem=") + parsed.include_dirs.back());
            continue;
        }
        if (meaning == Meaning::PreInclude) {
            parsed.pre_includes.push_back(found.value);
            continue;
        }
        if (meaning == Meaning::NvrtcOnly && parsed.nvrtc_only.empty()) parsed.nvrtc_only = words[0];
        parsed.nvcc.insert(parsed.nvcc.end(), words.begin(), words.end());
        if (found.rule->nvrtc)
            parsed.nvrtc.push_back(found.rule->nvrtc + (found.rule->has_value ? found.value : std::string{}));
    }
    return parsed;
}

}  // namespace pycuda
