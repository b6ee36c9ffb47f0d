#pragma once

#include <mutex>
#include <string>
#include <utility>

#include "pycuda/context.hpp"
#include "pycuda/waiting.hpp"

namespace pycuda::gpuarray {

/// A library of NVIDIA that arrays use if it is installed, opened once and never closed. An environment variable
/// decides: "0" keeps the library out; "1" demands it, of every size of arrays; the path of a file demands this one,
/// on the CPU device too. Unset, a GPU's arrays use the newest version in the toolkits that find_toolkits() gives,
/// if it has the needed functions and is faster.
class VendorLibrary {
public:
    /// "cuSOLVER", "libcusolver.so", "PYCUDA_CUSOLVER". RuntimeError if it is required and cannot be opened.
    VendorLibrary(const char* title, const char* file, const char* variable);

    bool is_there() const noexcept { return library_ != nullptr; }
    /// It must be used for every size: failures are raised, without a fall-back.
    bool is_demanded() const noexcept { return demanded_; }
    /// Look up a function. If it is missing, the library counts as not installed: RuntimeError if it is required.
    template <class Function>
    void find(const std::string& name, Function& function) {
        function = reinterpret_cast<Function>(symbol(name));
    }
    /// RuntimeError "cuSOLVER: cusolverDnSgetrf returned status 7" unless `status` is 0, which is every library's
    /// success.
    void check(int status, const char* function) const;

private:
    [[noreturn]] void refuse(const std::string& why) const;
    void* symbol(const std::string& name);

    const char* const title_;
    std::string path_;
    void* library_ = nullptr;
    bool demanded_ = false;
};

/// A context's handle of such a library. One call at a time is queued with it: its stream is a property of it. `Api`
/// has the static functions create(void**), destroy(void*) and set_stream(void*, CUstream), which give a status.
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

    /// Whether the handle is there; made at the first call (tens of milliseconds, and device memory that is the
    /// library's). Else the status of that, which is not 0.
    int open() {
        const auto lock = lock_over_calls(mutex_);
        return open_locked();
    }

    /// Calls `queue` with the handle, set to `stream`, and gives its status; that of open() where there is none.
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
        if (status_ != 0) handle_ = nullptr;  // tried once: it takes long
        return status_;
    }

    static constexpr int gone = -1;
    std::mutex mutex_;
    void* handle_ = nullptr;
    int status_ = 0;
};

}  // namespace pycuda::gpuarray
