#pragma once

#include <jni.h>

#include <memory>

#include "pycuda/streams/keeping.hpp"

namespace pycuda_java {

/// A reference that any thread may drop, even a thread unknown to the JVM. Null for null. A KeptMemory is released.
std::shared_ptr<void> keep_alive(JNIEnv* env, jobject object);
/// The same for a KeptCopies, to which Java adds until it is sealed.
std::shared_ptr<pycuda::GrowingObject> keep_growing(JNIEnv* env, jobject copies);

}  // namespace pycuda_java
