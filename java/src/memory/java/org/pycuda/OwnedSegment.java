package org.pycuda;

import java.util.function.LongSupplier;

/** The segment of memory that an object owns. It is closed with the memory, so that a later access is an exception. */
final class OwnedSegment {
    private Object arena;
    private boolean closed;

    /**
     * A segment of all of the memory.
     *
     * @param type MemorySegment.class
     * @param address the memory's address, LogicError if it is closed
     * @param lifeline what keeps the memory alive: the segment keeps it reachable
     */
    synchronized <T> T of(Class<T> type, LongSupplier address, long nbytes, Object lifeline) {
        Segments.requireSegment(type);
        long start = address.getAsLong();
        if (closed) {
            throw new Driver.LogicError("the memory was closed", "segment", 0);
        }
        arena = arena == null ? Segments.sharedArena() : arena;
        return type.cast(Segments.view(start, nbytes, arena, lifeline));
    }

    /** Closes the segments. IllegalStateException, and they stay open, while a copy uses one. */
    synchronized void close() {
        if (arena != null && !closed) {
            Segments.closeArena(arena);
        }
        closed = true;
    }
}
