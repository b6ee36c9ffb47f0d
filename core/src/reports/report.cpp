#include "pycuda/reports/report.hpp"

#include <chrono>

#include "compiler/cache_store.hpp"
#include "compiler/identity.hpp"
#include "compiler/prebuilt_kernels.hpp"
#include "driver/driver_messages.hpp"
#include "platform/environment.hpp"
#include "platform/host_platform.hpp"
#include "pycuda/compiler/cache.hpp"
#include "pycuda/compiler/compiler.hpp"
#include "pycuda/contexts/context.hpp"
#include "pycuda/devices/device.hpp"
#include "pycuda/driver/driver.hpp"
#include "pycuda/driver/loading.hpp"
#include "pycuda/errors/advice.hpp"
#include "pycuda/kernels/function.hpp"
#include "pycuda/memory/device_memory.hpp"
#include "pycuda/memory/memcpy.hpp"
#include "pycuda/modules/linker.hpp"
#include "pycuda/modules/module.hpp"
#include "pycuda/start/init.hpp"
#include "pycuda/toolchain/toolchain.hpp"
#include "reports/report_tree.hpp"

namespace pycuda {

namespace {

/// Add the results of `fill`, or the reason why it failed. False if it failed.
template <class Fill>
bool attempt(ReportNode& section, const Fill& fill) {
    try {
        fill();
        return true;
    } catch (const std::exception& error) {
        section.add("error", error.what());
        return false;
    }
}

void add_host(ReportNode& report, const std::string& language) {
    const HostPlatform host = HostPlatform::of_this_machine();
    report.add("system", host.system + " " + host.release + " " + host.machine);
    if (!language.empty()) report.add("language", language);
    const std::array<int, 3> built = version();
    report.add("built with CUDA", std::to_string(built[0]) + "." + std::to_string(built[1]));
    std::vector<std::string> variables;
    for (const std::string& text : environment_variables())
        if (text.starts_with("PYCUDA_") || text.starts_with("CUDA_") || text.starts_with("NVCC_"))
            variables.push_back(text);
    report.add("environment", variables);
}

bool add_driver(ReportNode& report) {
    ReportNode& section = report.section("driver");
    return attempt(section, [&] {
        init();
        const DriverInfo info = driver_info();
        section.add("library", info.library);
        section.add("is CPU device", info.is_cpu_device);
        section.add("version", version_text(driver_version()));
        if (const std::string notice = take_fallback_notice(); !notice.empty()) section.add("note", notice);
    });
}

void add_devices(ReportNode& report) {
    ReportNode& section = report.section("devices");
    attempt(section, [&] {
        for (int i = 0; i < Device::count(); ++i) {
            const Device device(i);
            const ComputeCapability capability = device.compute_capability();
            ReportNode& one = section.section(std::to_string(i));
            one.add("name", device.name());
            one.add("compute capability", std::to_string(capability.major) + "." + std::to_string(capability.minor));
            one.add("memory in bytes", static_cast<std::int64_t>(device.total_memory()));
            one.add("PCI bus id", device.pci_bus_id());
        }
    });
}

void add_compilers(ReportNode& report) {
    ReportNode& section = report.section("compilers");
    const std::vector<Toolkit> toolkits = find_toolkits();
    const std::string nvcc = find_nvcc(), nvrtc = find_nvrtc();
    section.add("nvcc", nvcc.empty() ? "not found" : nvcc);
    if (!nvcc.empty()) section.add("nvcc version", nvcc_identity(nvcc, ""));
    section.add("NVRTC", nvrtc.empty() ? "not found" : nvrtc);
    if (!nvrtc.empty()) section.add("NVRTC version", nvrtc_identity(nvrtc));
    section.add("nvJitLink", has_nvjitlink());
    section.add("device headers", device_include_dir().empty() ? "not found" : device_include_dir());
    section.add("prebuilt kernels", std::to_string(prebuilt_count(device_include_dir())));
    for (const Toolkit& toolkit : toolkits) {
        ReportNode& one = section.section(toolkit.root);
        one.add("found by", toolkit.found_by);
        one.add("headers in", toolkit.include_dirs);
        one.add("libraries in", toolkit.library_dirs);
    }
    if (nvcc.empty() && nvrtc.empty()) section.add("help", toolkit_search_report());
}

void add_cache(ReportNode& report) {
    ReportNode& section = report.section("cache");
    attempt(section, [&] {
        const CompilerCache cache;
        const CacheStore store(cache.directory());
        section.add("folder", cache.directory());
        section.add("disabled", CompilerCache::is_disabled());
        if (const std::string reason = store.reason_not_to_use(); !reason.empty())
            section.add("not used", reason);
        else if (const std::string problem = store.reason_not_to_write(); !problem.empty())
            section.add("not writable", problem);
        section.add("entries", static_cast<std::int64_t>(store.files().size()));
        section.add("bytes", static_cast<std::int64_t>(cache.size()));
        section.add("limit in bytes", static_cast<std::int64_t>(CacheStore::size_limit()));
    });
}

CompileRequest trial_request(const std::string& backend) {
    CompileRequest request;
    request.source = "__global__ void trial(int *out) { out[threadIdx.x] = 3 * threadIdx.x + 1; }\n";
    request.name = "trial.cu";
    request.backend = backend;
    request.use_cache = false;
    return request;
}

/// LogicError unless the kernel returns the expected values.
void run_trial(const CompileResult& compiled) {
    constexpr unsigned threads = 64;
    const auto module = Module::from_buffer(compiled.image.data(), compiled.image.size());
    const Function kernel = module->get_function("trial");
    const DeviceAllocation memory(threads * sizeof(int));
    const DevicePtr argument = memory.pointer();
    LaunchConfig config;
    config.block[0] = threads;
    kernel.launch(config, &argument, sizeof argument);
    int numbers[threads] = {};
    memcpy_dtoh(numbers, sizeof numbers, memory.pointer());
    for (unsigned i = 0; i < threads; ++i)
        if (numbers[i] != static_cast<int>(3 * i + 1))
            throw LogicError("report", 0, "the trial kernel returned wrong values");
}

/// Compile a kernel with each compiler and run it. True if the compiler that `compile` selects by default works.
bool add_trials(ReportNode& report) {
    ReportNode& section = report.section("trial");
    bool ok = false;
    attempt(section, [&] {
        const auto context = Device(0).make_context();
        for (const char* backend : {"auto", "nvrtc", "nvcc"}) {
            ReportNode& one = section.section(backend);
            const bool worked = attempt(one, [&] {
                const auto start = std::chrono::steady_clock::now();
                const CompileResult compiled = compile(trial_request(backend));
                const auto taken = std::chrono::steady_clock::now() - start;
                one.add("compiler", compiled.backend);
                one.add("made", compiled.kind);
                one.add("milliseconds", std::chrono::duration_cast<std::chrono::milliseconds>(taken).count());
                run_trial(compiled);
                one.add("result", "right");
            });
            ok |= worked && std::string(backend) == "auto";
        }
        context->detach();
    });
    return ok;
}

/// The first line of a text.
std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

std::string driver_summary(const ReportNode& root) {
    if (const std::string error = root.at({"driver", "error"}); !error.empty()) return error;
    const bool is_cpu = root.at({"driver", "is CPU device"}) == "yes";
    return std::string(is_cpu ? "the CPU device" : "NVIDIA's") + ", CUDA " + root.at({"driver", "version"});
}

std::string cache_summary(const ReportNode& root) {
    if (const std::string reason = root.at({"cache", "not used"}); !reason.empty()) return "not used: " + reason;
    const std::string summary = root.at({"cache", "folder"}) + ", " + root.at({"cache", "entries"}) + " entries";
    const std::string reason = root.at({"cache", "not writable"});
    return reason.empty() ? summary
                          : summary + "; it is not writable (" + reason +
                                "), so each process compiles again: set PYCUDA_CACHE_DIR to a writable folder";
}

std::string compiler_summary(const ReportNode& root) {
    if (!root.at({"compilers", "help"}).empty())
        return "none found; --verbose lists the folders that were searched\n" + install_advice();
    if (const std::string error = root.at({"trial", "auto", "error"}); !error.empty()) return error;
    return root.at({"trial", "auto", "compiler"}) + ", " + root.at({"trial", "auto", "milliseconds"}) +
           " ms for a kernel";
}

/// The summary: a line for each part, and whether everything works.
std::string summary_of(const ReportNode& root) {
    std::string lines = root.at({"language"}) + "\ndriver: " + driver_summary(root) + "\n";
    if (const std::string note = root.at({"driver", "note"}); !note.empty())
        lines += "note: " + first_line(note) + "\n";
    for (int i = 0; !root.at({"devices", std::to_string(i), "name"}).empty(); ++i)
        lines += "device " + std::to_string(i) + ": " + root.at({"devices", std::to_string(i), "name"}) +
                 ", compute capability " + root.at({"devices", std::to_string(i), "compute capability"}) + "\n";
    lines += "compiler: " + compiler_summary(root) + "\ncache: " + cache_summary(root) + "\n";
    return lines + "a kernel can be compiled and run: " + root.at({"a kernel can be compiled and run"}) + "\n";
}

}  // namespace

Report report(const std::string& language) {
    ReportNode root;
    bool ok = false;
    attempt(root, [&] {
        add_host(root, language);
        const bool driver_works = add_driver(root);
        if (driver_works) add_devices(root);
        add_compilers(root);
        add_cache(root);
        ok = driver_works && add_trials(root);
        root.add("a kernel can be compiled and run", ok);
    });
    return {summary_of(root), root.text(), root.json() + "\n", ok};
}

}  // namespace pycuda
