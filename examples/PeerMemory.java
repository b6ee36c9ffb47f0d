import java.util.stream.IntStream;
import org.pycuda.Context;
import org.pycuda.Copies;
import org.pycuda.Device;
import org.pycuda.DeviceAllocation;
import org.pycuda.Driver;
import org.pycuda.compiler.SourceModule;

/**
 * Memory of two devices: it is copied from one to the other, and a kernel adds the other device's memory, which it reads in place (peer
 * access). With one device, the copy is between two of its contexts. Prints the sums; the same program as peer_memory.py.
 */
public class PeerMemory {
    private static final int N = 1000;

    private static int sum(DeviceAllocation memory) {
        return IntStream.of(Driver.fromDevice(memory, N, int[].class)).sum();
    }

    public static void main(String[] args) {
        Driver.init();
        var thereDevice = new Device(0);
        var hereDevice = new Device(Device.count() - 1);
        try (var thereContext = thereDevice.makeContext(); var there = Driver.toDevice(IntStream.range(0, N).toArray());
             var hereContext = hereDevice.makeContext(); var here = Driver.memAlloc(4L * N)) {  // current from here on
            Copies.memcpyPeer(here, there, 4L * N, hereContext, thereContext);
            System.out.println("copied: " + sum(here));
            if (!hereDevice.equals(thereDevice) && hereDevice.canAccessPeer(thereDevice)) {
                Context.enablePeerAccess(thereContext);
                var add = new SourceModule("__global__ void add(int *x, const int *y) { x[threadIdx.x] += y[threadIdx.x]; }").function("add");
                add.launch(Driver.block(N), here, there);
                System.out.println("with the other device's numbers added: " + sum(here));
            } else {
                System.out.println("there is no other device that this one can access");
            }
        }
    }
}
