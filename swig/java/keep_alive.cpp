#include "keep_alive.hpp"

#include "jni_support.hpp"
#include "threads/attached.hpp"

#include <new>

namespace pycuda_java {
namespace {

JavaVM* vm_of(JNIEnv* env) {
    JavaVM* vm = nullptr;
    env->GetJavaVM(&vm);
    return vm;
}

struct Release {
    JavaVM* vm;

    /// The object need not be freed where the JVM is ending.
    void operator()(jobject object) const noexcept {
        JNIEnv* const env = attached(vm, "pycuda-release");
        if (!env) return;
        release_host_use(env, object);
        env->DeleteGlobalRef(object);
    }
};

}  // namespace

std::shared_ptr<void> keep_alive(JNIEnv* env, jobject object) {
    if (!object) return nullptr;
    const jobject reference = env->NewGlobalRef(object);
    if (!reference) throw std::bad_alloc();
    return {reference, Release{vm_of(env)}};
}

}  // namespace pycuda_java
