package org.observed;

import org.pycuda.Autoinit;
import org.pycuda.Context;
import org.pycuda.Driver;
import org.pycuda.compiler.SourceModule;

/** A program outside org.pycuda: prints how its access to memory that it has freed is reported. */
public final class UsingFreedMemory {
    private UsingFreedMemory() {}

    public static void main(String[] none) {
        Autoinit.init();
        var memory = Driver.memAlloc(4000);
        long address = memory.pointer();
        memory.free();
        try (var module = new SourceModule("__global__ void write(int *p) { *p = 1; }")) {
            module.function("write").launch(Driver.block(1), address);
            Context.synchronize();
        } catch (Driver.LaunchError error) {
            System.out.println(error.getMessage());
        }
    }
}
