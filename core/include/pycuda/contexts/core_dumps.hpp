#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "pycuda/constants/constants.hpp"
#include "pycuda/contexts/context.hpp"
#include "pycuda/driver/driver_callback.hpp"

namespace pycuda {

/// How the driver writes core dumps when a kernel fails: in the whole process, or in one context, whose settings take
/// precedence. What is set here can be undone together. Environment variables of cuda-gdb, such as
/// CUDA_ENABLE_COREDUMP_ON_EXCEPTION, take precedence over everything. Needs a driver of CUDA 12.1. Thread-safe.
class CoreDumps {
public:
    CoreDumps() = default;  ///< of the process (cuCoredumpGetAttributeGlobal)
    /// Of the context (cuCoredumpGetAttribute).
    explicit CoreDumps(std::shared_ptr<Context> context) : context_(std::move(context)) {}
    CoreDumps(const CoreDumps&) = delete;
    CoreDumps& operator=(const CoreDumps&) = delete;

    bool enabled() const;  ///< whether a kernel that fails causes a core dump
    /// Set whether a kernel that fails causes a core dump.
    void set_enabled(bool enabled);
    std::string file() const;  ///< where core dumps are written
    /// Set where core dumps are written.
    void set_file(const std::string& file);
    int flags() const;  ///< values of CoreDumpFlag, combined. Needs a driver of CUDA 12.5
    /// Set what core dumps contain, and what happens after them.
    void set_flags(int flags);
    /// Whether writing to the pipe causes a core dump. Only the process's can be set.
    bool user_trigger() const;
    /// Set whether writing to the pipe causes a core dump.
    void set_user_trigger(bool enabled);
    std::string pipe_path() const;  ///< the pipe's name
    /// Set the pipe's name.
    void set_pipe(const std::string& pipe);

    /// Set everything that was set here to what it was before. After the context's end there is nothing to do.
    void restore();

#ifndef SWIG
    /// Called with the process's id and the device's ordinal. Needs a driver of CUDA 13.2.
    using Listener = std::function<void(int pid, int device)>;
    /// Before the driver collects data (cuCoredumpRegisterStartCallback).
    static DriverCallback on_start(Listener listener);
    /// When the file is written (cuCoredumpRegisterCompleteCallback).
    static DriverCallback on_complete(Listener listener);
#endif

private:
    template <class Value>
    Value get(int setting) const;
    std::string get_text(int setting) const;
    void set(int setting, const void* value, std::size_t size);
    void assign(int setting, const void* value, std::size_t size) const;
    std::string raw(int setting) const;

    const std::shared_ptr<Context> context_;  ///< null: the process's settings
    std::mutex mutex_;
    std::map<int, std::string> before_;  ///< the bytes of each setting before it was set here
};

}  // namespace pycuda
