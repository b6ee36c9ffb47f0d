#pragma once

#include <jni.h>

#include <memory>

#include "pycuda/gpuarray/array.hpp"

namespace pycuda_java {

/// An org.pycuda.Allocator in the form that the engine uses. Null for null. If it throws a Java exception, that stays
/// pending and ends the native call.
std::shared_ptr<pycuda::gpuarray::ArrayAllocator> allocator_of(JNIEnv* env, jobject allocator);

/// The Java object behind it; null for null.
jobject java_allocator(JNIEnv* env, const std::shared_ptr<pycuda::gpuarray::ArrayAllocator>& allocator);

}  // namespace pycuda_java
