// Memory of java.lang.foreign: an arena must not be closed while native code uses its memory. The JDK's own I/O
// acquires the scope by internal methods; JNI, which ignores access rules, lets us call the same.
#pragma once

#include <jni.h>

namespace pycuda_java {

/// Looks up these classes and methods of the JVM.
void find_arena_classes(JNIEnv* env) noexcept;

/// Where a direct buffer's memory starts; its position does not count. Null for memory of a segment, and for an object
/// that is not a direct buffer.
const void* plain_buffer_address(JNIEnv* env, jobject direct_buffer);

/// `scope`: a MemorySegment.Scope. Leaves IllegalStateException pending when it is closed, WrongThreadException when it
/// is another thread's; IllegalArgumentException if this JVM does not allow acquiring it.
void acquire_scope(JNIEnv* env, jobject scope);
/// On any thread.
void release_scope(JNIEnv* env, jobject scope);
/// False for memory that lives as long as anything refers to it.
bool can_be_closed(JNIEnv* env, jobject scope);

}  // namespace pycuda_java
