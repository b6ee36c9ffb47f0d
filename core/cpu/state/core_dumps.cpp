#include "state/core_dumps.hpp"

#include "platform/process.hpp"
#include "state/context.hpp"
#include "state/device.hpp"
#include "state/error.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <vector>

namespace cpu::state::core_dumps {
namespace {

constexpr std::size_t text_capacity = 1024;
/// Flags of CUDA 13.5, some of which cuda.h may not have yet.
constexpr unsigned gzip_compress = 1u << 6;
constexpr unsigned log_only = 1u << 31;
constexpr unsigned known_flags = 0x1ff | 1u << 30 | log_only;

using Settings = std::map<int, std::string>;

struct Listener {
    void* handle;
    Callback callback;
    void* user;
};

struct State {
    std::mutex mutex;
    Settings of_process;
    std::map<std::uint64_t, Settings> of_contexts;  ///< by the context's id
    std::vector<Listener> listeners[2];             ///< by Moment
    std::uintptr_t last_handle = 0;
};

/// Leaked: kernels may fail until the process ends.
State& state() {
    static auto* const instance = new State;
    return *instance;
}

thread_local bool in_callback = false;

template <class Value>
std::string bytes_of(const Value& value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

template <class Value>
Value value_of(const std::string& bytes) {
    Value value{};
    std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
    return value;
}

bool is_text(CUcoredumpSettings setting) {
    return setting == CU_COREDUMP_FILE || setting == CU_COREDUMP_PIPE;
}

std::string default_path(const char* prefix) {
    return std::string(prefix) + ".cuda." + platform::host_name() + "." + std::to_string(platform::process_id());
}

std::string default_of(CUcoredumpSettings setting) {
    switch (setting) {
        case CU_COREDUMP_FILE:
            return default_path("core");
        case CU_COREDUMP_PIPE:
            return default_path("corepipe");
        case CU_COREDUMP_GENERATION_FLAGS:
            return bytes_of(0);
        default:
            return bytes_of(setting == CU_COREDUMP_TRIGGER_HOST);
    }
}

void check(const Context* context, CUcoredumpSettings setting, const std::string& bytes) {
    const bool of_process = setting == CU_COREDUMP_ENABLE_USER_TRIGGER || setting == CU_COREDUMP_PIPE;
    require(!context || !of_process, CUDA_ERROR_NOT_PERMITTED);
    if (is_text(setting)) {
        require(!bytes.empty() && bytes.size() < text_capacity);
        return;
    }
    require(bytes.size() == size_of(setting));
    if (setting == CU_COREDUMP_GENERATION_FLAGS) {
        const auto flags = value_of<unsigned>(bytes);
        require((flags & ~known_flags) == 0);
        require((flags & gzip_compress) == 0, CUDA_ERROR_NOT_SUPPORTED);
    } else {
        require(static_cast<unsigned char>(bytes[0]) <= 1);
        require(setting != CU_COREDUMP_ENABLE_USER_TRIGGER || bytes[0] == 0, CUDA_ERROR_NOT_SUPPORTED);
    }
}

void call(Moment moment, CUdevice device) {
    std::vector<Listener> listeners;
    {
        const std::lock_guard lock(state().mutex);
        listeners = state().listeners[static_cast<int>(moment)];
    }
    in_callback = true;
    for (const Listener& listener : listeners) listener.callback(listener.user, platform::process_id(), device);
    in_callback = false;
}

void write(const Context& context, CUresult code, const std::string& report) {
    const std::string path = get(&context, CU_COREDUMP_FILE);
    std::ofstream file(platform::path_of(path), std::ios::trunc);
    file << "core dump of the CPU device\nprocess " << platform::process_id() << "\ndevice "
         << context.device().ordinal() << "\ncontext " << context.id() << "\nerror " << code << "\n\n"
         << report << "\n"
         << std::flush;
    if (!file.good()) std::fprintf(stderr, "[pycuda-cpu] the core dump %s cannot be written\n", path.c_str());
}

}  // namespace

std::size_t size_of(CUcoredumpSettings setting) {
    require(setting >= CU_COREDUMP_ENABLE_ON_EXCEPTION && setting < CU_COREDUMP_MAX);
    if (is_text(setting)) return text_capacity;
    return setting == CU_COREDUMP_GENERATION_FLAGS ? sizeof(int) : sizeof(bool);
}

std::string get(const Context* context, CUcoredumpSettings setting) {
    size_of(setting);
    const std::lock_guard lock(state().mutex);
    if (context) {
        const auto own = state().of_contexts.find(context->id());
        if (own != state().of_contexts.end())
            if (const auto found = own->second.find(setting); found != own->second.end()) return found->second;
        if (setting == CU_COREDUMP_ENABLE_ON_EXCEPTION && (context->flags & CU_CTX_COREDUMP_ENABLE))
            return bytes_of(true);
    }
    const auto found = state().of_process.find(setting);
    return found == state().of_process.end() ? default_of(setting) : found->second;
}

void set(const Context* context, CUcoredumpSettings setting, const std::string& bytes) {
    size_of(setting);
    check(context, setting, bytes);
    const std::lock_guard lock(state().mutex);
    (context ? state().of_contexts[context->id()] : state().of_process)[setting] = bytes;
}

void forget(const Context& context) noexcept {
    const std::lock_guard lock(state().mutex);
    state().of_contexts.erase(context.id());
}

void* add(Moment moment, Callback callback, void* user) {
    require(callback != nullptr);
    require(!in_callback, CUDA_ERROR_NOT_PERMITTED);
    const std::lock_guard lock(state().mutex);
    auto* const handle = reinterpret_cast<void*>(++state().last_handle);
    state().listeners[static_cast<int>(moment)].push_back({handle, callback, user});
    return handle;
}

void remove(Moment moment, void* handle) {
    require(!in_callback, CUDA_ERROR_NOT_PERMITTED);
    const std::lock_guard lock(state().mutex);
    require(std::erase_if(state().listeners[static_cast<int>(moment)],
                          [&](const Listener& known) { return known.handle == handle; }) == 1);
}

void write_after_fault(const Context& context, CUresult code, const std::string& report) noexcept {
    try {
        if (!value_of<bool>(get(&context, CU_COREDUMP_ENABLE_ON_EXCEPTION))) return;
        const auto flags = value_of<unsigned>(get(&context, CU_COREDUMP_GENERATION_FLAGS));
        call(Moment::Start, context.device().ordinal());
        if (flags & log_only)
            std::fprintf(stderr, "[pycuda-cpu] %s\n", report.c_str());
        else
            write(context, code, report);
        call(Moment::Complete, context.device().ordinal());
        if ((flags & CU_COREDUMP_SKIP_ABORT) || !value_of<bool>(get(&context, CU_COREDUMP_TRIGGER_HOST))) return;
    } catch (...) {
        return;  // out of memory
    }
    std::fprintf(stderr, "[pycuda-cpu] a kernel failed, and core dumps are enabled: the process ends\n");
    std::abort();
}

}  // namespace cpu::state::core_dumps
