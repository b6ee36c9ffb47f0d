import static org.pycuda.DType.FLOAT32;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import org.pycuda.Autoprimaryctx;
import org.pycuda.DeviceAllocation;
import org.pycuda.Driver;
import org.pycuda.GPUArray;
import org.pycuda.DevicePointer;
import org.pycuda.Stream;
import org.pycuda.compiler.SourceModule;

/**
 * Share memory with other libraries: host memory through direct buffers, device memory through addresses, which JCuda and native libraries
 * use, too. interoperation.py shares arrays with Python libraries.
 */
public class Interoperation {
    /** Stands for another library, which receives the elements' address and the stream to work in. */
    private static void theirFunction(long address, int n, long stream) {
        if (stream == 0) {
            throw new IllegalArgumentException("a stream is wanted");
        }
        Driver.memsetD32(DevicePointer.of(address + 4L * (n - 1)), Float.floatToIntBits(100), 1);
    }

    public static void main(String[] args) {
        Autoprimaryctx.init();  // the context of CUDA's runtime, in which other libraries work

        // Host memory: data in a direct buffer of any library is copied directly to the device.
        FloatBuffer host = ByteBuffer.allocateDirect(4 * 8).order(ByteOrder.nativeOrder()).asFloatBuffer();
        for (int i = 0; i < 8; i++) {
            host.put(i, i);
        }

        // Memory of another library in our arrays: an address, an element type and a shape. The array keeps the owner
        // alive, and does not free the memory.
        DeviceAllocation theirs = Driver.toDevice(host);
        GPUArray array = GPUArray.wrap(theirs, FLOAT32, 2, 4);
        array.mulInPlace(2);

        // Our memory and streams in calls of another library: both are passed as numbers.
        try (var stream = new Stream()) {
            theirFunction(array.pointer(), (int) array.size(), stream.handle());
        }

        // Addresses can be kernel arguments, too, or be stored in memory that kernels read.
        var add = new SourceModule("""
            __global__ void add(float *const *rows) { rows[0][threadIdx.x] += rows[1][threadIdx.x]; }
            """).function("add");
        long[] rows = {array.pointer(), array.slice(1, 2).pointer()};
        add.launch(Driver.block(4), Driver.in(rows));

        array.getInto(host);
        float sum = 0;
        for (int i = 0; i < 8; i++) {
            sum += host.get(i);
        }
        System.out.printf("sum after all of them: %.1f%n", sum);
    }
}
