package org.pycuda.arguments;

import static org.pycuda.arguments.Kind.refused;
import static org.pycuda.arguments.Kind.works;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.pycuda.AlignedMemory;
import org.pycuda.Context;
import org.pycuda.DType;
import org.pycuda.Device;
import org.pycuda.DeviceMemoryPool;
import org.pycuda.DevicePointer;
import org.pycuda.Devices;
import org.pycuda.Driver;
import org.pycuda.GPUArray;
import org.pycuda.HostAllocFlags;
import org.pycuda.MemHostRegisterFlags;
import org.pycuda.PinnedMemory;
import org.pycuda.Slice;
import org.pycuda.Stream;

/** The kinds of values for parameters that take a device address. */
final class DeviceKinds {
    private DeviceKinds() {}

    static final int OFFSET = 16;

    /** The exception that a holder of the tests throws; it must reach the caller unchanged. */
    static final class Unusable extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    static final List<Kind> ALL = new ArrayList<>();

    /** Memory that is passed as an object. */
    private static void memory(String name, IntFunction<? extends DevicePointer> allocate) {
        ALL.add(works(name, content -> {
            DevicePointer memory = filled(allocate.apply(content.length), content);
            return Memory.at(memory, memory.pointer(), content.length);
        }));
    }

    /** The address of memory from {@code allocate}, passed in the form that {@code wrap} creates. */
    private static void holder(String name, IntFunction<? extends DevicePointer> allocate, java.util.function.LongFunction<DevicePointer> wrap) {
        ALL.add(works(name, content -> {
            DevicePointer memory = filled(allocate.apply(content.length), content);
            return Memory.at(wrap.apply(memory.pointer()), memory.pointer(), content.length, memory);
        }));
    }

    private static DevicePointer filled(DevicePointer memory, byte[] content) {
        Driver.memcpyHtod(memory, content);
        return memory;
    }

    private static DevicePointer shifted(DevicePointer memory) {
        return memory.plus(OFFSET);
    }

    private static GPUArray array(int size) {
        return GPUArray.zeros(DType.UINT8, size);
    }

    /** Memory of an ended context: once for each size, because creating a context on a GPU takes long. */
    private static void ended(String name, IntFunction<? extends DevicePointer> allocate) {
        Map<Integer, DevicePointer> bySize = new HashMap<>();
        ALL.add(refused(Driver.LogicError.class, name, content -> bySize.computeIfAbsent(content.length, size -> {
            Context context = new Device(0).makeContext();
            DevicePointer memory = allocate.apply(size);
            Context.pop();
            context.detach();
            return memory;
        })));
    }

    static {
        memory("DeviceAllocation", size -> Driver.memAlloc(size));
        memory("PooledDeviceAllocation", size -> DeviceMemoryPool.ofCurrentContext().allocate(size));
        memory("StreamOrderedAllocation", size -> {
            var memory = Driver.memAllocAsync(size);
            Context.synchronize();
            return memory;
        });
        memory("VirtualMemory", size -> Devices.virtualMemory(size, 1 << 22));
        memory("pitched allocation", size -> Driver.memAllocPitch(size, 1, 4).allocation());
        memory("ManagedAllocation", size -> Driver.managedEmpty(DType.UINT8, size));
        memory("GPUArray", DeviceKinds::array);
        memory("view of a GPUArray", size -> array(size + OFFSET).slice(Slice.from(OFFSET)));
        memory("allocation plus bytes", size -> shifted(Driver.memAlloc(size + OFFSET)));
        memory("GPUArray plus bytes", size -> shifted(array(size + OFFSET)));
        memory("ManagedAllocation plus bytes", size -> shifted(Driver.managedEmpty(DType.UINT8, size + OFFSET)));
        holder("DevicePointer.of", size -> Driver.memAlloc(size), DevicePointer::of);
        holder("lambda", size -> Driver.memAlloc(size), address -> () -> address);
        holder("class that the program defines", size -> Driver.memAlloc(size), Own::new);
        holder("GlobalSymbol", size -> Driver.memAlloc(size), address -> new Driver.GlobalSymbol(address, 64));
        ALL.add(works("mapped page-locked memory", content -> {
            var memory = PinnedMemory.of(DType.UINT8, content.length).mapped().empty();
            memory.buffer().put(content);
            return Memory.at(DevicePointer.of(memory.devicePointer()), memory.devicePointer(), content.length, memory);
        }));
        ALL.add(works("mapped registered memory", content -> {
            var aligned = AlignedMemory.of(DType.UINT8, 4096).alignment(4096).empty();
            var memory = org.pycuda.Memory.registerHostMemory(aligned.buffer(), MemHostRegisterFlags.DEVICEMAP);
            memory.buffer().put(content);
            return Memory.at(DevicePointer.of(memory.devicePointer()), memory.devicePointer(), content.length, memory, aligned);
        }));

        ALL.add(refused(NullPointerException.class, "null", content -> null));
        closed("closed DeviceAllocation", size -> Driver.memAlloc(size));
        closed("closed PooledDeviceAllocation", size -> DeviceMemoryPool.ofCurrentContext().allocate(size));
        closed("closed StreamOrderedAllocation", size -> Driver.memAllocAsync(size));
        closed("closed VirtualMemory", size -> Devices.virtualMemory(size, 1 << 22));
        closed("closed ManagedAllocation", size -> Driver.managedEmpty(DType.UINT8, size));
        closed("closed GPUArray", DeviceKinds::array);
        ALL.add(refused(Driver.LogicError.class, "closed allocation plus bytes", content -> {
            var memory = Driver.memAlloc(content.length + OFFSET);
            DevicePointer inside = memory.plus(OFFSET);
            memory.close();
            return inside;
        }));
        ended("allocation of an ended context", size -> Driver.memAlloc(size));
        ended("GPUArray of an ended context", DeviceKinds::array);
        ALL.add(refused(Unusable.class, "holder that throws", content -> (DevicePointer) () -> {
            throw new Unusable();
        }));
    }

    private static <T extends DevicePointer & AutoCloseable> void closed(String name, IntFunction<T> allocate) {
        ALL.add(refused(Driver.LogicError.class, name, content -> {
            T memory = allocate.apply(content.length);
            try {
                memory.close();
            } catch (Exception failure) {
                throw new IllegalStateException(failure);
            }
            return memory;
        }));
    }

    private record Own(long address) implements DevicePointer {
        @Override
        public long pointer() {
            return address;
        }

        @Override
        public long pointerFor(Stream stream) {
            return address;
        }
    }
}
