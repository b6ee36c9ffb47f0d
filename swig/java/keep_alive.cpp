#include "keep_alive.hpp"

#include "jni_support.hpp"

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

    /// The core's threads attach as daemons, for which the JVM does not wait at exit. A JVM that is exiting attaches no
    /// thread; the object need not be freed then.
    void operator()(jobject object) const noexcept {
        JNIEnv* env = nullptr;
        if (vm->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_1_8) != JNI_OK) {
            JavaVMAttachArgs arguments{JNI_VERSION_1_8, const_cast<char*>("pycuda-release"), nullptr};
            if (vm->AttachCurrentThreadAsDaemon(reinterpret_cast<void**>(&env), &arguments) != JNI_OK) return;
        }
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
