#pragma once

#include <jni.h>

#include <memory>

namespace pycuda_java {

/// A reference that any thread may drop, also one that the JVM has never seen. Null for null.
std::shared_ptr<void> keep_alive(JNIEnv* env, jobject object);

}  // namespace pycuda_java
