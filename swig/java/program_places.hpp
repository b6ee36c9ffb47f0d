#pragma once

#include <jni.h>

namespace pycuda_java {

/// Tell the core how to find the line of the program that a driver call comes from: the innermost frame outside
/// org.pycuda and the JDK.
void connect_places(JavaVM* vm) noexcept;

}  // namespace pycuda_java
