#include "threads/host_function.hpp"

#include <atomic>
#include <memory>
#include <new>

#include "threads/attached.hpp"

namespace pycuda_java {
namespace {

/// The Java object, until it has been notified how its function ended.
class HostCall {
public:
    HostCall(JNIEnv* env, jobject object) : object_(env->NewGlobalRef(object)) {
        if (!object_) throw std::bad_alloc();
        env->GetJavaVM(&vm_);
        ended_ = env->GetMethodID(env->GetObjectClass(object), "ended", "(Z)V");
    }
    HostCall(const HostCall&) = delete;
    HostCall& operator=(const HostCall&) = delete;
    ~HostCall() {
        end(false);
        if (JNIEnv* env = attached(vm_, "pycuda-host-function")) env->DeleteGlobalRef(object_);
    }

    void end(bool reached) noexcept {
        if (told_.exchange(true) && !reached) return;  // a graph may call it many times
        JNIEnv* env = attached(vm_, "pycuda-host-function");
        if (!env || !ended_) return;
        env->CallVoidMethod(object_, ended_, static_cast<jboolean>(reached));
        if (env->ExceptionCheck()) env->ExceptionClear();
    }

private:
    JavaVM* vm_ = nullptr;
    jobject object_;
    jmethodID ended_;
    std::atomic<bool> told_{false};
};

}  // namespace

std::function<void()> host_function(JNIEnv* env, jobject object) {
    return [call = std::make_shared<HostCall>(env, object)] { call->end(true); };
}

}  // namespace pycuda_java
