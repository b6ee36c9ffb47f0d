package org.pycuda;

import java.lang.ref.Reference;
import java.nio.Buffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Host memory outside the Java heap while a copy uses it. Where the memory is was read once: other threads may move a buffer's position
 * meanwhile. An arena of java.lang.foreign that the memory belongs to cannot be closed before {@link #release}, as in the JDK's own
 * input and output.
 */
final class HostUse implements KeptMemory {
    /** Those of arenas that streams hold. What waits for a stream releases them itself; the core's thread does so some milliseconds later. */
    private static final Set<HostUse> HELD = ConcurrentHashMap.newKeySet();

    final long address;
    final long nbytes;
    private final Object host;
    /** Null: memory that cannot be closed, or that was released. */
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
     * @param host a direct buffer or a native segment. IllegalStateException when its arena is closed, WrongThreadException when that is
     *     confined to another thread.
     */
    static HostUse of(Object host) {
        if (host instanceof Buffer given) {
            Buffer buffer = HostData.view(given);  // refuses another byte order
            int size = HostData.elementSize(buffer);
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

    /** The same of memory that an asynchronous copy can use. IllegalArgumentException for the Java heap. */
    static HostUse forLater(Object host) {
        if (!isDirect(host)) {
            HostData.require(host);
            throw new IllegalArgumentException("an asynchronous copy needs a direct buffer: the JVM may move arrays");
        }
        return of(host);
    }

    /** The same of memory that is used for as long as an object lives. IllegalArgumentException for what an arena might close before. */
    static HostUse forEver(Object host) {
        HostUse use = forLater(host);
        if (use.scope != null && DriverProxy.canBeClosed(use.scope)) {
            use.release();
            throw new IllegalArgumentException("the arena of this memory can be closed while the copy still names it: take memory of "
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
     * Work that uses the memory is queued on {@code queue}; null is the default stream. Not before it is queued: a wait on another thread would
     * release it. What a capture queues stays for the graph.
     */
    void isHeldBy(Stream queue) {
        synchronized (this) {
            if (scope == null || queue != null && queue.isCapturing()) {
                return;
            }
            stream = queue;
            context = DriverProxy.currentContext();
            HELD.add(this);
        }
    }

    /** Those that work on a stream holds now. */
    static List<HostUse> heldBy(Stream queue) {
        return HELD.isEmpty() ? List.of() : HELD.stream().filter(use -> use.stream == queue).toList();
    }

    /** Those that work in a context holds now. */
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

    @Override
    public void release() {
        Object released;
        synchronized (this) {
            released = scope;
            scope = null;
            HELD.remove(this);
        }
        if (released != null) {
            DriverProxy.releaseScope(released);
        }
        Reference.reachabilityFence(host);
    }
}
