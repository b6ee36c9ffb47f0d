package org.pycuda;

import java.lang.ref.Reference;
import java.nio.Buffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Host memory outside the Java heap while a copy uses it. The address was read once: other threads may change a buffer's
 * position meanwhile. Its arena (java.lang.foreign) cannot be closed before {@link #release}, as with the JDK's
 * own input and output.
 */
final class HostUse implements KeptMemory {
    /** Uses of arenas by streams. A wait for a stream releases them at once; the core's thread does so some milliseconds later. */
    private static final Set<HostUse> HELD = ConcurrentHashMap.newKeySet();

    final long address;
    final long nbytes;
    private final Object host;
    /** Null if the memory cannot be closed, or was released. */
    private Object scope;
    private Stream stream;
    private long context;

    private HostUse(Object host, long address, long nbytes, Object scope) {
        this.host = host;
        this.address = address;
        this.nbytes = nbytes;
        this.scope = scope;
    }

    static boolean isDirect(Object host) {
        return host instanceof Buffer buffer ? buffer.isDirect() : Segments.isSegment(host) && Segments.isNative(host);
    }

    /**
     * @param host a direct buffer or a native segment. IllegalStateException if its arena is closed, WrongThreadException if that
     * is confined to another thread.
     */
    static HostUse of(Object host) {
        if (host instanceof Buffer given) {
            Buffer buffer = HostCopies.view(given);  // refuses another byte order
            int size = HostCopies.elementSize(buffer);
            int position = buffer.position();
            long nbytes = (long) Math.max(0, buffer.limit() - position) * size;
            long start = DriverProxy.plainBufferAddress(buffer);
            Object held = start == 0 ? acquire(buffer) : null;
            start = start == 0 ? DriverProxy.bufferAddress(buffer) : start;
            return new HostUse(buffer, start + (long) position * size, nbytes, held);
        }
        Object held = acquire(host);
        return new HostUse(host, Segments.address(host), Segments.byteSize(host), held);
    }

    /** The same for memory that an asynchronous copy can use. IllegalArgumentException for the Java heap. */
    static HostUse forLater(Object host) {
        if (!isDirect(host)) {
            HostCopies.require(host);
            throw new IllegalArgumentException("an asynchronous copy needs memory outside the Java heap, such as a direct buffer: the JVM may move arrays");
        }
        return of(host);
    }

    /** The same for memory that is used as long as an object lives. IllegalArgumentException if an arena might close it before. */
    static HostUse forEver(Object host) {
        HostUse use = forLater(host);
        if (use.scope != null && DriverProxy.canBeClosed(use.scope)) {
            use.release();
            throw new IllegalArgumentException("the arena of this memory can be closed while the copy still refers to it: use memory of "
                + "Arena.ofAuto() or Arena.global(), or ByteBuffer.allocateDirect");
        }
        return use;
    }

    private static Object acquire(Object host) {
        Object scope = Segments.scope(host);
        DriverProxy.acquireScope(scope);
        return scope;
    }

    /** Keeps the memory alive until a stream has used it; native code then calls {@link #release}. */
    synchronized Object kept() {
        return scope == null ? host : this;
    }

    /**
     * Records that work on {@code queue} uses the memory. Called after
     * the work is queued: otherwise a wait on another thread would release the memory. Memory of captured work stays for the graph.
     */
    void isHeldBy(Stream queue) {
        synchronized (this) {
            if (scope == null || queue != Stream.DEFAULT && queue.isCapturing()) {
                return;
            }
            stream = queue;
            context = DriverProxy.currentContext();
            HELD.add(this);
        }
    }

    /** Uses that work on a stream holds now. */
    static List<HostUse> heldBy(Stream queue) {
        if (HELD.isEmpty()) {
            return List.of();
        }
        long current = queue == Stream.DEFAULT ? DriverProxy.currentContext() : 0;
        return HELD.stream().filter(use -> use.stream == queue && (current == 0 || use.context == current)).toList();
    }

    /** Uses that work in a context holds now. */
    static List<HostUse> heldIn(long context) {
        return HELD.stream().filter(use -> use.context == context).toList();
    }

    static void releaseAll(List<HostUse> uses) {
        for (HostUse use : uses) {
            use.release();
        }
    }

    static boolean isAnyHeld() {
        return !HELD.isEmpty();
    }

    /** A no-op if it is released already. Any thread may call it. */
    @Override
    public void release() {
        synchronized (this) {
            Object released = scope;
            scope = null;
            if (released != null) {
                DriverProxy.releaseScope(released);
            }
            HELD.remove(this);  // last: who does not find it there may close the arena
        }
        Reference.reachabilityFence(host);
    }
}
