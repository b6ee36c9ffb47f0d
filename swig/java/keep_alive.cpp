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

/// The object need not be freed where the JVM is ending.
void let_go(JavaVM* vm, jobject object) noexcept {
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
    ~Copies() override { let_go(vm_, copies_); }

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
    return {referred(env, object), [vm = vm_of(env)](jobject kept) { let_go(vm, kept); }};
}

std::shared_ptr<pycuda::GrowingObject> keep_growing(JNIEnv* env, jobject copies) {
    return std::make_shared<Copies>(env, copies);
}

}  // namespace pycuda_java
