// JNI helpers for the generated wrapper: text, errors, and their classes.
#pragma once

#include <jni.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pycuda_java {

/// Java text from UTF-8. Malformed bytes become U+FFFD, because NewStringUTF would crash the JVM. If memory runs out,
/// null with a Java exception pending.
jstring to_java(JNIEnv* env, std::string_view text);

/// UTF-8 of Java text, which must not be null.
std::string from_java(JNIEnv* env, jstring text);

/// Throws the Java counterpart of the C++ exception that is being handled. Call it only in a catch block. A no-op if a
/// Java exception is already pending.
void translate_exception(JNIEnv* env) noexcept;

/// Throws IllegalArgumentException.
void throw_illegal_argument(JNIEnv* env, const char* message) noexcept;

/// Sets a pending exception aside for a scope that calls Java methods, and makes it pending again at the end.
/// Exceptions of those calls are dropped.
class PendingException {
public:
    explicit PendingException(JNIEnv* env) noexcept : env_(env), pending_(env->ExceptionOccurred()) {
        if (pending_) env_->ExceptionClear();
    }
    ~PendingException() {
        if (env_->ExceptionCheck()) env_->ExceptionClear();
        if (pending_) env_->Throw(pending_);
    }
    PendingException(const PendingException&) = delete;
    PendingException& operator=(const PendingException&) = delete;

private:
    JNIEnv* const env_;
    const jthrowable pending_;
};

/// Release a KeptMemory; no-op for other objects. A pending exception stays pending.
void release_kept_memory(JNIEnv* env, jobject kept) noexcept;
/// Seals a KeptCopies: nothing is added to it from now on.
void seal_kept_copies(JNIEnv* env, jobject copies) noexcept;

/// False, with a NullPointerException pending, if one of the elements is null.
bool has_no_null(JNIEnv* env, jobjectArray objects);
inline bool has_no_null(JNIEnv*, jbyteArray) {
    return true;
}

/// False, with an IllegalArgumentException pending, if the text has a NUL; `what` is what it is for.
bool has_no_nul(JNIEnv* env, std::string_view text, const char* what);

/// The elements of a String[], none of which may be null.
std::vector<std::string> from_java(JNIEnv* env, jobjectArray texts);
/// The elements of a byte[], which must not be null.
std::vector<unsigned char> from_java(JNIEnv* env, jbyteArray bytes);
/// The elements of a long[], which must not be null.
std::vector<jlong> from_java(JNIEnv* env, jlongArray values);

/// A new array. If memory runs out, null with a Java exception pending.
jobjectArray to_java(JNIEnv* env, const std::vector<std::string>& texts);
jbyteArray to_java(JNIEnv* env, const std::vector<unsigned char>& bytes);
jintArray to_java(JNIEnv* env, const std::vector<jint>& values);
jlongArray to_java(JNIEnv* env, const std::vector<jlong>& values);
jfloatArray to_java(JNIEnv* env, const std::vector<jfloat>& values);

/// The addresses of objects that Java then owns. If memory runs out, deletes the objects, and returns null with a Java
/// exception pending.
template <class T>
jlongArray give(JNIEnv* env, std::vector<std::unique_ptr<T>> objects) {
    std::vector<jlong> addresses;
    for (const auto& each : objects) addresses.push_back(reinterpret_cast<jlong>(each.get()));
    const jlongArray given = to_java(env, addresses);
    if (given)
        for (auto& each : objects) static_cast<void>(each.release());
    return given;
}

/// The same for copies of `elements`.
template <class T>
jlongArray give_copies(JNIEnv* env, const std::vector<T>& elements) {
    std::vector<std::unique_ptr<T>> copies;
    for (const T& each : elements) copies.push_back(std::make_unique<T>(each));
    return give(env, std::move(copies));
}

}  // namespace pycuda_java
