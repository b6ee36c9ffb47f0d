package org.pycuda;

import static org.junit.jupiter.api.Assumptions.abort;

/** Memory and semaphores of another interface, as the CPU device has them: memory that this process exports by a descriptor. */
final class External implements AutoCloseable {
    static final long NBYTES = 1 << 16;

    private final PhysicalMemory piece;
    /** The same bytes. */
    final VirtualMemory view = new VirtualMemory();

    External() {
        if (!Devices.isCpu()) {  // FaultSweep, which runs without JUnit, does not come here
            abort("the test's descriptors are external memory of the CPU device only");
        }
        piece = new PhysicalMemory(NBYTES, MemLocationType.DEVICE, -1, MemAllocationHandleType.POSIX_FILE_DESCRIPTOR);
        view.map(piece);
    }

    // Each has memory of its own.

    static ExternalMemory importedMemory() {
        try (var other = new External()) {
            return other.memory();
        }
    }

    static ExternalBuffer buffer(long nbytes) {
        try (var memory = importedMemory()) {
            return memory.mapBuffer(64, nbytes);
        }
    }

    static ExternalSemaphore importedTimeline() {
        try (var other = new External()) {
            return other.timeline();
        }
    }

    int descriptor() {
        return piece.exportDescriptor();
    }

    ExternalMemory memory() {
        return new ExternalMemory(descriptor(), NBYTES);
    }

    /** A timeline, whose value is the first long. */
    ExternalSemaphore timeline() {
        return new ExternalSemaphore(descriptor(), ExternalSemaphoreHandleType.TIMELINE_SEMAPHORE_FD);
    }

    long value() {
        return Driver.fromDevice(view, 1, long[].class)[0];
    }

    @Override
    public void close() {
        view.close();
        piece.close();
    }
}
