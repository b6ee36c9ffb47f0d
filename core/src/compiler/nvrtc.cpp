#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "compiler/backend.hpp"
#include "compiler/trailing_alignment.hpp"
#include "platform/files.hpp"
#include "platform/libraries.hpp"
#include "platform/threads.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/platform/forks.hpp"

namespace pycuda {

namespace {

using nvrtcProgram = struct NvrtcProgram*;
constexpr int nvrtc_success = 0;

/// The functions of one libnvrtc, declared here because nvrtc.h may be missing when this is built.
struct Nvrtc {
    int (*version)(int*, int*) = nullptr;
    int (*num_archs)(int*) = nullptr;  ///< null before CUDA 11.2
    int (*archs)(int*) = nullptr;      ///< same
    const char* (*error_string)(int) = nullptr;
    int (*create)(nvrtcProgram*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
    int (*destroy)(nvrtcProgram*) = nullptr;
    int (*compile)(nvrtcProgram, int, const char* const*) = nullptr;
    int (*ptx_size)(nvrtcProgram, std::size_t*) = nullptr;
    int (*ptx)(nvrtcProgram, char*) = nullptr;
    int (*cubin_size)(nvrtcProgram, std::size_t*) = nullptr;  ///< null before CUDA 11.1
    int (*cubin)(nvrtcProgram, char*) = nullptr;              ///< same
    int (*ltoir_size)(nvrtcProgram, std::size_t*) = nullptr;  ///< null before CUDA 12.0
    int (*ltoir)(nvrtcProgram, char*) = nullptr;              ///< same
    int (*log_size)(nvrtcProgram, std::size_t*) = nullptr;
    int (*log)(nvrtcProgram, char*) = nullptr;
    int (*add_name)(nvrtcProgram, const char*) = nullptr;
    int (*lowered_name)(nvrtcProgram, const char*, const char**) = nullptr;
};

template <class Pointer>
void resolve(void* library, const char* name, Pointer& function, bool required = true) {
    function = reinterpret_cast<Pointer>(library_symbol(library, name));
    if (!function && required)
        throw CompileError(std::string("libnvrtc does not have the function ") + name, "", "", {"nvrtc"});
}

/// In pip's layout libnvrtc finds its builtins only if they are loaded already: otherwise every compile ends with
/// error 7.
void load_builtins(const std::string& folder) {
    for (const std::string& name : directory_entries(folder))
        if (name.starts_with(library_prefix("nvrtc-builtins"))) {
            load_library(join_path(folder, name));
            return;
        }
}

Nvrtc open_nvrtc(const std::string& path) {
    load_builtins(parent_path(path));
    std::string why;
    void* const library = load_library(path, &why);
    if (!library) throw CompileError("cannot load " + path + ": " + why, "", "", {"nvrtc"});
    // While its front end compiles, NVRTC handles SIGINT and SIGTERM itself, and ends the process then: the program
    // would get no KeyboardInterrupt, and Java no shutdown. It leaves signals alone that are ignored.
    forbid_signal_handlers(library);
    Nvrtc nvrtc;
    resolve(library, "nvrtcVersion", nvrtc.version);
    resolve(library, "nvrtcGetNumSupportedArchs", nvrtc.num_archs, false);
    resolve(library, "nvrtcGetSupportedArchs", nvrtc.archs, false);
    resolve(library, "nvrtcGetErrorString", nvrtc.error_string);
    resolve(library, "nvrtcCreateProgram", nvrtc.create);
    resolve(library, "nvrtcDestroyProgram", nvrtc.destroy);
    resolve(library, "nvrtcCompileProgram", nvrtc.compile);
    resolve(library, "nvrtcGetPTXSize", nvrtc.ptx_size);
    resolve(library, "nvrtcGetPTX", nvrtc.ptx);
    resolve(library, "nvrtcGetCUBINSize", nvrtc.cubin_size, false);
    resolve(library, "nvrtcGetCUBIN", nvrtc.cubin, false);
    resolve(library, "nvrtcGetLTOIRSize", nvrtc.ltoir_size, false);
    resolve(library, "nvrtcGetLTOIR", nvrtc.ltoir, false);
    resolve(library, "nvrtcGetProgramLogSize", nvrtc.log_size);
    resolve(library, "nvrtcGetProgramLog", nvrtc.log);
    resolve(library, "nvrtcAddNameExpression", nvrtc.add_name);
    resolve(library, "nvrtcGetLoweredName", nvrtc.lowered_name);
    return nvrtc;
}

/// Loaded once for each path and never unloaded.
const Nvrtc& load_nvrtc(const std::string& path) {
    static auto* mutex = fork_safe(new std::mutex);
    static auto* loaded = new std::unordered_map<std::string, Nvrtc>;
    std::lock_guard lock(*mutex);
    auto it = loaded->find(path);
    if (it == loaded->end()) it = loaded->emplace(path, open_nvrtc(path)).first;
    return it->second;
}

/// The folder given to a source. NVRTC would search the working directory for #include "x", which neither nvcc's build
/// folder nor the cache's list of headers knows about.
constexpr const char* no_folder = "/no-source-folder/";

class Program {
public:
    Program(const Nvrtc& nvrtc, const CompileJob& job, const std::vector<std::string>& command)
        : nvrtc_(nvrtc), command_(command) {
        const std::string name = no_folder + job.name;
        std::vector<const char*> texts, names;
        for (const HeaderCopy& copy : job.header_copies) {
            texts.push_back(copy.text.c_str());
            names.push_back(copy.name.c_str());
        }
        const std::string source = with_leading_alignments(job.source).source;
        check(nvrtc_.create(&program_, source.c_str(), name.c_str(), static_cast<int>(names.size()), texts.data(),
                            names.data()),
              "nvrtcCreateProgram");
    }
    ~Program() { nvrtc_.destroy(&program_); }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    void add_name(const std::string& expression) {
        check(nvrtc_.add_name(program_, expression.c_str()), "nvrtcAddNameExpression");
    }
    int compile() {
        std::vector<const char*> options;
        for (std::size_t i = 1; i < command_.size(); ++i) options.push_back(command_[i].c_str());
        return nvrtc_.compile(program_, static_cast<int>(options.size()), options.data());
    }
    std::string log() {
        std::string text = fetch(nvrtc_.log_size, nvrtc_.log, "nvrtcGetProgramLog");
        while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
        for (std::size_t at = 0; (at = text.find(no_folder, at)) != std::string::npos;)
            text.erase(at, std::strlen(no_folder));
        return text;
    }
    std::string ptx() {
        std::string text = fetch(nvrtc_.ptx_size, nvrtc_.ptx, "nvrtcGetPTX");
        while (!text.empty() && text.back() == '\0') text.pop_back();
        return text;
    }
    std::string ltoir() { return fetch(nvrtc_.ltoir_size, nvrtc_.ltoir, "nvrtcGetLTOIR"); }
    std::string cubin() { return fetch(nvrtc_.cubin_size, nvrtc_.cubin, "nvrtcGetCUBIN"); }
    std::string lowered_name(const std::string& expression) {
        const char* name = nullptr;
        check(nvrtc_.lowered_name(program_, expression.c_str(), &name), "nvrtcGetLoweredName");
        return name;
    }

private:
    std::string fetch(int (*size)(nvrtcProgram, std::size_t*), int (*get)(nvrtcProgram, char*), const char* what) {
        std::size_t nbytes = 0;
        check(size(program_, &nbytes), what);
        std::string content(nbytes, '\0');
        check(get(program_, content.data()), what);
        return content;
    }
    void check(int status, const char* what) {
        if (status != nvrtc_success)
            throw CompileError(std::string(what) + " failed: " + nvrtc_.error_string(status), "", "", command_);
    }

    const Nvrtc& nvrtc_;
    const std::vector<std::string>& command_;
    nvrtcProgram program_ = nullptr;
};

std::pair<int, int> version_of(const Nvrtc& nvrtc) {
    std::pair<int, int> version{0, 0};
    if (nvrtc.version(&version.first, &version.second) != nvrtc_success) return {0, 0};
    return version;
}

bool has_standard(const CompileJob& job) {
    return std::any_of(job.options.nvrtc.begin(), job.options.nvrtc.end(),
                       [](const std::string& option) { return option.starts_with("--std="); });
}

std::vector<std::string> command_line(const Nvrtc& nvrtc, const CompileJob& job, const Compiler& compiler) {
    std::vector<std::string> command = {"nvrtc"};
    const int major = version_of(nvrtc).first;
    if (job.minimal && major >= 13) command.push_back("--minimal");
    // Older versions compile C++98 then, unlike their nvcc.
    if (major < 12 && !has_standard(job)) command.push_back("--std=c++14");
    command.insert(command.end(), job.options.nvrtc.begin(), job.options.nvrtc.end());
    for (const std::string& name : job.options.pre_includes) command.push_back("--pre-include=" + name);
    if (!job.target.arch.empty()) command.push_back("--gpu-architecture=" + job.target.arch);
    if (job.target.kind == "ltoir")
        command.insert(command.end(), {"--dlink-time-opt", "--relocatable-device-code=true"});
    for (const std::string& folder : job.user_dirs) command.push_back("-I" + folder);
    for (const std::string& folder : system_dirs(job, compiler)) command.push_back("-I" + folder);
    return command;
}

/// Leave a folder with the source, and the image if there is one, as nvcc does.
std::string write_build_folder(const CompileJob& job, const BackendOutput& output) {
    TemporaryDirectory folder;
    folder.keep();
    const std::string file = job.name.substr(job.name.rfind('/') + 1);
    write_file_atomically(join_path(folder.path(), file), job.source);
    for (const HeaderCopy& copy : job.header_copies)
        write_file_atomically(join_path(folder.path(), copy.name), copy.text);
    if (!output.image.empty())
        write_file_atomically(join_path(folder.path(), file + "." + job.target.kind), output.image);
    return folder.path();
}

BackendOutput run_nvrtc(const Nvrtc& nvrtc, const CompileJob& job, const Compiler& compiler) {
    BackendOutput output;
    output.command_line = command_line(nvrtc, job, compiler);
    Program program(nvrtc, job, output.command_line);
    for (const std::string& expression : job.name_expressions) program.add_name(expression);
    const int status = program.compile();
    output.messages = program.log();
    if (status != nvrtc_success) {
        const std::string source = job.keep ? join_path(write_build_folder(job, output), job.name) : job.name;
        throw CompileError("nvrtc compilation of " + source + " failed: " + nvrtc.error_string(status), "",
                           output.messages, output.command_line);
    }
    output.image = job.target.kind == "ptx"     ? program.ptx()
                   : job.target.kind == "ltoir" ? program.ltoir()
                                                : program.cubin();
    for (const std::string& expression : job.name_expressions)
        output.lowered_names.push_back(program.lowered_name(expression));
    if (job.keep) output.build_dir = write_build_folder(job, output);
    return output;
}

/// NVRTC's own locks stay locked in a child that is forked while another thread compiles.
std::atomic<int> running{0};
std::atomic<bool> ran_at_fork{false};

class Running {
public:
    Running() noexcept {
        static const bool noted = [] {
            call_in_forked_children([] { ran_at_fork = running.exchange(0) != 0 || ran_at_fork; });
            return true;
        }();
        static_cast<void>(noted);
        ++running;
    }
    ~Running() { --running; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
};

/// Run `work` on a thread whose stack is large enough for the compiler's recursion, unlike those of Java threads.
void run_on_large_stack(const std::function<void()>& work) {
    struct Task {
        const std::function<void()>& work;
        std::exception_ptr failure;
    } task{work, nullptr};
    const auto body = [](void* argument) {
        auto& mine = *static_cast<Task*>(argument);
        try {
            mine.work();
        } catch (...) {
            mine.failure = std::current_exception();
        }
    };
    run_on_stack(std::size_t{64} << 20, body, &task);
    if (task.failure) std::rethrow_exception(task.failure);
}

}  // namespace

bool is_nvrtc_usable() noexcept {
    return !ran_at_fork;
}

BackendOutput compile_with_nvrtc(const CompileJob& job, const Compiler& compiler) {
    const Nvrtc& nvrtc = load_nvrtc(compiler.path);
    if ((job.target.kind == "cubin" && !nvrtc.cubin) || (job.target.kind == "ltoir" && !nvrtc.ltoir))
        throw CompileError(
            "this version of libnvrtc cannot produce " + job.target.kind + "; use a newer one, or PYCUDA_COMPILER=nvcc",
            "", "", {"nvrtc"});
    BackendOutput output;
    const Running counted;
    run_on_large_stack([&] { output = run_nvrtc(nvrtc, job, compiler); });
    return output;
}

std::string nvrtc_version(const Compiler& compiler) {
    const auto [major, minor] = version_of(load_nvrtc(compiler.path));
    return major == 0 ? std::string{} : std::to_string(major) + "." + std::to_string(minor);
}

std::vector<int> nvrtc_architectures(const Compiler& compiler) {
    const Nvrtc& nvrtc = load_nvrtc(compiler.path);
    int count = 0;
    if (!nvrtc.num_archs || !nvrtc.archs || nvrtc.num_archs(&count) != nvrtc_success) return {};
    std::vector<int> numbers(static_cast<std::size_t>(count));
    if (nvrtc.archs(numbers.data()) != nvrtc_success) return {};
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

}  // namespace pycuda
