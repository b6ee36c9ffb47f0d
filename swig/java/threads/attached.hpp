// Threads that are not Java's, such as the driver's.
#pragma once

#include <jni.h>

namespace pycuda_java {

/// The environment of this thread. A thread unknown to the JVM is attached as a daemon of this name until it ends; the
/// JVM does not wait for it at exit. Null if the JVM is ending.
JNIEnv* attached(JavaVM* vm, const char* name) noexcept;

}  // namespace pycuda_java
