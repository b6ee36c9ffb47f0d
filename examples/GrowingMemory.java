import org.pycuda.Autoinit;
import org.pycuda.Driver;
import org.pycuda.VirtualMemory;
import org.pycuda.compiler.SourceModule;

/**
 * A list on the device that grows in place: numbers are appended while its address stays the same, so kernels and
 * arrays that use it need no update. Prints how often memory was added, and the number of primes found. The same
 * program as growing_memory.py.
 */
public class GrowingMemory {
    private static final int LIMIT = 1 << 22, BATCH = 1 << 20;

    public static void main(String[] args) {
        Autoinit.init();
        var append = new SourceModule("""
            __global__ void append_primes(int *list, unsigned *count, int first)
            {
              int n = first + blockIdx.x * blockDim.x + threadIdx.x;
              bool prime = n > 1 && (n == 2 || n % 2);
              for (int d = 3; prime && d * d <= n; d += 2) prime = n % d != 0;
              if (prime) list[atomicAdd(count, 1)] = n;
            }
            """).function("append_primes");
        // Addresses for as much memory as the device has, but no memory yet.
        try (var found = new VirtualMemory(); var count = Driver.toDevice(new int[1])) {
            long address = found.pointer();
            int grown = 0;
            for (int first = 0; first < LIMIT; first += BATCH) {
                int soFar = Driver.fromDevice(count, 1, int[].class)[0];
                if (found.mapped() < 4L * (soFar + BATCH / 2)) {  // at most every second number is prime
                    found.resize(4L * (soFar + BATCH / 2));
                    grown++;
                }
                append.launch(Driver.block(256).grid(BATCH / 256), found, count, first);
            }
            if (found.pointer() != address) {
                throw new AssertionError("the address has changed");
            }
            int total = Driver.fromDevice(count, 1, int[].class)[0];
            System.out.printf("memory was added %d times, %d of %d MiB are in use%n", grown, found.mapped() >> 20, found.reserved() >> 20);
            System.out.printf("primes below %d: %d%n", LIMIT, total);
        }
    }
}
