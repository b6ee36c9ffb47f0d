import org.pycuda.Autoinit;
import org.pycuda.Driver;
import org.pycuda.ExternalMemory;
import org.pycuda.ExternalSemaphore;
import org.pycuda.ExternalSemaphoreHandleType;
import org.pycuda.MemAllocationHandleType;
import org.pycuda.MemLocationType;
import org.pycuda.PhysicalMemory;
import org.pycuda.Stream;
import org.pycuda.StreamFlags;
import org.pycuda.VirtualMemory;
import org.pycuda.compiler.SourceModule;

/**
 * Frames of another interface, such as Vulkan: its memory is device memory here, and its timeline semaphore orders both sides on the device. A second
 * stream plays the other interface, with memory that the CPU device exports; a GPU needs descriptors of Vulkan's functions vkGetMemoryFdKHR and
 * vkGetSemaphoreFdKHR. Prints the sum of the frames.
 */
public class ExternalFrames {
    private static final int N = 1024;
    private static final int FRAMES = 10;

    public static void main(String[] args) {
        Autoinit.init();
        try {
            System.out.printf("frames: %d, their sum: %.0f%n", FRAMES, run());
        } catch (Driver.Error error) {
            System.out.println("frames: none: " + error.getMessage());
        }
    }

    /** Memory of the other side, of which the other interface would return a file descriptor. */
    private static PhysicalMemory shared() {
        return new PhysicalMemory(4 * N, MemLocationType.DEVICE, -1, MemAllocationHandleType.POSIX_FILE_DESCRIPTOR);
    }

    private static double run() {
        var add = new SourceModule("""
            __global__ void add(float *sum, const float *frame) { sum[threadIdx.x] += frame[threadIdx.x]; }
            """).function("add");
        try (var ofPixels = shared(); var ofWord = shared(); var pixels = new VirtualMemory(); var word = new VirtualMemory();
             var ours = new Stream(StreamFlags.NON_BLOCKING); var other = new Stream(StreamFlags.NON_BLOCKING);
             var total = Driver.toDevice(new float[N])) {
            pixels.map(ofPixels);
            word.map(ofWord);  // the CPU device has the value of a timeline in its first 8 bytes
            Driver.memsetD8(word, (byte) 0, 8);
            // The descriptors are the driver's from here on.
            try (var memory = new ExternalMemory(ofPixels.exportDescriptor(), 4 * N); var frame = memory.mapBuffer();
                 var timeline = new ExternalSemaphore(ofWord.exportDescriptor(), ExternalSemaphoreHandleType.TIMELINE_SEMAPHORE_FD)) {
                for (int k = 0; k < FRAMES; k++) {
                    Driver.memsetD32Async(pixels, Float.floatToIntBits(k), N, other);
                    other.writeValue64(word, 2 * k + 1);  // the frame is there
                    ours.waitForSemaphore(timeline, 2 * k + 1);
                    add.launch(Driver.block(N).stream(ours), total, frame);
                    ours.signalSemaphore(timeline, 2 * k + 2);  // it was read
                    other.waitValue64(word, 2 * k + 2);
                }
                ours.synchronize();
                other.synchronize();
            }
            double sum = 0;
            for (float pixel : Driver.fromDevice(total, N, float[].class)) {
                sum += pixel;
            }
            return sum;
        }
    }
}
