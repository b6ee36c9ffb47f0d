#pragma once

#include <jni.h>

#include <functional>

namespace pycuda_java {

/// A function for a stream that calls `object.ended(true)`, a Java method without exceptions, when it runs; and
/// `object.ended(false)` when it is destroyed without having run.
std::function<void()> host_function(JNIEnv* env, jobject object);

}  // namespace pycuda_java
