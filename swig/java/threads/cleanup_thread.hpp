#pragma once

#include <jni.h>

namespace pycuda_java {

/// Starts the thread that runs what comes out of the queue of org.pycuda.Cleanup. A thread of Java's own would keep the
/// class loader of org.pycuda, which in a server is an application's, from being collected: by what is on its stack,
/// and by whose code made it. This one refers to the queue only, and ends when that class loader has. False, with a
/// Java exception pending, when memory is out.
bool start_cleanup_thread(JavaVM* vm, JNIEnv* env);

}  // namespace pycuda_java
