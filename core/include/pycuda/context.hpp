#pragma once

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>

#include "pycuda/constants.hpp"
#include "pycuda/device.hpp"

namespace pycuda {

/// LogicError "<what> is closed".
[[noreturn]] void raise_closed(const char* what);

/// A CUDA context, always held by std::shared_ptr: everything created in it keeps it alive, so it cannot die before what it
/// owns unless detach says so. While it is on some thread's stack it stays alive too.
///
/// The driver's own per-thread stack is the only stack, so contexts that other libraries push or make current mix freely.
class Context : public std::enable_shared_from_this<Context> {
public:
    /// What ends with this object: our own context is destroyed, a primary one released, an adopted one left alone.
    enum class Origin { Created, Primary, Adopted };

    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    /// The context current on this thread; one that another library made is adopted. LogicError when there is none.
    static std::shared_ptr<Context> current();
    /// Same, but null when there is none (Python: Context.get_current() gives None).
    static std::shared_ptr<Context> current_or_null();

    /// Pushes onto this thread's stack (cuCtxPushCurrent). LogicError on a detached context.
    void push();
    /// Pops this thread's top context (cuCtxPopCurrent). LogicError when the stack is empty.
    static void pop();
    /// Ends it now: destroys (Created), releases (Primary) or forgets (Adopted) it; popped from this thread's stack if it is its
    /// top. What still lives in it becomes unusable and is not destroyed again. LogicError when already detached.
    void detach();
    bool is_valid() const noexcept { return handle_.load(std::memory_order_acquire) != nullptr; }

    static Device get_device();
    static void synchronize();
    static void set_limit(Limit limit, std::size_t value);
    static std::size_t get_limit(Limit limit);
    static void set_cache_config(FuncCache config);
    static FuncCache get_cache_config();
    static void set_shared_config(SharedConfig config);
    static SharedConfig get_shared_config();
    unsigned get_api_version() const;
    /// Lets the current context reach memory of `peer` (cuCtxEnablePeerAccess); `flags` must be 0.
    static void enable_peer_access(const Context& peer, unsigned flags = 0);
    static void disable_peer_access(const Context& peer, unsigned flags = 0);

    /// LogicError after detach.
    CUcontext handle() const;
    CUcontext handle_or_null() const noexcept { return handle_.load(std::memory_order_acquire); }
    Origin origin() const noexcept { return origin_; }

    /// Wraps a handle that has just been created, retained or found current, and registers it. For Device and this class.
    static std::shared_ptr<Context> wrap(CUcontext handle, CUdevice device, Origin origin);

private:
    Context(CUcontext handle, CUdevice device, Origin origin);
    void end() noexcept;

    std::atomic<CUcontext> handle_;
    CUdevice device_;
    Origin origin_;
};

/// Makes a context current for a scope and restores what was. Free when it is current already.
class ContextScope {
public:
    /// LogicError when the context is dead.
    explicit ContextScope(const Context& context);
    /// Never throws; false when the context is dead or cannot be made current.
    ContextScope(const Context& context, std::nothrow_t) noexcept;
    ~ContextScope();
    ContextScope(const ContextScope&) = delete;
    ContextScope& operator=(const ContextScope&) = delete;
    explicit operator bool() const noexcept { return active_; }

private:
    bool active_ = false;
    bool pushed_ = false;
};

}  // namespace pycuda
