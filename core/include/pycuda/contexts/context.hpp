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

#include "pycuda/constants/constants.hpp"
#include "pycuda/devices/device.hpp"
#include "pycuda/driver/open_captures.hpp"
#include "pycuda/errors/error.hpp"

namespace pycuda {

class Context;

/// State that belongs to a whole context: staging memory, a memory pool, a cache of kernels. A context has at most one
/// of each class (Context::attachment). It must not keep the context alive.
class ContextAttachment {
public:
    ContextAttachment() = default;
    virtual ~ContextAttachment() = default;
    ContextAttachment(const ContextAttachment&) = delete;
    ContextAttachment& operator=(const ContextAttachment&) = delete;

    /// Free everything that is left in the context. Called once, just before the context ends, with it current. If
    /// the owner of an adopted context has destroyed it already, `reachable` is false: the driver must not
    /// be called, and the contents are gone. The context then releases the object; other owners may keep it, and find
    /// it empty.
    virtual void context_ends(bool reachable) noexcept = 0;

    /// A setting of the context that launches read was changed. The context is current.
    virtual void settings_changed() noexcept {}

    /// `context`, which a green context was converted to, is about to be pushed onto a thread's stack, or popped from
    /// it. Only such contexts call it.
    virtual void is_pushed(Context&) {}
    virtual void is_popped(Context&) {}
};

/// Priorities that streams can have: from `least` urgent (the larger number) to `greatest`. Both are 0 if priorities
/// are not supported.
struct StreamPriorityRange {
    int least;
    int greatest;
};

/// A CUDA context, always held by std::shared_ptr: everything created in it keeps it alive, so only detach can
/// end it before its contents. It also stays alive while it is on a thread's stack.
///
/// The driver's own per-thread stack is the only stack, so contexts that other libraries push or make current mix
/// freely.
class Context : public std::enable_shared_from_this<Context> {
public:
    /// How the context ends with this object: created ones are destroyed, primary ones released, adopted ones left
    /// alone. A primary context that is found current is retained too; contexts of other libraries are adopted. A
    /// context converted from a green context keeps the green context alive as long as it is used.
    enum class Origin { Created, Primary, Adopted, Green };

    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    /// The context current on this thread; a context of another library is adopted. LogicError if none is current.
    static std::shared_ptr<Context> current();
    /// The same, but null if none is current (in Python, Context.get_current() returns None).
    static std::shared_ptr<Context> current_or_null();
#ifndef SWIG
    /// Only the driver's handle of it; null if none is current or the driver fails. For caches
    /// that remember the context of their last call.
    static CUcontext current_handle_or_null() noexcept;
#endif

    /// Push onto this thread's stack (cuCtxPushCurrent). LogicError on a detached context.
    void push();
    /// Pop this thread's top context (cuCtxPopCurrent). LogicError when the stack is empty.
    static void pop();
    /// The current context, which then needs one more detach or close to end. LogicError if none is current.
    /// `flags` must be 0.
    static std::shared_ptr<Context> attach(unsigned flags = 0);
    /// End the context now: destroy it if it was created, forget it if it was adopted, and pop it if it is
    /// current. Objects in it become unusable and are not destroyed again. LogicError if it is detached
    /// already. After attach, only undo that. In a host function, another thread does so soon.
    ///
    /// A primary context counts calls of Device::retain_primary_context (or one, if it was found
    /// current) and of attach; each detach takes one off. The last detach ends it as above.
    /// If another library has retained it too, its contents stay valid.
    void detach();
    /// The same as detach, but a no-op if it is detached already. For Java's close.
    void close() noexcept;
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
    /// A number that no other context of the process has, not even after this one has ended (cuCtxGetId). Needs a
    /// driver of CUDA 12.0.
    std::uint64_t id() const;
    static unsigned get_flags();  ///< ctx_flags of the current context (cuCtxGetFlags)
    /// Change how the current context waits: the CtxFlags SCHED_*, LMEM_RESIZE_TO_MAX and others that the driver lets
    /// change (cuCtxSetFlags). Needs a driver of CUDA 12.1.
    static void set_flags(unsigned flags);
    /// Turn persisting lines of the L2 cache into normal ones, for all contexts of the device
    /// (cuCtxResetPersistingL2Cache).
    static void reset_persisting_l2_cache();
    /// The number of multiprocessors that the current context may use, under MPS (cuCtxGetExecAffinity). LogicError if
    /// the device does not support it.
    static unsigned get_execution_affinity();
    /// Wait until writes of other devices (GPUDirect RDMA) that reached the current context's device are visible there
    /// (cuFlushGPUDirectRDMAWrites). LogicError if the device does not support it.
    static void flush_remote_writes(RemoteWritesScope scope);
    /// Let the current context access memory of `peer` (cuCtxEnablePeerAccess); `flags` must be 0.
    static void enable_peer_access(const Context& peer, unsigned flags = 0);
    static void disable_peer_access(const Context& peer, unsigned flags = 0);

    /// LogicError after detach.
    CUcontext handle() const;
    CUcontext handle_or_null() const noexcept { return handle_->load(std::memory_order_acquire); }
    /// The handle; null once the context has ended.
    const std::shared_ptr<std::atomic<CUcontext>>& live_handle() const noexcept { return handle_; }
    Origin origin() const noexcept { return origin_; }

    /// The existing object of a handle, or a new one. The handle was just created (and is on this thread's
    /// stack), retained, or found current. For Device and this class.
    static std::shared_ptr<Context> wrap(CUcontext handle, CUdevice device, Origin origin);
    /// current_or_null, but null before init too: the caller's next driver call reports that.
    static std::shared_ptr<Context> owner_of_new();
    /// The same for clean-up: null if the driver fails.
    static std::shared_ptr<Context> current_in_cleanup() noexcept;

    /// The context's attachment of class T, created by the first call: T(*this) if T takes a context, else T().
    /// LogicError if the context has ended. Thread-safe; later calls cost a short lock and a copy of the pointer.
    template <class T>
    std::shared_ptr<T> attachment();
    /// The same, but null if there is none, or the context has ended.
    template <class T>
    std::shared_ptr<T> attachment_if_any() const noexcept;

    /// Whether both are the same context of the driver. Objects of ended contexts equal only themselves.
    bool operator==(const Context& other) const noexcept;

private:
    friend class ContextScope;
    friend class ContextHold;
    friend class CleanupScope;
    Context(CUcontext handle, CUdevice device, Origin origin);
    bool is_alive() const noexcept;
    using AttachmentPtr = std::shared_ptr<ContextAttachment>;
    AttachmentPtr find_attachment(std::type_index type) const noexcept;
    /// Add `made`, unless another thread was faster. Return what the context then has.
    AttachmentPtr attach(std::type_index type, AttachmentPtr made);
    std::vector<AttachmentPtr> attachments() const;
    static void tell_settings_changed();
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
    /// A small allocation in an adopted context, with its address and its number, which is unique in the
    /// process. It probes whether the context is alive: the driver may crash on a destroyed context's
    /// handle, but can always report the memory at an address. (It reports memory of a green context as the primary
    /// one's.)
    struct LivenessProbe {
        CUdeviceptr address = 0;
        unsigned long long number = 0;
        bool is_there() const noexcept;
    };
    static LivenessProbe make_probe() noexcept;
    const LivenessProbe probe_;
    unsigned references_ = 1;  ///< each detach takes one off; under the registry's lock
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
    // Constructed outside the lock: the constructor may call the driver and request other attachments.
    AttachmentPtr made;
    if constexpr (std::is_constructible_v<T, Context&>)
        made = std::make_shared<T>(*this);
    else
        made = std::make_shared<T>();
    return std::static_pointer_cast<T>(attach(typeid(T), std::move(made)));
}

/// The number of contexts that have ended in this process. It is increased before a context's handles become invalid:
/// while it is unchanged, values read from handles earlier are still valid.
const std::atomic<std::uint64_t>& ended_contexts() noexcept;
#ifndef SWIG
/// Lets languages read handles and addresses again that they have cached.
void forget_cached_handles() noexcept;
#endif

/// Makes a context current for a scope, then restores the previous one. Free if it is current already.
class ContextScope {
public:
    /// LogicError if the context has ended.
    explicit ContextScope(const Context& context);
    ~ContextScope();
    ContextScope(const ContextScope&) = delete;
    ContextScope& operator=(const ContextScope&) = delete;

private:
    CUcontext pushed_;  ///< null if it was current already
};

/// The same, and the context cannot end on another thread while the scope is open: detach waits. For calls that use the
/// context's objects; code inside must not end the context.
class ContextHold {
public:
    /// LogicError if the context has ended.
    explicit ContextHold(std::shared_ptr<Context> context);

private:
    std::shared_ptr<Context> context_;
    std::shared_lock<std::shared_mutex> lock_;
    ContextScope scope_;
};

/// The same for destructors: never throws, and the context cannot end on another thread while it is open. False
/// if the context has ended or cannot be made current: nothing is left to destroy.
class CleanupScope {
public:
    explicit CleanupScope(Context& context) noexcept;
    ~CleanupScope();
    CleanupScope(const CleanupScope&) = delete;
    CleanupScope& operator=(const CleanupScope&) = delete;
    explicit operator bool() const noexcept { return active_; }

private:
    const RelaxedCapture relaxed_{RelaxedCapture::Always{}};
    std::shared_lock<std::shared_mutex> lock_;
    bool active_ = false;
    CUcontext pushed_ = nullptr;  ///< null if it was current already
};

}  // namespace pycuda
