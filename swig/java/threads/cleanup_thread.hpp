#pragma once

#include <jni.h>

namespace pycuda_java {

/// Starts the thread that runs the actions from the queue of org.pycuda.Cleanup. A Java thread would keep the class
/// loader of org.pycuda, which in a server belongs to an application, from being collected: through its stack, and
/// through the code that created it. This one refers only to the queue, and ends when that class loader is gone. False,
/// with a Java exception pending, when memory is out.
bool start_cleanup_thread(JavaVM* vm, JNIEnv* env);

}  // namespace pycuda_java
