#pragma once

#include <jni.h>

namespace pycuda_java {

/// Starts the thread that runs the actions from the queue of org.pycuda.Cleanup. A Java thread would keep the class
/// loader of org.pycuda, which in a server belongs to an application, from being collected: through its stack, and
/// through the code that created it. This one refers only to the queue, and ends after the class loader is collected.
/// If memory runs out, false with a Java exception pending.
bool start_cleanup_thread(JavaVM* vm, JNIEnv* env);

}  // namespace pycuda_java
