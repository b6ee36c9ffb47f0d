package org.pycuda;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.ref.Reference;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Access to java.lang.foreign by method handles, because these classes also run on Java 17, which lacks it. The JIT compiler
 * inlines constant handles, so calls are as fast as direct ones. Only {@link #isSegment} may be called before Java 22.
 */
final class Segments {
    private static final int FIRST_RELEASE = 22;  // before it was a preview
    private static final Class<?> SEGMENT = find("java.lang.foreign.MemorySegment");
    private static final Class<?> ARENA = find("java.lang.foreign.Arena");
    private static final MethodHandle ADDRESS = handle(SEGMENT, "address");
    private static final MethodHandle BYTE_SIZE = handle(SEGMENT, "byteSize");
    private static final MethodHandle IS_NATIVE = handle(SEGMENT, "isNative");
    private static final MethodHandle IS_READ_ONLY = handle(SEGMENT, "isReadOnly");
    private static final MethodHandle SCOPE = handle(SEGMENT, "scope");
    private static final MethodHandle OF_BUFFER = handle(SEGMENT, "ofBuffer", Buffer.class);
    private static final MethodHandle OF_ADDRESS = handle(SEGMENT, "ofAddress", long.class);
    private static final MethodHandle COPY = handle(SEGMENT, "copy", SEGMENT, long.class, SEGMENT, long.class, long.class);
    private static final MethodHandle REINTERPRET = handle(SEGMENT, "reinterpret", long.class, ARENA, Consumer.class);
    private static final MethodHandle OF_SHARED = handle(ARENA, "ofShared");
    private static final MethodHandle CLOSE = handle(ARENA, "close");

    private Segments() {}

    private static Class<?> find(String name) {
        try {
            return Runtime.version().feature() < FIRST_RELEASE ? null : Class.forName(name);
        } catch (ClassNotFoundException missing) {
            throw new ExceptionInInitializerError(missing);
        }
    }

    /** Its reference types appear as Object to the caller; null before Java 22. */
    private static MethodHandle handle(Class<?> type, String name, Class<?>... parameters) {
        if (type == null) {
            return null;
        }
        try {
            MethodHandle found = MethodHandles.lookup().unreflect(type.getMethod(name, parameters));
            return found.asType(found.type().erase());
        } catch (ReflectiveOperationException missing) {
            throw new ExceptionInInitializerError(missing);
        }
    }

    /** None of these methods throws a checked exception. */
    private static AssertionError impossible(Throwable thrown) {
        if (thrown instanceof RuntimeException failure) {
            throw failure;
        } else if (thrown instanceof Error failure) {
            throw failure;
        }
        return new AssertionError(thrown);
    }

    static boolean isSegment(Object host) {
        return SEGMENT != null && SEGMENT.isInstance(host);
    }

    static boolean isNative(Object segment) {
        try {
            return (boolean) IS_NATIVE.invokeExact(segment);
        } catch (Throwable thrown) {
            throw impossible(thrown);
        }
    }

    static boolean isReadOnly(Object segment) {
        try {
            return (boolean) IS_READ_ONLY.invokeExact(segment);
        } catch (Throwable thrown) {
            throw impossible(thrown);
        }
    }

    static long address(Object segment) {
        try {
            return (long) ADDRESS.invokeExact(segment);
        } catch (Throwable thrown) {
            throw impossible(thrown);
        }
    }

    static long byteSize(Object segment) {
        try {
            return (long) BYTE_SIZE.invokeExact(segment);
        } catch (Throwable thrown) {
            throw impossible(thrown);
        }
    }

    /** The owner of a segment's or a buffer's memory: while it lives, so does the memory. */
    static Object scope(Object host) {
        try {
            return (Object) SCOPE.invokeExact(isSegment(host) ? host : (Object) OF_BUFFER.invokeExact(host));
        } catch (Throwable thrown) {
            throw impossible(thrown);
        }
    }

    /** Copies bytes between a segment, from {@code offset} on, and a buffer, from its start on. */
    static void copy(Object segment, long offset, ByteBuffer buffer, long nbytes, boolean toBuffer) {
        try {
            Object other = (Object) OF_BUFFER.invokeExact((Object) buffer);
            if (toBuffer) {
                COPY.invokeExact(segment, offset, other, 0L, nbytes);
            } else {
                COPY.invokeExact(other, 0L, segment, offset, nbytes);
            }
        } catch (Throwable thrown) {
            throw impossible(thrown);
        }
    }

    /** An arena that any thread may use and close. */
    static Object sharedArena() {
        try {
            return (Object) OF_SHARED.invokeExact();
        } catch (Throwable thrown) {
            throw impossible(thrown);
        }
    }

    /** IllegalStateException while a copy uses its memory. */
    static void closeArena(Object arena) {
        try {
            CLOSE.invokeExact(arena);
        } catch (Throwable thrown) {
            throw impossible(thrown);
        }
    }

    /** A segment over memory, which keeps {@code lifeline} reachable for as long as it or a slice of it is, until the arena is closed. */
    static Object view(long address, long nbytes, Object arena, Object lifeline) {
        Consumer<Object> keep = ignored -> Reference.reachabilityFence(lifeline);
        try {
            Object start = (Object) OF_ADDRESS.invokeExact(address);
            return (Object) REINTERPRET.invokeExact(start, nbytes, arena, (Object) keep);
        } catch (Throwable thrown) {
            throw impossible(thrown);
        }
    }

    /** {@code type} if that is the class of segments; IllegalArgumentException if not. */
    static <T> Class<T> requireSegment(Class<T> type) {
        if (Objects.requireNonNull(type, "type") != SEGMENT) {
            throw new IllegalArgumentException(SEGMENT == null
                ? "java.lang.foreign.MemorySegment needs Java " + FIRST_RELEASE + " or later; use buffer(offset, size)"
                : "expected MemorySegment.class, not " + type.getName());
        }
        return type;
    }
}
