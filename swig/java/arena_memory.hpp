// Memory of java.lang.foreign: an arena must not be closed while native code uses its memory. The JDK's own I/O
// acquires the scope by internal methods; we call them through JNI, which ignores access rules.
#pragma once

#include <jni.h>

namespace pycuda_java {

/// Looks up these classes and methods of the JVM.
void find_arena_classes(JNIEnv* env) noexcept;

/// The start of a direct buffer's memory, ignoring its position. Null for memory of a segment, and for an object that
/// is not a direct buffer.
const void* plain_buffer_address(JNIEnv* env, jobject direct_buffer);

/// `scope`: a MemorySegment.Scope. Leaves an exception pending: IllegalStateException if it is closed,
/// WrongThreadException if it belongs to another thread, IllegalArgumentException if this JVM does not allow acquiring
/// it.
void acquire_scope(JNIEnv* env, jobject scope);
/// On any thread.
void release_scope(JNIEnv* env, jobject scope);
/// False for memory that lives as long as it is referenced.
bool can_be_closed(JNIEnv* env, jobject scope);

}  // namespace pycuda_java
