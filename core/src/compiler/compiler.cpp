#include "pycuda/compiler/compiler.hpp"

#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "compiler/blake2b.hpp"
#include "compiler/cache_store.hpp"
#include "compiler/failure_advice.hpp"
#include "compiler/include_scanner.hpp"
#include "compiler/prebuilt_kernels.hpp"
#include "compiler/reference_headers.hpp"
#include "compiler/select.hpp"
#include "compiler/slow_notice.hpp"
#include "compiler/texture_declarations.hpp"
#include "platform/environment.hpp"
#include "platform/files.hpp"
#include "pycuda/compiler/cache.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/text/nul.hpp"
#include "text/words.hpp"
#include "timeline/nvtx_range.hpp"
#include "timeline/timeline.hpp"

namespace pycuda {

namespace {

std::string wrap_source(const CompileRequest& request, bool extern_c) {
    const TextureDeclarations declared(without_byte_order_mark(request.source));
    const std::string prologue = declared.found() ? texture_prologue : "";
    const std::string text = line_directive(request.name) + declared.source();
    return prologue + (extern_c ? "extern \"C\" {\n" + text + "\n}\n" : text);
}

void require_whole_texts(const CompileRequest& request) {
    require_no_nul(request.source, "source");
    require_no_nul(request.name, "name");
    require_no_nul(request.nvcc, "nvcc");
    require_no_nul(request.arch, "arch");
    require_no_nul(request.code, "code");
    require_no_nul(request.cache_dir, "cache_dir");
    for (const std::string& option : request.options) require_no_nul(option, "options");
    for (const std::string& folder : request.include_dirs) require_no_nul(folder, "include_dirs");
    for (const std::string& name : request.name_expressions) require_no_nul(name, "name_expressions");
}

CompileJob make_job(const CompileRequest& request) {
    CompileJob job;
    job.extern_c = !request.no_extern_c && request.name_expressions.empty();
    job.source = wrap_source(request, job.extern_c);
    job.name = request.name;
    job.options = parse_options(request.options);
    job.user_dirs = job.options.include_dirs;
    for (const std::string& folder : request.include_dirs) job.user_dirs.push_back(absolute_path(folder));
    job.device_dir = device_include_dir();
    job.code = request.code;
    const std::string& arch = request.arch.empty() ? job.options.arch : request.arch;
    const bool names_arch = !arch.empty() || job.options.has_gencode;
    const TargetDevice device = current_target_device(names_arch);
    job.target = choose_target(arch, request.code, job.options.has_gencode, request.target, device);
    job.name_expressions = request.name_expressions;
    job.keep = request.keep;
    job.minimal = request.minimal;
    add_line_info(job, request, device.is_cpu_device);
    return job;
}

/// The key of a request. The compiler and the headers are checked entry by entry.
std::string cache_key(const CompileJob& job, const CompileRequest& request, BackendChoice choice) {
    Blake2b hash;
    const auto list = [&](const std::vector<std::string>& values) {
        hash.field(std::to_string(values.size()));
        for (const std::string& value : values) hash.field(value);
    };
    for (const std::string* text : {&job.source, &request.nvcc, &job.target.arch, &job.target.kind, &job.code})
        hash.field(*text);
    list(job.options.nvcc);
    list(job.options.pre_includes);
    list(job.user_dirs);
    list(job.name_expressions);
    hash.field(std::to_string(static_cast<int>(choice)));
    if (job.is_quotable) hash.field("quotable");
    // These environment variables change the output of nvcc and the host compiler.
    for (const char* name :
         {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"})
        hash.field(environment(name));
    return hash.hex();
}

HeaderRoots header_roots(const CompileJob& job, const Toolkit& toolkit) {
    return {job.device_dir, toolkit.include_dirs, true};
}

/// Whether one of `compilers` would produce `entry` now. If its kind of compiler is not installed, as on a
/// machine that imported it, the installed headers must match.
bool is_current(CacheEntry& entry, const CompileJob& job, const std::vector<Compiler>& compilers, bool& refreshed) {
    for (const Compiler& compiler : compilers) {
        if (compiler.backend != entry.backend) continue;
        return compiler.identity == entry.compiler &&
               up_to_date(entry.dependencies, header_roots(job, compiler.toolkit), refreshed);
    }
    return up_to_date(entry.dependencies, {job.device_dir, {}, false}, refreshed);
}

CompileResult result_of_prebuilt(const std::string& image) {
    CompileResult result;
    result.image.assign(image.begin(), image.end());
    result.kind = "fatbin";
    result.backend = "nvrtc";
    result.cached = true;
    return result;
}

CompileResult result_of(CacheEntry entry) {
    CompileResult result;
    result.image.assign(entry.image.begin(), entry.image.end());
    result.kind = std::move(entry.kind);
    result.lowered_names = std::move(entry.lowered_names);
    result.backend = std::move(entry.backend);
    result.command_line = std::move(entry.command_line);
    result.cached = true;
    return result;
}

BackendOutput run_backend(const CompileJob& job, const Compiler& compiler) {
    return compiler.backend == "nvcc" ? compile_with_nvcc(job, compiler) : compile_with_nvrtc(job, compiler);
}

/// `error` with what to do about it at the end, where it is seen after a hundred lines of messages.
CompileError with_advice(const CompileError& error, const CompileJob& job, const Compiler& compiler) {
    const std::string advice = failure_advice(job, compiler, error.stderr_text());
    if (advice.empty()) return error;
    return CompileError(error.msg(), error.stdout_text(), error.stderr_text() + "\n\n" + advice, error.command_line());
}

/// The error of `refused`, with a note that nvcc could not be tried.
CompileError without_second_opinion(const CompileError& refused) {
    return CompileError(refused.msg() + "; nvcc could not be tried, because no host compiler is installed (g++)",
                        refused.stdout_text(), refused.stderr_text(), refused.command_line());
}

/// Compile with NVRTC what it rejected with `error` for an unknown name, with the headers that nvcc includes before
/// every source; `job` then has them, too. Empty if NVRTC rejects that as well, or if no name is unknown.
std::optional<BackendOutput> run_with_implicit_header(CompileJob& job, const Compiler& compiler,
                                                      const CompileError& error) {
    if (compiler.backend != "nvrtc" || error.stderr_text().find("\" is undefined") == std::string::npos) return {};
    CompileJob other = job;
    other.options.pre_includes.insert(other.options.pre_includes.begin(), implicit_header);
    try {
        BackendOutput output = run_backend(other, compiler);
        job = std::move(other);
        return output;
    } catch (const CompileError&) {
        return {};
    }
}

/// Try one compiler after the other. The user sees the last one's error, unless that compiler could not start:
/// then the error of the one before. Headers are compiled unchanged, unless
/// they declare references or begin with a byte order mark; this is checked if the source declares references, or if a
/// compiler rejects the source. Leave the compiled source in `job`.
BackendOutput run_attempts(CompileJob& job, const std::vector<Attempt>& attempts, const Attempt*& made_by) {
    const SlowNotice notice(job.name);
    bool looked = false;
    const auto look_for_references = [&] {
        if (std::exchange(looked, true)) return false;
        std::optional<CompileJob> other = with_references_in_headers(job);
        if (other) job = std::move(*other);
        return other.has_value();
    };
    if (job.source.starts_with(texture_prologue)) look_for_references();
    std::optional<CompileError> refused;
    for (std::size_t i = 0; i < attempts.size();) {
        made_by = &attempts[i];
        job.target = made_by->target;
        try {
            return run_backend(job, made_by->compiler);
        } catch (const NoHostCompiler&) {
            if (++i < attempts.size()) continue;
            if (refused) throw without_second_opinion(*refused);
            throw;
        } catch (const CompileError& error) {
            if (look_for_references()) continue;  // try the same compiler again
            if (std::optional<BackendOutput> output = run_with_implicit_header(job, made_by->compiler, error))
                return std::move(*output);
            refused = with_advice(error, job, made_by->compiler);
            if (++i == attempts.size()) throw *refused;
        }
    }
    throw CompileError("no compiler was tried", "", "", {});
}

/// All headers that the image was made from; empty if they are unknown: then the image cannot be cached.
/// `job` names headers as the program does.
std::optional<Dependencies> dependencies_of(const CompileJob& job, const Compiler& compiler,
                                            const BackendOutput& output) {
    const HeaderRoots roots = header_roots(job, compiler.toolkit);
    if (output.lists_dependencies) {
        IncludeClosure searched = find_includes(job.source, job.options.pre_includes, job.user_dirs, {});
        for (std::string& place : shadowing_places(output.dependencies, job.user_dirs, roots))
            searched.absent.push_back(std::move(place));
        return record_dependencies(output.dependencies, std::move(searched.absent), job.user_dirs, roots);
    }
    IncludeClosure closure =
        find_includes(job.source, job.options.pre_includes, job.user_dirs, system_dirs(job, compiler));
    if (!closure.complete) return {};
    return record_dependencies(closure.files, std::move(closure.absent), job.user_dirs, roots);
}

/// Runs the compilers, and stores the image if `store` is given.
CompileResult compile_anew(const CompileJob& job, const CompileRequest& request, const std::vector<Compiler>& compilers,
                           const CacheStore* store, const std::string& key) {
    const std::int64_t started = now_ns();
    const std::vector<Attempt> attempts = plan_attempts(job, compilers);
    const Attempt* made_by = nullptr;
    CompileJob compiled = job;
    BackendOutput output = run_attempts(compiled, attempts, made_by);
    if (job.is_quotable && made_by->target.kind == "ptx") make_quotable(output.image, request.name, request.source);

    CompileResult result;
    result.kind = made_by->target.kind;
    for (const std::string* warning : {&job.target.warning, &made_by->target.warning})
        if (!warning->empty() && (result.warnings.empty() || result.warnings.back() != *warning))
            result.warnings.push_back(*warning);
    if (output.messages.find_first_not_of(" \t\r\n") != std::string::npos)
        result.warnings.push_back("The CUDA compiler succeeded, but said the following:\n" + output.messages);
    if (store) {
        // If a header was edited while the compiler ran, it is unknown which version the compiler read.
        CompileJob read = job;
        if (compiled.source != job.source || !compiled.header_copies.empty())
            read.options.pre_includes.insert(read.options.pre_includes.begin(), texture_header);
        if (!compiled.options.pre_includes.empty() && compiled.options.pre_includes.front() == implicit_header)
            read.options.pre_includes.insert(read.options.pre_includes.begin(), implicit_header);
        std::optional<Dependencies> dependencies = dependencies_of(read, made_by->compiler, output);
        if (dependencies && newest_user_change(*dependencies) <= started) {
            const CacheEntry entry{job.name,
                                   result.kind,
                                   job.target.arch,
                                   made_by->compiler.backend,
                                   made_by->compiler.identity,
                                   output.command_line,
                                   output.lowered_names,
                                   std::move(*dependencies),
                                   output.image};
            store->store(key, entry);
        }
    }
    result.image.assign(output.image.begin(), output.image.end());
    result.lowered_names = std::move(output.lowered_names);
    result.backend = made_by->compiler.backend;
    result.build_dir = std::move(output.build_dir);
    result.command_line = std::move(output.command_line);
    return result;
}

}  // namespace

CompileResult compile(const CompileRequest& request) {
    TimelineSpan span("compile");
    const NvtxRange range("compile");
    require_whole_texts(request);
    const CompileJob job = make_job(request);
    const BackendChoice choice = choose_backend(request.backend);
    // "native" depends on the machine.
    const bool wanted = request.use_cache && !CompilerCache::is_disabled() && job.target.arch != "native";
    if (wanted && request.use_prebuilt && !request.keep && choice == BackendChoice::Auto)
        if (const auto image = prebuilt_image(request.source, request.options, job.target, job.device_dir)) {
            span.note("prebuilt");
            return result_of_prebuilt(*image);
        }
    const CacheStore store(wanted ? CompilerCache(request.cache_dir).directory() : std::string{});
    const bool cached = store.reason_not_to_use().empty();
    const std::string memo_folder = cached ? store.compilers_folder() : std::string{};
    const std::vector<Compiler> compilers = select_compilers(job, choice, request.nvcc, memo_folder);
    const std::string key = cached ? cache_key(job, request, choice) : std::string{};
    const auto look_up = [&]() -> std::optional<CacheEntry> {
        return store.lookup(
            key, [&](CacheEntry& entry, bool& refreshed) { return is_current(entry, job, compilers, refreshed); });
    };

    // keep=True must run the compiler, so it bypasses the cache.
    if (cached && !request.keep)
        if (auto entry = look_up()) {
            span.note("cache hit");
            return result_of(std::move(*entry));
        }
    span.note("compiled");
    if (compilers.empty()) raise_no_compiler(job, choice, request.nvcc);
    if (!cached) return compile_anew(job, request, compilers, nullptr, key);
    const FileLock lock(store.lock_path(key), CacheStore::lock_patience());
    if (lock.waited() && !request.keep)
        if (auto entry = look_up()) return result_of(std::move(*entry));
    return compile_anew(job, request, compilers, &store, key);
}

std::vector<std::string> default_nvcc_flags() {
    return words_of(environment("PYCUDA_DEFAULT_NVCC_FLAGS"));
}

}  // namespace pycuda
