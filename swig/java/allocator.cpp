#include "allocator.hpp"

#include <atomic>
#include <new>
#include <stdexcept>

#include "jni_support.hpp"
#include "keep_alive.hpp"
#include "pycuda/contexts/context.hpp"
#include "pycuda/errors/error.hpp"
#include "threads/attached.hpp"

namespace pycuda_java {
namespace {

using pycuda::DeviceMemory;
using pycuda::DevicePtr;

/// The class org.pycuda.ArrayMemory. Looked up in a call from Java, where the class loader of org.pycuda is available.
/// Weak: see jni_errors.cpp.
struct MemoryClass {
    jweak type;
    jmethodID allocate, address, native_memory, release;

    explicit MemoryClass(JNIEnv* env) : MemoryClass(env, env->FindClass("org/pycuda/ArrayMemory")) {}

private:
    MemoryClass(JNIEnv* env, jclass found)
        : type(env->NewWeakGlobalRef(found)),
          allocate(env->GetStaticMethodID(found, "allocate", "(Lorg/pycuda/Allocator;J)Lorg/pycuda/ArrayMemory;")),
          address(env->GetMethodID(found, "address", "()J")),
          native_memory(env->GetMethodID(found, "nativeMemory", "()J")),
          release(env->GetMethodID(found, "release", "()V")) {
        env->DeleteLocalRef(found);
    }
};

const MemoryClass& memory_class(JNIEnv* env) {
    static const MemoryClass found(env);
    return found;
}

/// Thrown to unwind to Java, where an exception is pending.
struct Pending : std::runtime_error {
    Pending() : std::runtime_error("an allocator of Java failed") {}
};

void check(JNIEnv* env) {
    if (env->ExceptionCheck()) throw Pending();
}

/// An allocator's memory, as device memory.
class JavaMemory final : public DeviceMemory {
public:
    JavaMemory(JNIEnv* env, jobject memory, std::size_t nbytes, std::shared_ptr<pycuda::Context> context)
        : memory_(keep_alive(env, memory)),
          release_(memory_class(env).release),
          size_(nbytes),
          context_(std::move(context)) {
        env->GetJavaVM(&vm_);
    }
    /// Requests the address. Not done in the constructor, so that memory without an address is released too.
    void find_address(JNIEnv* env) {
        const auto memory = static_cast<jobject>(memory_.get());
        address_ = static_cast<DevicePtr>(env->CallLongMethod(memory, memory_class(env).address));
        check(env);
        // The core's own memory: pools record its streams, and it is notified when its context ends.
        native_ = reinterpret_cast<DeviceMemory*>(env->CallLongMethod(memory, memory_class(env).native_memory));
        check(env);
    }
    ~JavaMemory() override { release(); }

    DevicePtr pointer() const override {
        if (is_closed()) throw pycuda::LogicError("GPUArray", 0, "the memory of the array has been freed");
        return native_ ? native_->pointer() : address_;
    }
    DevicePtr pointer_for(CUstream stream) override {
        return native_ && !is_closed() ? native_->pointer_for(stream) : pointer();
    }
    std::size_t size() const noexcept override { return size_; }
    /// A pool allocates in its own context, whichever is current.
    std::shared_ptr<pycuda::Context> context() const noexcept override {
        return is_closed() ? nullptr : native_ ? native_->context() : context_;
    }
    const char* what() const noexcept override { return "memory of an allocator"; }
    bool is_closed() const noexcept override { return closed_.load(std::memory_order_acquire); }

private:
    /// Any thread may call this, even while a Java exception is pending.
    bool release() noexcept override {
        if (closed_.exchange(true)) return false;
        JNIEnv* const env = attached(vm_, "pycuda-release");
        if (!env) return true;
        const PendingException set_aside(env);
        env->CallVoidMethod(static_cast<jobject>(memory_.get()),
                            release_);  // out of memory: release itself throws nothing
        return true;
    }

    std::shared_ptr<void> memory_;  ///< a global reference
    JavaVM* vm_ = nullptr;
    jmethodID release_;
    std::size_t size_;
    std::shared_ptr<pycuda::Context> context_;
    DevicePtr address_ = 0;
    DeviceMemory* native_ =
        nullptr;  ///< the core's object behind memory_, which keeps it alive; null for a program's own
    std::atomic<bool> closed_{false};
};

class JavaAllocator final : public pycuda::gpuarray::ArrayAllocator {
public:
    JavaAllocator(JNIEnv* env, jobject allocator) : allocator_(keep_alive(env, allocator)), class_(memory_class(env)) {
        env->GetJavaVM(&vm_);
    }

    std::shared_ptr<DeviceMemory> allocate(std::size_t nbytes, CUstream) override {
        JNIEnv* env = nullptr;
        if (vm_->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_1_8) != JNI_OK)
            throw std::runtime_error("this thread does not run Java");
        auto context = pycuda::Context::current();
        const auto type = static_cast<jclass>(env->NewLocalRef(class_.type));
        const jobject memory = env->CallStaticObjectMethod(type, class_.allocate, object(), static_cast<jlong>(nbytes));
        env->DeleteLocalRef(type);
        check(env);
        auto made = std::make_shared<JavaMemory>(env, memory, nbytes, std::move(context));
        env->DeleteLocalRef(memory);
        made->find_address(env);
        return made;
    }

    jobject object() const { return static_cast<jobject>(allocator_.get()); }

private:
    std::shared_ptr<void> allocator_;  ///< a global reference
    const MemoryClass& class_;
    JavaVM* vm_ = nullptr;
};

}  // namespace

std::shared_ptr<pycuda::gpuarray::ArrayAllocator> allocator_of(JNIEnv* env, jobject allocator) {
    if (!allocator) return nullptr;
    return std::make_shared<JavaAllocator>(env, allocator);
}

jobject java_allocator(JNIEnv* env, const std::shared_ptr<pycuda::gpuarray::ArrayAllocator>& allocator) {
    const auto* const java = static_cast<const JavaAllocator*>(allocator.get());
    return java ? env->NewLocalRef(java->object()) : nullptr;
}

}  // namespace pycuda_java
