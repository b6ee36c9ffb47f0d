#include "threads/attached.hpp"

namespace pycuda_java {
namespace {

/// Detaches the thread at its end. Otherwise the JVM would keep it in its list, and read freed memory when it prints
/// its threads.
struct Attachment {
    JavaVM* vm = nullptr;
    ~Attachment() {
        if (vm) vm->DetachCurrentThread();
    }
};

thread_local Attachment of_this_thread;

}  // namespace

JNIEnv* attached(JavaVM* vm, const char* name) noexcept {
    JNIEnv* env = nullptr;
    if (vm->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_1_8) == JNI_OK) return env;
    JavaVMAttachArgs arguments{JNI_VERSION_1_8, const_cast<char*>(name), nullptr};
    if (vm->AttachCurrentThreadAsDaemon(reinterpret_cast<void**>(&env), &arguments) != JNI_OK) return nullptr;
    of_this_thread.vm = vm;
    return env;
}

}  // namespace pycuda_java
