#pragma once

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

#include "pycuda/constants.hpp"
#include "pycuda/device.hpp"
#include "pycuda/error.hpp"
#include "pycuda/open_captures.hpp"

namespace pycuda {

/// What belongs to a context as a whole: staging memory, a memory pool, a cache of kernels. A context has at most one
/// of each class (Context::attachment). It must not keep the context alive.
class ContextAttachment {
public:
    ContextAttachment() = default;
    virtual ~ContextAttachment() = default;
    ContextAttachment(const ContextAttachment&) = delete;
    ContextAttachment& operator=(const ContextAttachment&) = delete;

    /// Called once, just before the context ends, with it current: frees what is left in it. Where the owner of an
    /// adopted context has destroyed it already, `reachable` is false: then the driver must not be called, and what was
    /// in the context is gone. The context then releases the object; other owners may keep it, and find it empty.
    virtual void context_ends(bool reachable) noexcept = 0;
};

/// Priorities that streams can have: from `least` urgent (the larger number) to `greatest`. Both 0: there are none.
struct StreamPriorityRange {
    int least;
    int greatest;
};

/// A CUDA context, always held by std::shared_ptr: everything created in it keeps it alive, so it cannot die before
/// what it owns unless detach says so. While it is on some thread's stack it stays alive too.
///
/// The driver's own per-thread stack is the only stack, so contexts that other libraries push or make current mix
/// freely.
class Context : public std::enable_shared_from_this<Context> {
public:
    /// What ends with this object: our own context is destroyed, a primary one released, an adopted one left alone.
    /// A primary context that is found current is retained too; other contexts of other libraries are adopted. One that
    /// a green context was converted to keeps that until nothing uses it any more.
    enum class Origin { Created, Primary, Adopted, Green };

    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    /// The context current on this thread; one that another library made is adopted. LogicError when there is none.
    static std::shared_ptr<Context> current();
    /// Same, but null when there is none (Python: Context.get_current() gives None).
    static std::shared_ptr<Context> current_or_null();
#ifndef SWIG
    /// The driver's handle of it alone; null when there is none, and when the driver fails. For those that remember
    /// what they know of the context current at their last call.
    static CUcontext current_handle_or_null() noexcept;
#endif

    /// Push onto this thread's stack (cuCtxPushCurrent). LogicError on a detached context.
    void push();
    /// Pop this thread's top context (cuCtxPopCurrent). LogicError when the stack is empty.
    static void pop();
    /// The current context, which from then on takes one more detach or close to end. LogicError without one.
    /// `flags` must be 0.
    static std::shared_ptr<Context> attach(unsigned flags = 0);
    /// End it now: destroy (Created) or forget (Adopted) it; popped from this thread's stack if it is its top. What
    /// still lives in it becomes unusable and is not destroyed again. LogicError when already detached. After attach it
    /// only undoes that.
    ///
    /// A primary context has as many references as there were calls of Device::retain_primary_context (or one, if it
    /// was found current) and of attach, and each detach gives one back. The last one ends it as above, unless another
    /// library has retained it too: then its contents stay valid.
    void detach();
    /// Same as detach, but does nothing when already detached. For Java's close.
    void close() noexcept { end(End::Detached); }
    bool is_valid() const noexcept { return handle_or_null() != nullptr; }

    static Device get_device();
    static void synchronize();
    static void set_limit(Limit limit, std::size_t value);
    static std::size_t get_limit(Limit limit);
    static void set_cache_config(FuncCache config);
    static FuncCache get_cache_config();
    static void set_shared_config(SharedConfig config);
    static SharedConfig get_shared_config();
    static StreamPriorityRange get_stream_priority_range();  ///< cuCtxGetStreamPriorityRange
    unsigned get_api_version() const;
    /// Let the current context access memory of `peer` (cuCtxEnablePeerAccess); `flags` must be 0.
    static void enable_peer_access(const Context& peer, unsigned flags = 0);
    static void disable_peer_access(const Context& peer, unsigned flags = 0);

    /// LogicError after detach.
    CUcontext handle() const;
    CUcontext handle_or_null() const noexcept { return handle_->load(std::memory_order_acquire); }
    /// The handle, null from the context's end on, also after this object's own.
    const std::shared_ptr<std::atomic<CUcontext>>& live_handle() const noexcept { return handle_; }
    Origin origin() const noexcept { return origin_; }

    /// The object of a handle that has just been created (and so is on this thread's stack), retained or found current:
    /// the one there is, or a new one. For Device and this class.
    static std::shared_ptr<Context> wrap(CUcontext handle, CUdevice device, Origin origin);
    /// current_or_null, but null also before init: the caller's own driver call is about to say why.
    static std::shared_ptr<Context> owner_of_new();
    /// The same for clean-up: null when the driver fails.
    static std::shared_ptr<Context> current_in_cleanup() noexcept;

    /// The context's attachment of class T, made at the first call: T(*this) where T takes a context, else T().
    /// LogicError after the context's end. Thread-safe; a second call costs a short lock and a copy of the pointer.
    template <class T>
    std::shared_ptr<T> attachment();
    /// The same, but null when none was made, or the context has ended.
    template <class T>
    std::shared_ptr<T> attachment_if_any() const noexcept;

    /// The same context of the driver. Objects of contexts that are gone equal only themselves.
    bool operator==(const Context& other) const noexcept;

private:
    friend class ContextScope;
    friend class ContextHold;
    friend class CleanupScope;
    Context(CUcontext handle, CUdevice device, Origin origin);
    bool is_alive() const noexcept;
    using AttachmentPtr = std::shared_ptr<ContextAttachment>;
    AttachmentPtr find_attachment(std::type_index type) const noexcept;
    /// Add `made`, unless another thread was faster: what the context has then.
    AttachmentPtr attach(std::type_index type, AttachmentPtr made);
    void end_attachments(CUcontext handle, bool there) noexcept;
    enum class End { Detached, Dropped, Stale };
    void end(End how) noexcept;
    CUcontext take_handle(End how) noexcept;
    void return_handle(CUcontext handle) noexcept;
    bool release_primary(CUcontext handle) const noexcept;
    static bool current_is_destroyed() noexcept;
    static void pop_ended() noexcept;

    const std::shared_ptr<std::atomic<CUcontext>> handle_;
    const CUdevice device_;
    const Origin origin_;
    /// A little device memory in an adopted context, by its address and its number, which no other memory of the
    /// process has. The driver may crash on the handle of a context that its owner has destroyed, but can always say
    /// what memory is at an address. (It says that memory of a green context belongs to the primary one.)
    struct LivenessProbe {
        CUdeviceptr address = 0;
        unsigned long long number = 0;
        bool is_there() const noexcept;
    };
    static LivenessProbe place_probe() noexcept;
    const LivenessProbe probe_;
    unsigned references_ = 1;  ///< that detach gives back; under the registry's lock
    std::shared_mutex life_;   ///< shared by calls during which the context must not end, exclusive while it ends
    mutable std::mutex attachment_mutex_;
    std::vector<std::pair<std::type_index, AttachmentPtr>> attachments_;
};

template <class T>
std::shared_ptr<T> Context::attachment_if_any() const noexcept {
    static_assert(std::is_base_of_v<ContextAttachment, T>);
    return std::static_pointer_cast<T>(find_attachment(typeid(T)));
}

template <class T>
std::shared_ptr<T> Context::attachment() {
    if (auto found = attachment_if_any<T>()) return found;
    // Made outside the lock: its constructor may call the driver, and ask for other attachments.
    AttachmentPtr made;
    if constexpr (std::is_constructible_v<T, Context&>)
        made = std::make_shared<T>(*this);
    else
        made = std::make_shared<T>();
    return std::static_pointer_cast<T>(attach(typeid(T), std::move(made)));
}

/// How many contexts have ended in this process. Only counts up, before a context's handles become useless: as long as
/// it stays, what was read from a handle before is as good as then.
const std::atomic<std::uint64_t>& ended_contexts() noexcept;

/// Makes a context current for a scope and restores what was. Free when it is current already.
class ContextScope {
public:
    /// LogicError when the context is dead.
    explicit ContextScope(const Context& context);
    ~ContextScope();
    ContextScope(const ContextScope&) = delete;
    ContextScope& operator=(const ContextScope&) = delete;

private:
    bool pushed_;
};

/// The same, and while it is open the context does not end on another thread: detach waits. For calls that use what
/// belongs to the context; nothing inside may end it.
class ContextHold {
public:
    /// LogicError when the context is dead.
    explicit ContextHold(std::shared_ptr<Context> context);

private:
    std::shared_ptr<Context> context_;
    std::shared_lock<std::shared_mutex> lock_;
    ContextScope scope_;
};

/// The same for destructors: never throws, and while it is open the context does not end on another thread. False when
/// the context is dead or cannot be made current: then there is nothing left to destroy.
class CleanupScope {
public:
    explicit CleanupScope(Context& context) noexcept;
    ~CleanupScope();
    CleanupScope(const CleanupScope&) = delete;
    CleanupScope& operator=(const CleanupScope&) = delete;
    explicit operator bool() const noexcept { return active_; }

private:
    const RelaxedCapture relaxed_;
    std::shared_lock<std::shared_mutex> lock_;
    bool active_ = false;
    bool pushed_ = false;
};

}  // namespace pycuda
