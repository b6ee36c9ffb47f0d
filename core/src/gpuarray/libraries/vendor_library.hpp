#pragma once

#include <mutex>
#include <string>
#include <utility>

#include "pycuda/contexts/context.hpp"
#include "pycuda/threads/waiting.hpp"

namespace pycuda::gpuarray {

/// A library of NVIDIA that arrays use if it is installed, opened once and never closed. An environment variable
/// decides: "0" disables the library; "1" demands it, for every size of arrays; the path of a file demands that file,
/// on the CPU device too. If it is unset, arrays on a GPU use the newest version in the toolkits that find_toolkits()
/// returns, if it has the needed functions and is faster.
class VendorLibrary {
public:
    /// "cuSOLVER", "cusolver", "PYCUDA_CUSOLVER". RuntimeError if it is required and cannot be opened.
    VendorLibrary(const char* title, const char* library, const char* variable);

    bool is_there() const noexcept { return library_ != nullptr; }
    /// True if it must be used for every size: failures are then raised instead of falling back.
    bool is_demanded() const noexcept { return demanded_; }
    /// Look up a function. If it is missing, the library counts as not installed: RuntimeError if it is required.
    template <class Function>
    void find(const std::string& name, Function& function) {
        function = reinterpret_cast<Function>(symbol(name));
    }
    /// Throws RuntimeError "cuSOLVER: cusolverDnSgetrf returned status 7" unless `status` is 0, which means success in
    /// every library.
    void check(int status, const char* function) const;

private:
    [[noreturn]] void refuse(const std::string& why) const;
    void* symbol(const std::string& name);

    const char* const title_;
    std::string path_;
    void* library_ = nullptr;
    bool demanded_ = false;
};

/// A context's handle of a vendor library. Calls are queued one at a time, because the stream is a property of the
/// handle. `Api` has the static functions create(void**), destroy(void*) and set_stream(void*, CUstream), which return
/// a status.
template <class Api>
class VendorHandle : public ContextAttachment {
public:
    void context_ends(bool reachable) noexcept override {
        const auto lock = lock_over_calls(mutex_);
        if (handle_ && reachable) {
            const WaitScope unlocked;
            Api::destroy(handle_);
        }
        handle_ = nullptr;
        status_ = gone;
    }

    /// Creates the handle at the first call (tens of milliseconds, and some device memory of the library). Returns 0 if
    /// there is a handle, else the status of its creation.
    int open() {
        const auto lock = lock_over_calls(mutex_);
        return open_locked();
    }

    /// Calls `queue` with the handle, set to `stream`, and returns its status, or that of open() if there is no handle.
    template <class Queue>
    int with(CUstream stream, const Queue& queue) {
        const auto lock = lock_over_calls(mutex_);
        if (const int status = open_locked()) return status;
        const int status = Api::set_stream(handle_, stream);
        return status ? status : queue(handle_);
    }

private:
    int open_locked() {
        if (handle_ || status_ != 0) return status_;
        const WaitScope unlocked;
        status_ = Api::create(&handle_);
        if (status_ != 0) handle_ = nullptr;  // not tried again, because it takes long
        return status_;
    }

    static constexpr int gone = -1;
    std::mutex mutex_;
    void* handle_ = nullptr;
    int status_ = 0;
};

}  // namespace pycuda::gpuarray
