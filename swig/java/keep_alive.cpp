#include "keep_alive.hpp"

#include "jni_support.hpp"
#include "threads/attached.hpp"

#include <atomic>
#include <new>

namespace pycuda_java {
namespace {

JavaVM* vm_of(JNIEnv* env) {
    JavaVM* vm = nullptr;
    env->GetJavaVM(&vm);
    return vm;
}

/// Nothing needs to be freed when the JVM is exiting.
void release_reference(JavaVM* vm, jobject object) noexcept {
    JNIEnv* const env = attached(vm, "pycuda-release");
    if (!env) return;
    release_kept_memory(env, object);
    env->DeleteGlobalRef(object);
}

jobject referred(JNIEnv* env, jobject object) {
    const jobject reference = env->NewGlobalRef(object);
    if (!reference) throw std::bad_alloc();
    return reference;
}

class Copies : public pycuda::GrowingObject {
public:
    Copies(JNIEnv* env, jobject copies) : vm_(vm_of(env)), copies_(referred(env, copies)) {}
    ~Copies() override { release_reference(vm_, copies_); }

    void seal() noexcept override {
        if (JNIEnv* const env = attached(vm_, "pycuda-release")) seal_kept_copies(env, copies_);
        is_sealed_.store(true, std::memory_order_release);
    }
    bool is_sealed() const noexcept override { return is_sealed_.load(std::memory_order_acquire); }

private:
    JavaVM* const vm_;
    const jobject copies_;
    std::atomic<bool> is_sealed_{false};
};

}  // namespace

std::shared_ptr<void> keep_alive(JNIEnv* env, jobject object) {
    if (!object) return nullptr;
    return {referred(env, object), [vm = vm_of(env)](jobject kept) { release_reference(vm, kept); }};
}

std::shared_ptr<pycuda::GrowingObject> keep_growing(JNIEnv* env, jobject copies) {
    return std::make_shared<Copies>(env, copies);
}

}  // namespace pycuda_java
