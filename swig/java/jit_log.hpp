// The JIT compiler's options and messages on their way between the core and Java.
#pragma once

#include <jni.h>

#include <vector>

#include "jni_support.hpp"
#include "pycuda/modules/module.hpp"

namespace pycuda_java {

/// Settings from an int[] of option, value, option, value...
inline std::vector<pycuda::JitSetting> jit_settings(JNIEnv* env, jintArray pairs) {
    std::vector<jint> values(pairs ? static_cast<std::size_t>(env->GetArrayLength(pairs)) : 0);
    if (pairs) env->GetIntArrayRegion(pairs, 0, static_cast<jsize>(values.size()), values.data());
    std::vector<pycuda::JitSetting> settings;
    for (std::size_t i = 0; i + 1 < values.size(); i += 2)
        settings.push_back({static_cast<pycuda::JitOption>(values[i]), static_cast<unsigned>(values[i + 1])});
    return settings;
}

/// Gives the core a log to fill, and copies it to a String[2] at the end of the call, whether or not it threw.
class JitLogWriter {
public:
    JitLogWriter(JNIEnv* env, jobjectArray target) : env_(env), target_(target) {}
    JitLogWriter(const JitLogWriter&) = delete;
    JitLogWriter& operator=(const JitLogWriter&) = delete;
    ~JitLogWriter() {
        if (!target_) return;
        // No object can be created while an exception is pending, so the exception is set aside meanwhile.
        jthrowable pending = env_->ExceptionOccurred();
        env_->ExceptionClear();
        set(0, log_.info);
        set(1, log_.error);
        if (pending) env_->Throw(pending);
    }

    pycuda::JitLog* log() { return target_ ? &log_ : nullptr; }

private:
    void set(jsize index, const std::string& text) {
        if (jstring value = to_java(env_, text)) env_->SetObjectArrayElement(target_, index, value);
        env_->ExceptionClear();
    }

    JNIEnv* env_;
    jobjectArray target_;
    pycuda::JitLog log_;
};

}  // namespace pycuda_java
