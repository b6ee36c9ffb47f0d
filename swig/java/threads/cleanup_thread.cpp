#include "threads/cleanup_thread.hpp"

#include <thread>

namespace pycuda_java {
namespace {

constexpr jlong look_again_ms = 5000;
constexpr jint local_references = 16;

struct Loop {
    JavaVM* vm;
    jobject queue;  ///< the JDK's queue, a global reference
    jweak owner;    ///< org.pycuda.Cleanup
    jmethodID remove, run;

    void operator()() const noexcept {
        JNIEnv* env = nullptr;
        JavaVMAttachArgs arguments{JNI_VERSION_1_8, const_cast<char*>("pycuda cleanup"), nullptr};
        if (vm->AttachCurrentThreadAsDaemon(reinterpret_cast<void**>(&env), &arguments) != JNI_OK) return;
        while (step(env)) {
        }
        env->DeleteGlobalRef(queue);
        env->DeleteWeakGlobalRef(owner);
        vm->DetachCurrentThread();
    }

private:
    /// Like java.lang.ref.Cleaner, ignores failures: they cannot be reported, and other objects wait.
    bool step(JNIEnv* env) const noexcept {
        if (env->PushLocalFrame(local_references) != JNI_OK) {
            env->ExceptionClear();
            return true;
        }
        const jobject unreachable = env->CallObjectMethod(queue, remove, look_again_ms);
        if (!env->ExceptionCheck() && unreachable) env->CallVoidMethod(unreachable, run);
        if (env->ExceptionCheck()) env->ExceptionClear();
        const bool go_on = unreachable || !env->IsSameObject(owner, nullptr);
        env->PopLocalFrame(nullptr);
        return go_on;
    }
};

}  // namespace

bool start_cleanup_thread(JavaVM* vm, JNIEnv* env) {
    jclass cleanup = env->FindClass("org/pycuda/Cleanup");
    jclass queue_class = cleanup ? env->FindClass("java/lang/ref/ReferenceQueue") : nullptr;
    jclass runnable = queue_class ? env->FindClass("java/lang/Runnable") : nullptr;
    jfieldID field =
        runnable ? env->GetStaticFieldID(cleanup, "UNREACHABLE", "Ljava/lang/ref/ReferenceQueue;") : nullptr;
    if (!field) return false;
    const Loop loop{vm, env->NewGlobalRef(env->GetStaticObjectField(cleanup, field)), env->NewWeakGlobalRef(cleanup),
                    env->GetMethodID(queue_class, "remove", "(J)Ljava/lang/ref/Reference;"),
                    env->GetMethodID(runnable, "run", "()V")};
    if (!loop.queue || !loop.owner || !loop.remove || !loop.run) return false;
    std::thread(loop).detach();
    return true;
}

}  // namespace pycuda_java
