#include "threads/driver_function.hpp"

#include <memory>
#include <new>

#include "threads/attached.hpp"

namespace pycuda_java {
namespace {

class DriverFunction {
public:
    DriverFunction(JNIEnv* env, jobject object) : object_(env->NewGlobalRef(object)) {
        if (!object_) throw std::bad_alloc();
        env->GetJavaVM(&vm_);
        call_ = env->GetMethodID(env->GetObjectClass(object), "call", "(JJ)V");
    }
    DriverFunction(const DriverFunction&) = delete;
    DriverFunction& operator=(const DriverFunction&) = delete;
    ~DriverFunction() {
        if (JNIEnv* env = attached(vm_, "pycuda-driver-function")) env->DeleteGlobalRef(object_);
    }

    void call(std::int64_t first, std::int64_t second) const noexcept {
        JNIEnv* env = attached(vm_, "pycuda-driver-function");
        if (!env || !call_) return;
        env->CallVoidMethod(object_, call_, static_cast<jlong>(first), static_cast<jlong>(second));
        if (env->ExceptionCheck()) env->ExceptionClear();
    }

private:
    JavaVM* vm_ = nullptr;
    jobject object_;
    jmethodID call_;
};

}  // namespace

std::function<void(std::int64_t, std::int64_t)> driver_function(JNIEnv* env, jobject object) {
    return [function = std::make_shared<const DriverFunction>(env, object)](std::int64_t first, std::int64_t second) {
        function->call(first, second);
    };
}

}  // namespace pycuda_java
