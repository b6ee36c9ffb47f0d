import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import org.pycuda.Autoinit;
import org.pycuda.DType;
import org.pycuda.Driver;
import org.pycuda.Event;
import org.pycuda.EventFlags;
import org.pycuda.GPUArray;
import org.pycuda.IPCMemoryHandle;
import org.pycuda.Memory;
import org.pycuda.Stream;

/**
 * Device memory and an event that two processes share (IPC): one writes, and the other one doubles the numbers in place, after the event.
 * Prints the sum of what this process then reads. The same program as shared_memory.py.
 */
public class SharedMemory {
    private static final int N = 1000;

    /** The other process: opens what the first one allocated and recorded. */
    private static void doubleNumbers(byte[] memoryHandle, byte[] eventHandle) {
        try (var memory = new IPCMemoryHandle(memoryHandle); var written = Event.fromIpcHandle(eventHandle); var stream = new Stream()) {
            stream.waitForEvent(written);
            try (var on = stream.use(); var numbers = GPUArray.wrap(memory, DType.INT32, N)) {
                numbers.mulInPlace(2);
            }
        }
    }

    /** This program again, with the handles as arguments. */
    private static void startOther(byte[]... handles) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(Files.readString(Path.of("/proc/self/cmdline")).split("\0")));
        for (byte[] handle : handles) {
            command.add(HexFormat.of().formatHex(handle));
        }
        if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
            throw new IllegalStateException("the other process failed");
        }
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        Autoinit.init();
        if (args.length > 0) {
            doubleNumbers(HexFormat.of().parseHex(args[0]), HexFormat.of().parseHex(args[1]));
            return;
        }
        try (var memory = Driver.memAlloc(4L * N); var stream = new Stream();
             var written = new Event(EventFlags.INTERPROCESS, EventFlags.DISABLE_TIMING)) {
            Driver.memcpyHtod(memory, IntStream.range(0, N).toArray());
            written.record(stream);
            startOther(Memory.memGetIpcHandle(memory), written.ipcHandle());
            System.out.println("sum after the other process: " + IntStream.of(Driver.fromDevice(memory, N, int[].class)).sum());
        }
    }
}
