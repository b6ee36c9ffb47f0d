#pragma once

#include <jni.h>

#include <cstdint>
#include <functional>

namespace pycuda_java {

/// A function for the driver that calls `object.call(first, second)`, a Java method without exceptions.
std::function<void(std::int64_t, std::int64_t)> driver_function(JNIEnv* env, jobject object);

}  // namespace pycuda_java
