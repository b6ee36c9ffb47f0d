package org.pycuda;

/** Memory that native code keeps until a stream has used it, and then releases. */
interface KeptMemory {
    /** The second call does nothing. Any thread may call it. */
    void release();

    /** Releases the object if it is such memory. */
    static void release(Object kept) {
        if (kept instanceof KeptMemory memory) {
            memory.release();
        }
    }
}
