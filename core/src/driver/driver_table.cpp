#include "driver/driver_table.hpp"

#include <atomic>
#include <mutex>

#include "driver/driver_messages.hpp"
#include "observing/observers.hpp"
#include "platform/environment.hpp"
#include "platform/files.hpp"
#include "platform/host_platform.hpp"
#include "platform/libraries.hpp"
#include "pycuda/driver/loading.hpp"
#include "pycuda/platform/forks.hpp"
#include "pycuda/threads/waiting.hpp"

namespace pycuda {
namespace {

constexpr int oldest_driver = 11030;  // the first with cuGetProcAddress

/// What is known about drivers so far. Guarded by its mutex. Leaked: calls may happen at any time during process exit.
struct Selection {
    std::mutex& mutex = *fork_safe(new std::mutex);
    const DriverLibrary* real = nullptr;    ///< opened; it may not work
    const DriverLibrary* chosen = nullptr;  ///< the choice, once made
    bool probed = false;                    ///< the choice initialised the real driver, though init was not called yet
    std::string cpu_path;                   ///< of set_cpu_library
    std::string (*cpu_source)() = nullptr;  ///< of set_cpu_library_source
    std::string notice;
};

Selection& selection() {
    static auto* instance = new Selection;
    return *instance;
}

std::atomic<const DriverTable*> in_use{nullptr};

/// cuGetProcAddress has four or five parameters, depending on the driver's version; the symbols differ.
struct Resolver {
    using Versioned = CUresult (*)(const char*, void**, int, cuuint64_t, CUdriverProcAddressQueryResult*);
    using Plain = CUresult (*)(const char*, void**, int, cuuint64_t);
    void* library;
    Versioned versioned;
    Plain plain;

    explicit Resolver(void* handle)
        : library(handle),
          versioned(reinterpret_cast<Versioned>(library_symbol(handle, "cuGetProcAddress_v2"))),
          plain(reinterpret_cast<Plain>(library_symbol(handle, "cuGetProcAddress"))) {}
    bool usable() const { return versioned || plain; }
    void* operator()(const char* name, int version) const {
        void* address = nullptr;
        constexpr cuuint64_t flags = CU_GET_PROC_ADDRESS_LEGACY_STREAM;
        const CUresult result =
            versioned ? versioned(name, &address, version, flags, nullptr) : plain(name, &address, version, flags);
        return result == CUDA_SUCCESS ? address : nullptr;
    }
    /// Symbols have no version: only for functions whose signature has never changed.
    void* symbol(const char* name) const { return library_symbol(library, name); }
};

/// If `resolver` is null, all calls of the table return CUDA_ERROR_NOT_INITIALIZED.
void fill(DriverTable& table, const Resolver* resolver) {
    const auto resolve = [&](auto& function) {
        function.resolve(resolver ? (*resolver)(function.name(), function.version()) : nullptr, resolver == nullptr);
    };
    const auto resolve_by_symbol = [&](auto& function) {
        if (resolver && !function.is_available()) function.resolve(resolver->symbol(function.name()), false);
    };
#define X(name, version) resolve(table.name);
#define X_AS(name, version, ...) resolve(table.name);
#define X_DROPPED(name, version, ...) \
    resolve(table.name);              \
    resolve_by_symbol(table.name);
#include "driver/driver_functions.def"
}

void observe(const DriverTable& table, bool on) noexcept {
#define X(name, version) table.name.observe(on);
#define X_AS(name, version, ...) table.name.observe(on);
#define X_DROPPED X_AS
#include "driver/driver_functions.def"
}

const DriverTable& table_before_init() {
    static const DriverTable& table = *[] {
        auto* made = new DriverTable;
        fill(*made, nullptr);
        return made;
    }();
    return table;
}

/// Null if it cannot be opened; `why` then gives the reason.
const DriverLibrary* open_library(const std::string& path, bool is_cpu_device, std::string& why) {
    void* const handle = load_library(path, &why);
    if (!handle) return nullptr;
    const Resolver resolver(handle);
    if (!resolver.usable()) {
        why =
            path + " has no cuGetProcAddress: a driver of CUDA " + version_text(oldest_driver) + " or newer is needed";
        return nullptr;
    }
    auto* library = new DriverLibrary{{}, path, is_cpu_device};
    fill(library->functions, &resolver);
    return library;
}

const DriverLibrary* open_real(Selection& state, std::string& why) {
    if (state.real || (state.real = open_library(driver_file, false, why))) return state.real;
    for (const std::string& folder : driver_folders(HostPlatform::of_this_machine())) {
        const std::string path = join_path(folder, driver_file);
        std::string why_not_this;
        if (!is_file(path)) continue;
        if ((state.real = open_library(path, false, why_not_this))) return state.real;
        why += "\n" + why_not_this;
    }
    return nullptr;
}

const DriverLibrary& open_cpu(const Selection& state) {
    const std::string from_environment = environment("PYCUDA_CPU_LIBRARY");
    std::vector<std::string> candidates;
    std::string tried;
    if (!from_environment.empty()) {
        candidates = {from_environment};  // requested by name: never open another
    } else {
        if (!state.cpu_path.empty()) candidates.push_back(state.cpu_path);
        const std::string given =
            state.cpu_source ? state.cpu_source() : join_path(own_folder(), library_file("pycuda_cpu"));
        if (is_absolute_path(given))
            candidates.push_back(given);
        else
            tried += "\n  " + given;
    }
    for (const std::string& path : candidates) {
        std::string why;
        if (const DriverLibrary* library = open_library(path, true, why)) return *library;
        tried += "\n  " + path + ": " + why;
    }
    throw RuntimeError("init", 0, no_cpu_device_text(tried));
}

/// Empty if the real driver works and has a device; otherwise why it cannot be used.
std::string refusal_of(const DriverLibrary& real) {
    if (const CUresult result = real.functions.cuInit.try_call(0)) return init_failure_text(result);
    int count = 0;
    const CUresult result = real.functions.cuDeviceGetCount.try_call(&count);
    if (result == CUDA_SUCCESS && count > 0) return {};
    return init_failure_text(result ? result : CUDA_ERROR_NO_DEVICE);
}

const DriverLibrary& choose_automatically(Selection& state) {
    std::string why;
    if (const DriverLibrary* real = open_real(state, why)) {
        why = refusal_of(*real);
        if (why.empty()) {
            state.probed = true;
            return *real;
        }
    }
    try {
        const DriverLibrary& library = open_cpu(state);
        state.notice = fallback_text(why);
        return library;
    } catch (const RuntimeError& error) {
        throw RuntimeError("init", 0,
                           no_driver_text(why) + "\nand the CPU device cannot be used either: " + error.what());
    }
}

const DriverLibrary& choose(Selection& state) {
    const std::string wanted = wanted_driver();
    if (wanted == "auto") return choose_automatically(state);
    if (wanted == "cpu") return open_cpu(state);
    std::string why;
    if (const DriverLibrary* real = open_real(state, why)) return *real;
    throw RuntimeError("init", 0, no_driver_text(why));
}

/// The target of calls before init. If another library has initialised the driver, they work.
const DriverTable& driver_before_init() {
    Selection& state = selection();
    const std::lock_guard lock(state.mutex);
    if (!state.chosen) {
        const std::string wanted = wanted_driver();
        std::string why;
        int count = 0;
        if (wanted != "auto") {
            state.chosen = &choose(state);
        } else if (const DriverLibrary* real = open_real(state, why); !real) {
            state.chosen = &choose(state);
        } else if (real->functions.cuDeviceGetCount.try_call(&count) == CUDA_SUCCESS && count > 0) {
            state.chosen = real;
        }
    }
    return state.chosen && !state.probed ? state.chosen->functions : table_before_init();
}

void leave_driver_to_parent() {
    forks::is_child = true;
    observers = 0;
    in_use = &table_before_init();
}

}  // namespace

const DriverTable& driver() {
    if (const DriverTable* table = in_use.load(std::memory_order_acquire)) [[likely]]
        return *table;
    return driver_before_init();
}

void observe_driver_calls(bool on) noexcept {
    Selection& state = selection();
    const std::lock_guard lock(state.mutex);
    for (const DriverLibrary* library : {state.real, state.chosen})
        if (library) observe(library->functions, on);
}

const DriverTable* driver_if_initialised() noexcept {
    return in_use.load(std::memory_order_acquire);
}

const DriverLibrary& choose_driver() {
    Selection& state = selection();
    const std::lock_guard lock(state.mutex);
    if (!state.chosen) state.chosen = &choose(state);
    return *state.chosen;
}

void use_driver(const DriverLibrary& library) noexcept {
    static const bool noted = [] {
        stay_loaded();
        table_before_init();  // a child has little left to do
        call_in_forked_children(leave_driver_to_parent);
        return true;
    }();
    static_cast<void>(noted);
    in_use.store(&library.functions, std::memory_order_release);
}

std::string take_fallback_notice() {
    Selection& state = selection();
    const std::lock_guard lock(state.mutex);
    return std::exchange(state.notice, {});
}

void set_cpu_library(const std::string& path) {
    Selection& state = selection();
    const std::lock_guard lock(state.mutex);
    state.cpu_path = path;
}

void set_cpu_library_source(std::string (*source)()) {
    Selection& state = selection();
    const std::lock_guard lock(state.mutex);
    state.cpu_source = source;
}

}  // namespace pycuda
