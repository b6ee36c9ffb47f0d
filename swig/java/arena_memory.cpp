#include "arena_memory.hpp"

#include "jni_support.hpp"

namespace pycuda_java {
namespace {

/// Methods of JDK classes, which are never unloaded. Null if this JVM lacks them.
jfieldID buffer_segment;  ///< null for a buffer of ByteBuffer.allocateDirect
jmethodID acquire, release, is_closeable;
bool segments_exist;

bool is_missing(JNIEnv* env) {
    if (!env->ExceptionCheck()) return false;
    env->ExceptionClear();
    return true;
}

jclass find_class(JNIEnv* env, const char* name) {
    jclass found = env->FindClass(name);
    return is_missing(env) ? nullptr : found;
}

jmethodID method(JNIEnv* env, jclass type, const char* name, const char* signature) {
    jmethodID found = type ? env->GetMethodID(type, name, signature) : nullptr;
    return is_missing(env) ? nullptr : found;
}

}  // namespace

void find_arena_classes(JNIEnv* env) noexcept {
    // In Java 17, memory segments were in an incubator module: programs have them only if a flag enables it.
    jclass segment = find_class(env, "java/lang/foreign/MemorySegment");
    segments_exist = segment != nullptr;
    if (!segment) return;
    jclass buffer = find_class(env, "java/nio/Buffer");
    buffer_segment = buffer ? env->GetFieldID(buffer, "segment", "Ljava/lang/foreign/MemorySegment;") : nullptr;
    if (is_missing(env)) buffer_segment = nullptr;
    jclass session = find_class(env, "jdk/internal/foreign/MemorySessionImpl");
    acquire = method(env, session, "acquire0", "()V");
    release = method(env, session, "release0", "()V");
    is_closeable = method(env, session, "isCloseable", "()Z");
}

const void* plain_buffer_address(JNIEnv* env, jobject direct_buffer) {
    if (segments_exist) {
        if (!buffer_segment) return nullptr;
        if (jobject segment = env->GetObjectField(direct_buffer, buffer_segment)) {
            env->DeleteLocalRef(segment);
            return nullptr;
        }
    }
    return env->GetDirectBufferAddress(direct_buffer);
}

void acquire_scope(JNIEnv* env, jobject scope) {
    if (!acquire || !release)
        return throw_illegal_argument(env,
                                      "this JVM does not let native code hold memory of an arena; use arrays, or "
                                      "ByteBuffer.allocateDirect");
    env->CallVoidMethod(scope, acquire);
}

void release_scope(JNIEnv* env, jobject scope) {
    env->CallVoidMethod(scope, release);
}

bool can_be_closed(JNIEnv* env, jobject scope) {
    if (!is_closeable) return true;
    const bool answer = env->CallBooleanMethod(scope, is_closeable);
    return env->ExceptionCheck() || answer;
}

}  // namespace pycuda_java
