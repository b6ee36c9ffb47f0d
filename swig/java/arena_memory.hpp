// Memory of java.lang.foreign: an arena must not be closed while native code uses its memory. The JDK's own input and
// output holds it by methods that are not public, and so does this, by JNI, to which everything is.
#pragma once

#include <jni.h>

namespace pycuda_java {

/// Looks up what the JVM has of it.
void find_arena_classes(JNIEnv* env) noexcept;

/// Where a direct buffer's memory starts; its position does not count. Null for memory of a segment, and for what is no
/// direct buffer.
const void* plain_buffer_address(JNIEnv* env, jobject direct_buffer);

/// `scope`: a MemorySegment.Scope. Leaves IllegalStateException pending when it is closed, WrongThreadException when it
/// is another thread's; IllegalArgumentException where this JVM does not let it be held.
void acquire_scope(JNIEnv* env, jobject scope);
/// On any thread.
void release_scope(JNIEnv* env, jobject scope);
/// False for memory that lives as long as anything refers to it.
bool can_be_closed(JNIEnv* env, jobject scope);

}  // namespace pycuda_java
