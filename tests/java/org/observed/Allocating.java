package org.observed;

import org.pycuda.Autoinit;
import org.pycuda.Context;
import org.pycuda.DType;
import org.pycuda.DeviceAllocation;
import org.pycuda.Driver;
import org.pycuda.GPUArray;
import org.pycuda.MemoryReport;
import org.pycuda.Stream;

/** A program outside org.pycuda: prints which of its lines have allocated what. */
public final class Allocating {
    private static DeviceAllocation ofWorker;

    private Allocating() {}

    private static DeviceAllocation[] memory() {
        var memory = new DeviceAllocation[3];
        for (int i = 0; i < memory.length; i++) {
            memory[i] = Driver.memAlloc(500);
        }
        return memory;
    }

    public static void main(String[] arguments) throws InterruptedException {
        Autoinit.init();
        Context context = Autoinit.context();
        boolean fromStart = arguments.length > 0;
        if (!fromStart) {
            MemoryReport.recordAllocations(true);
        }
        DeviceAllocation[] memory = memory();
        var array = GPUArray.zeros(DType.FLOAT32, 1000);
        var worker = new Thread(() -> context.run(() -> {
            ofWorker = Driver.memAlloc(700);
        }));
        worker.start();
        worker.join();
        try (var stream = new Stream(); var pinned = Driver.pagelockedZeros(DType.INT8, 900)) {
            MemoryReport.now().allocations().forEach(System.out::println);
        }
        array.close();
        for (var part : memory) {
            part.close();
        }
        System.out.println("then " + MemoryReport.now().allocations());
        MemoryReport.recordAllocations(false);
        System.out.println("at last " + MemoryReport.now().allocations());
    }
}
