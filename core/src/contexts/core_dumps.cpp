#include "pycuda/contexts/core_dumps.hpp"

#include <cuda.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

#include "driver/driver_table.hpp"

namespace pycuda {
namespace {

constexpr std::size_t text_capacity = 1024;

bool is_text(int setting) {
    return setting == CU_COREDUMP_FILE || setting == CU_COREDUMP_PIPE;
}

/// The bytes that this library reads at least, in case the driver does not tell how many there are.
std::size_t min_capacity_of(int setting) {
    if (is_text(setting)) return text_capacity;
    return setting == CU_COREDUMP_GENERATION_FLAGS ? sizeof(int) : sizeof(bool);
}

const char* name_of(int setting) {
    switch (setting) {
        case CU_COREDUMP_FILE:
            return "file";
        case CU_COREDUMP_PIPE:
            return "pipe";
        case CU_COREDUMP_GENERATION_FLAGS:
            return "flags";
        case CU_COREDUMP_ENABLE_USER_TRIGGER:
            return "user_trigger";
        default:
            return "enabled";
    }
}

/// What the driver's `call` reports about a setting, and what is known to be wrong.
template <class Call>
void check(const Call& call, CUresult result, int setting, bool of_context) {
    if (result == CUDA_SUCCESS) return;
    std::string detail = std::string("setting ") + name_of(setting);
    if (of_context && (setting == CU_COREDUMP_PIPE || setting == CU_COREDUMP_ENABLE_USER_TRIGGER))
        detail += ": only the process's can be set, not a context's";
    else if (result == CUDA_ERROR_NOT_PERMITTED)
        detail += ": an environment variable of cuda-gdb has set it";
    call.fail(result, detail);
}

void* text_of(const std::string& text) {
    if (text.size() >= text_capacity)
        throw std::invalid_argument("expected a path of at most 1,023 bytes, given " + std::to_string(text.size()));
    return const_cast<char*>(text.c_str());
}

DriverCallback::Function with_ints(CoreDumps::Listener listener) {
    return [listener = std::move(listener)](std::int64_t pid, std::int64_t device) {
        listener(static_cast<int>(pid), static_cast<int>(device));
    };
}

void CUDA_CB tell(void* user, int pid, CUdevice device) {
    DriverCallback::call(user, pid, device);
}

/// Registers by one of the driver's functions, to be unregistered by the other.
template <class Register, class Unregister>
DriverCallback listen(const Register& begin, const Unregister& end, CoreDumps::Listener listener) {
    return DriverCallback::begin(with_ints(std::move(listener)), [&](void* user) {
        void* handle = nullptr;
        begin(&tell, user, &handle);
        return [&end, handle] { end(handle); };
    });
}

}  // namespace

std::string CoreDumps::raw(int setting) const {
    const auto attribute = static_cast<CUcoredumpSettings>(setting);
    const auto read = [&](const auto& call) {
        std::size_t size = 0;
        check(call, call.try_call(attribute, nullptr, &size), setting, context_ != nullptr);
        size = std::max(size, min_capacity_of(setting));
        std::string bytes(size, '\0');
        check(call, call.try_call(attribute, bytes.data(), &size), setting, context_ != nullptr);
        return bytes;
    };
    if (!context_) return read(driver().cuCoredumpGetAttributeGlobal);
    const ContextScope scope(*context_);
    return read(driver().cuCoredumpGetAttribute);
}

void CoreDumps::assign(int setting, const void* value, std::size_t size) const {
    const auto attribute = static_cast<CUcoredumpSettings>(setting);
    if (!context_) {
        const auto& call = driver().cuCoredumpSetAttributeGlobal;
        check(call, call.try_call(attribute, const_cast<void*>(value), &size), setting, false);
    } else {
        const ContextScope scope(*context_);
        const auto& call = driver().cuCoredumpSetAttribute;
        check(call, call.try_call(attribute, const_cast<void*>(value), &size), setting, true);
    }
}

void CoreDumps::set(int setting, const void* value, std::size_t size) {
    std::string before = raw(setting);
    assign(setting, value, size);
    const std::lock_guard lock(mutex_);
    before_.emplace(setting, std::move(before));
}

template <class Value>
Value CoreDumps::get(int setting) const {
    Value value{};
    std::memcpy(&value, raw(setting).data(), sizeof value);
    return value;
}

std::string CoreDumps::get_text(int setting) const {
    const std::string bytes = raw(setting);
    return bytes.substr(0, bytes.find('\0'));
}

bool CoreDumps::enabled() const {
    return get<bool>(CU_COREDUMP_ENABLE_ON_EXCEPTION);
}

void CoreDumps::set_enabled(bool enabled) {
    set(CU_COREDUMP_ENABLE_ON_EXCEPTION, &enabled, sizeof enabled);
}

std::string CoreDumps::file() const {
    return get_text(CU_COREDUMP_FILE);
}

void CoreDumps::set_file(const std::string& file) {
    set(CU_COREDUMP_FILE, text_of(file), file.size() + 1);
}

int CoreDumps::flags() const {
    return get<int>(CU_COREDUMP_GENERATION_FLAGS);
}

void CoreDumps::set_flags(int flags) {
    set(CU_COREDUMP_GENERATION_FLAGS, &flags, sizeof flags);
}

bool CoreDumps::user_trigger() const {
    return get<bool>(CU_COREDUMP_ENABLE_USER_TRIGGER);
}

void CoreDumps::set_user_trigger(bool enabled) {
    set(CU_COREDUMP_ENABLE_USER_TRIGGER, &enabled, sizeof enabled);
}

std::string CoreDumps::pipe_path() const {
    return get_text(CU_COREDUMP_PIPE);
}

void CoreDumps::set_pipe(const std::string& pipe) {
    set(CU_COREDUMP_PIPE, text_of(pipe), pipe.size() + 1);
}

void CoreDumps::restore() {
    std::map<int, std::string> before;
    {
        const std::lock_guard lock(mutex_);
        before.swap(before_);
    }
    if (context_ && !context_->is_valid()) return;
    std::exception_ptr first;
    for (const auto& [setting, bytes] : before) {
        try {
            assign(setting, bytes.c_str(), is_text(setting) ? std::strlen(bytes.c_str()) + 1 : bytes.size());
        } catch (...) {
            if (!first) first = std::current_exception();
            const std::lock_guard lock(mutex_);
            before_.emplace(setting, bytes);  // to be tried again
        }
    }
    if (first) std::rethrow_exception(first);
}

DriverCallback CoreDumps::on_start(Listener listener) {
    return listen(driver().cuCoredumpRegisterStartCallback, driver().cuCoredumpDeregisterStartCallback,
                  std::move(listener));
}

DriverCallback CoreDumps::on_complete(Listener listener) {
    return listen(driver().cuCoredumpRegisterCompleteCallback, driver().cuCoredumpDeregisterCompleteCallback,
                  std::move(listener));
}

}  // namespace pycuda
