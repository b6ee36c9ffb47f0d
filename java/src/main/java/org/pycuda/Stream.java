package org.pycuda;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A queue of operations that run in order, in the context current at its creation. Host memory of its copies, and device memory of its
 * launches, stay alive until it has completed them.
 *
 * <pre>{@code
 * try (var stream = new Stream(); var memory = Driver.memAlloc(4000)) {
 *     Driver.memsetD32Async(memory, 7, 1000, stream);
 *     stream.synchronize();
 * }
 * }</pre>
 */
public final class Stream extends StreamProxy {
    /**
     * The default stream (CUDA's legacy default stream) of the context that is current at each call; for operations of arrays the stream in
     * use on this thread ({@link #use}), if there is one. {@link #close} does nothing.
     */
    public static final Stream DEFAULT = new Stream(0, false);
    /** The driver's own handle of the legacy default stream, CU_STREAM_LEGACY. */
    private static final long LEGACY = 1;

    /** Open uses in this process: usually there is none. */
    private static final AtomicInteger USES = new AtomicInteger();
    private static final ThreadLocal<ArrayDeque<Use>> MINE = ThreadLocal.withInitial(ArrayDeque::new);

    /** Whether a copy into host memory was ever queued. */
    private volatile boolean writesHost;
    /** The memory of the most recent copies; may be sealed already. */
    private volatile KeptCopies copies;

    Stream(long cPtr, boolean cMemoryOwn) {
        super(cPtr, cMemoryOwn);
    }

    /** The stream, which is not null. */
    static Stream required(Stream stream, String name) {
        if (stream == null) {
            throw new NullPointerException(name + ": pass Stream.DEFAULT for the default stream");
        }
        return stream;
    }

    /** Creates a stream without flags (cuStreamCreate). */
    public Stream() {}

    /**
     * Creates a stream with flags (cuStreamCreate).
     *
     * @param flags its flags; none is DEFAULT
     */
    public Stream(StreamFlags... flags) {
        super(StreamFlags.bits(flags));
    }

    private Stream(int bits, int priority) {
        super(bits, priority);
    }

    /**
     * Creates a stream with a priority (cuStreamCreateWithPriority).
     *
     * @param priority lower is more urgent: {@link Context#streamPriorityRange}
     * @param flags its flags; none is DEFAULT
     * @return the stream
     */
    public static Stream withPriority(int priority, StreamFlags... flags) {
        return new Stream(StreamFlags.bits(flags), priority);
    }

    /**
     * Queues a host function (cuLaunchHostFunc): it runs after all earlier work in the stream is complete, and later work
     * waits for it. It runs on a thread of the driver: it must not call the driver, nor wait for a thread that does. Exceptions are
     * logged. If the stream never reaches it, it is not called.
     */
    public void addHostFunction(Runnable function) {
        DriverProxy.addHostFunction(this, new HostFunction(Objects.requireNonNull(function, "function")));
    }

    /**
     * A future that completes when all work queued now is complete, or exceptionally if the stream never gets so far. Dependent actions may
     * call the driver, in their own thread and with a context that they make current.
     */
    public CompletableFuture<Void> whenDone() {
        var done = new CompletableFuture<Void>();
        DriverProxy.addHostFunction(this, new HostFunction(done, HostUse.heldBy(this)));
        return done;
    }

    /**
     * Returns an attribute of the stream (cuStreamGetAttribute).
     *
     * @param attribute ACCESS_POLICY_WINDOW, SYNCHRONIZATION_POLICY, PRIORITY, MEM_SYNC_DOMAIN_MAP or MEM_SYNC_DOMAIN
     * @return the parts of its value in order: a Double for a ratio, otherwise a Long
     * @throws Driver.LogicError streams do not have this attribute
     */
    public List<Number> attribute(LaunchAttribute attribute) {
        return LaunchAttributes.numbers(attributeFields(Objects.requireNonNull(attribute, "attribute").value()));
    }

    /**
     * Sets an attribute of the stream for all work that is queued from now on (cuStreamSetAttribute). The program keeps the memory of an
     * access policy window.
     *
     * @param attribute ACCESS_POLICY_WINDOW, SYNCHRONIZATION_POLICY, PRIORITY, MEM_SYNC_DOMAIN_MAP or MEM_SYNC_DOMAIN
     * @param value the parts of its value in order, as for {@link LaunchConfig#attribute}
     * @throws Driver.LogicError streams do not have this attribute, or the driver refuses the value
     * @throws IllegalArgumentException the value has another number of parts, or one is of another type or out of range
     */
    public void setAttribute(LaunchAttribute attribute, Object... value) {
        LaunchAttributes given = LaunchAttributes.NONE.with(attribute, value);
        setAttributeOf(given.address);
        java.lang.ref.Reference.reachabilityFence(given);
    }

    /** A stream in use for a thread's array operations: {@link Stream#use}. */
    public final class Use implements AutoCloseable {
        private final Thread thread = Thread.currentThread();
        private final long context = DriverProxy.contextOf(Stream.this);
        private boolean open = true;

        private Use() {
            DriverProxy.beginStreamUse(Stream.this);
            MINE.get().push(this);
            USES.incrementAndGet();
        }

        private Stream stream() {
            return Stream.this;
        }

        boolean isOpen() {
            return open;
        }

        /** Ends the use, and waits for the stream unless it is being captured. LogicError on another thread, or before inner uses ended. */
        @Override
        public void close() {
            if (!open) {
                return;
            }
            if (thread != Thread.currentThread() || MINE.get().peek() != this) {
                throw new Driver.LogicError("a use of a stream must be closed on the thread that began it, after all uses inside it", "Stream.Use.close", 0);
            }
            open = false;
            MINE.get().pop();
            USES.decrementAndGet();
            DriverProxy.endStreamUse();
            if (!isCapturing()) {
                Stream.this.synchronize();
            }
        }
    }

    /**
     * Makes this the stream of this thread's array operations without a stream, and of their temporaries and memory, until the use is closed:
     * {@code try (var on = stream.use()) { ... }}. Uses may be nested. This stream waits for the work now queued on the one in use before.
     *
     * @return the use, to be closed on this thread
     */
    public Use use() {
        return this == DEFAULT ? fromHandle(0).use() : new Use();
    }

    /** This stream; for {@link #DEFAULT} the one in use on this thread in the current context, as the core finds it, if there is one. */
    static Stream inUse(Stream stream) {
        if (stream != DEFAULT || USES.get() == 0 || MINE.get().isEmpty()) {
            return stream;
        }
        long context = DriverProxy.currentContext();
        for (Use use : MINE.get()) {
            if (use.context == context || context == 0) {  // without a current context, the operation fails
                return use.stream();
            }
        }
        return DEFAULT;
    }

    /**
     * Begins a capture: work queued on this stream, and on others that wait for it, becomes a graph.
     *
     * @param mode which other calls are forbidden meanwhile
     * @return the capture, to be ended on this thread
     */
    public Capture capture(CaptureMode mode) {
        return new Capture(this, null, Objects.requireNonNull(mode, "mode"));
    }

    /**
     * Begins a capture into an existing graph, such as the body of a condition.
     *
     * @param mode which other calls are forbidden meanwhile
     * @param graph the graph to which the work is added
     * @return the capture, to be ended on this thread
     */
    public Capture capture(CaptureMode mode, Graph graph) {
        return new Capture(this, Objects.requireNonNull(graph, "graph"), Objects.requireNonNull(mode, "mode"));
    }

    /** {@inheritDoc} Arenas whose memory the work used can then be closed. */
    @Override
    public void synchronize() {
        List<HostUse> uses = HostUse.heldBy(this);
        super.synchronize();
        HostUse.releaseAll(uses);
    }

    /** {@inheritDoc} If so, arenas whose memory the work used can be closed. */
    @Override
    public boolean isDone() {
        List<HostUse> uses = HostUse.heldBy(this);
        boolean done = super.isDone();
        if (done) {
            HostUse.releaseAll(uses);
        }
        return done;
    }

    /**
     * Keeps the memory that queued work uses until a stream has completed it. While
     * captures are open, each copy is kept separately, because it may have to stay for the graph.
     */
    static void keepUntilDone(Stream stream, Object used) {
        KeptCopies open = stream == DEFAULT || OpenCaptures.any() ? null : stream.copies;
        if (open != null && open.add(used)) {
            return;
        }
        try {
            if (stream == DEFAULT || OpenCaptures.any()) {
                DriverProxy.keepUntilDone(stream, used);
            } else {
                var next = new KeptCopies(used);
                DriverProxy.keepCopies(stream, next);
                stream.copies = next;
            }
        } catch (OutOfMemoryError none) {
            waitFor(stream);  // nothing keeps the memory
            throw none;
        }
    }

    private static void waitFor(Stream stream) {
        if (stream == DEFAULT) {
            Context.synchronize();
        } else {
            stream.synchronize();
        }
    }

    /** A copy into host memory is about to be queued: {@link #close} waits for it. */
    void willWriteHost() {
        writesHost = this != DEFAULT;
    }

    @Override
    long nativeHandle() {
        return this == DEFAULT ? LEGACY : super.nativeHandle();
    }

    @Override
    void nativeClose() {
        if (this != DEFAULT) {
            super.nativeClose();
        }
    }

    @Override
    public String toString() {
        return this == DEFAULT ? "Stream.DEFAULT" : super.toString();
    }

    /** Closing waits, because the caller may read the results of its copies next. */
    @Override
    void beforeClose() {
        if (writesHost) {
            writesHost = false;
            try {
                synchronize();
            } catch (Driver.Error error) {
                // It is closed already, or has failed: then its copies were not made, which later calls in the context report.
            }
        }
    }
}
