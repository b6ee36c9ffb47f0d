// Threads that are not Java's, such as the driver's.
#pragma once

#include <jni.h>

namespace pycuda_java {

/// The environment of this thread. A thread that the JVM does not know becomes a daemon of this name, for which the JVM
/// does not wait at its end, until the thread ends. Null if the JVM is ending.
JNIEnv* attached(JavaVM* vm, const char* name) noexcept;

}  // namespace pycuda_java
