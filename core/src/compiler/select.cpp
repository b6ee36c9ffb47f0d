#include "compiler/select.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>

#include "compiler/identity.hpp"
#include "compiler/trailing_alignment.hpp"
#include "platform/environment.hpp"
#include "platform/files.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/platform/forks.hpp"
#include "toolchain/toolchain_search.hpp"

namespace pycuda {

namespace {

/// find_toolkits, cached as long as the environment is the same and the compilers that were found still exist.
std::vector<Toolkit> known_toolkits() {
    static auto* mutex = fork_safe(new std::mutex);
    static auto* known_environment = new std::string;
    static auto* known = new std::vector<Toolkit>;
    std::string now = toolkit_search_state();
    std::lock_guard lock(*mutex);
    const bool valid =
        now == *known_environment && !known->empty() &&
        std::all_of(known->begin(), known->end(), [](const Toolkit& toolkit) {
            return (toolkit.nvcc.empty() || is_file(toolkit.nvcc)) && (toolkit.nvrtc.empty() || is_file(toolkit.nvrtc));
        });
    if (!valid) {
        *known = find_toolkits();
        *known_environment = std::move(now);
    }
    return *known;
}

/// Gives a toolkit without headers those of the best toolkit that has some.
void complete_headers(Toolkit& toolkit, const std::vector<Toolkit>& toolkits) {
    for (const Toolkit& other : toolkits)
        if (toolkit.include_dirs.empty()) toolkit.include_dirs = other.include_dirs;
}

/// The toolkit that nvcc at `path` belongs to; if it is unknown, an empty one with only the path.
Toolkit toolkit_of_nvcc(const std::string& path, const std::vector<Toolkit>& toolkits) {
    for (const Toolkit& toolkit : toolkits)
        if (toolkit.nvcc == path) return toolkit;
    Toolkit own;
    own.nvcc = path;
    own.root = parent_path(parent_path(path));
    for (const char* folder : {"/include", "/include/cccl"})
        if (own.root != "/usr" && is_directory(own.root + folder)) own.include_dirs.push_back(own.root + folder);
    return own;
}

void add_nvcc(std::vector<Compiler>& compilers, const std::string& nvcc, const std::vector<Toolkit>& toolkits,
              const std::string& memo_folder) {
    std::string path = find_nvcc_in(nvcc, toolkits);
    if (path.empty()) return;
    Compiler compiler{"nvcc", path, nvcc_identity(path, memo_folder), toolkit_of_nvcc(path, toolkits)};
    if (compiler.identity.empty()) return;
    complete_headers(compiler.toolkit, toolkits);
    compilers.push_back(std::move(compiler));
}

void add_nvrtc(std::vector<Compiler>& compilers, const std::vector<Toolkit>& toolkits) {
    for (const Toolkit& toolkit : toolkits) {
        if (toolkit.nvrtc.empty()) continue;
        Compiler compiler{"nvrtc", toolkit.nvrtc, nvrtc_identity(toolkit.nvrtc), toolkit};
        complete_headers(compiler.toolkit, toolkits);
        compilers.push_back(std::move(compiler));
        return;
    }
}

/// nvcc is asked once: starting it takes longer than everything else before a compile.
std::vector<int> architectures(const Compiler& compiler) {
    if (compiler.backend == "nvrtc") return nvrtc_architectures(compiler);
    static auto* mutex = fork_safe(new std::mutex);
    static auto* known = new std::map<std::string, std::vector<int>>;  // by identity
    {
        const std::lock_guard lock(*mutex);
        if (const auto found = known->find(compiler.identity); found != known->end()) return found->second;
    }
    std::vector<int> numbers = nvcc_architectures(compiler);
    const std::lock_guard lock(*mutex);
    if (!numbers.empty()) known->emplace(compiler.identity, numbers);
    return numbers;
}

/// The newest of `known` whose PTX a device of architecture `wanted` can run; 0 if there is none.
int newest_up_to(const std::vector<int>& known, int wanted) {
    int newest = 0;
    for (const int number : known)
        if (number <= wanted) newest = std::max(newest, number);
    return newest;
}

/// Without an architecture, nvcc makes a cubin for the oldest one that it knows, but NVRTC makes PTX: so NVRTC gets
/// that architecture explicitly.
CompileTarget default_target(CompileTarget target, const Compiler& compiler) {
    if (!target.arch.empty() || target.kind != "cubin" || compiler.backend != "nvrtc") return target;
    if (const std::vector<int> known = architectures(compiler); !known.empty())
        target.arch = "sm_" + std::to_string(known.front());
    return target;
}

/// True for the first call with these arguments.
bool warn_first_time(const std::string& identity, const std::string& arch) {
    static auto* mutex = fork_safe(new std::mutex);
    static auto* warned = new std::set<std::pair<std::string, std::string>>;
    std::lock_guard lock(*mutex);
    return warned->emplace(identity, arch).second;
}

}  // namespace

BackendChoice choose_backend(const std::string& backend) {
    const std::string name = backend.empty() ? environment("PYCUDA_COMPILER") : backend;
    if (name.empty() || name == "auto") return BackendChoice::Auto;
    if (name == "nvcc") return BackendChoice::Nvcc;
    if (name == "nvrtc") return BackendChoice::Nvrtc;
    throw std::invalid_argument("the compiler backend (PYCUDA_COMPILER) must be 'auto', 'nvcc' or 'nvrtc', not '" +
                                name + "'");
}

std::string reason_for_nvcc(const CompileJob& job, const std::string& nvcc) {
    if (nvcc != "nvcc") return "nvcc=" + nvcc;
    if (!job.options.nvcc_only.empty()) return "option " + job.options.nvcc_only;
    if (!job.code.empty()) return "code=" + job.code;
    if (job.target.kind == "fatbin") return "target fatbin";
    const std::string& arch = job.target.arch;
    const bool is_known = arch.empty() || is_real_arch(arch) || (is_virtual_arch(arch) && job.target.kind != "cubin");
    if (!is_known) return "arch=" + arch;
    for (const char* variable : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"})
        if (!environment(variable).empty()) return variable;
    if (!with_leading_alignments(job.source).complete) return "an alignment behind the closing brace of a type";
    return {};
}

std::vector<Compiler> select_compilers(const CompileJob& job, BackendChoice choice, const std::string& nvcc,
                                       const std::string& memo_folder) {
    const std::vector<Toolkit> toolkits = known_toolkits();
    std::vector<Compiler> compilers;
    if (choice != BackendChoice::Nvcc && is_nvrtc_usable() && reason_for_nvcc(job, nvcc).empty())
        add_nvrtc(compilers, toolkits);
    // If the user chose nvcc, it reports unknown architectures itself.
    const bool nvcc_can = job.options.nvrtc_only.empty() || choice == BackendChoice::Nvcc;
    if (choice != BackendChoice::Nvrtc && nvcc_can) add_nvcc(compilers, nvcc, toolkits, memo_folder);
    return compilers;
}

void raise_no_compiler(const CompileJob& job, BackendChoice choice, const std::string& nvcc) {
    const std::string reason = reason_for_nvcc(job, nvcc);
    if (choice == BackendChoice::Nvrtc && !reason.empty())
        throw CompileError("PYCUDA_COMPILER=nvrtc was requested, but only nvcc supports " + reason, "", "", {"nvrtc"});
    // The toolkit that install_advice names is a large download for one option.
    if (choice == BackendChoice::Auto && !reason.empty() && !find_nvrtc().empty())
        throw CompileError("only nvcc supports " + reason + ", and " + nvcc + " was not found. NVRTC (" + find_nvrtc() +
                               ") can compile the source without it",
                           "", "", {nvcc});
    if (choice == BackendChoice::Nvrtc && !is_nvrtc_usable())
        throw CompileError(
            "NVRTC cannot be used in this process: it was forked while another thread of its parent compiled. Use nvcc "
            "(PYCUDA_COMPILER=nvcc), or start the process by fork and exec",
            "", "", {"nvrtc"});
    std::string text = choice == BackendChoice::Nvcc || !reason.empty() ? nvcc + " was not found"
                       : choice == BackendChoice::Nvrtc                 ? "libnvrtc was not found"
                                                                        : "no CUDA compiler was found";
    if (choice != BackendChoice::Nvrtc && !reason.empty()) text += " (nvcc is required by " + reason + ")";
    throw CompileError(text + ".\n" + toolkit_search_report(), "", "", {nvcc});
}

std::vector<Attempt> plan_attempts(const CompileJob& job, const std::vector<Compiler>& compilers) {
    std::vector<Attempt> attempts;
    const std::string& arch = job.target.arch;
    if (!job.target.from_device) {
        for (const Compiler& compiler : compilers) attempts.push_back({compiler, default_target(job.target, compiler)});
        return attempts;
    }
    const int wanted = arch_number(arch);
    std::vector<std::vector<int>> known;
    for (const Compiler& compiler : compilers) {
        known.push_back(architectures(compiler));
        // A compiler that does not list its architectures is tried anyway.
        const bool knows = known.back().empty() || std::binary_search(known.back().begin(), known.back().end(), wanted);
        if (knows) attempts.push_back({compiler, job.target});
    }
    if (!attempts.empty()) return attempts;
    std::size_t best = 0;
    for (std::size_t i = 1; i < known.size(); ++i)
        if (newest_up_to(known[i], wanted) > newest_up_to(known[best], wanted)) best = i;
    const int newest = newest_up_to(known[best], wanted);
    if (newest == 0)
        throw CompileError(compilers[best].identity + " does not support the current device's architecture " + arch +
                               " (the oldest it supports is sm_" + std::to_string(known[best].front()) +
                               "); install an older CUDA toolkit",
                           "", "", {compilers[best].path});
    Attempt attempt{compilers[best], job.target};
    attempt.target.arch = "compute_" + std::to_string(newest);
    attempt.target.kind = "ptx";
    if (warn_first_time(compilers[best].identity, arch))
        attempt.target.warning =
            compilers[best].backend + " does not support the current device's architecture " + arch +
            "; compiled to PTX for " + attempt.target.arch +
            " instead, which the driver compiles when it is loaded. A newer CUDA toolkit produces faster code.";
    return {attempt};
}

}  // namespace pycuda
