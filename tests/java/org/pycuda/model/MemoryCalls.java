package org.pycuda.model;

import java.nio.ByteBuffer;
import java.util.List;
import org.pycuda.Copies;
import org.pycuda.DType;
import org.pycuda.DevicePointer;
import org.pycuda.Driver;
import org.pycuda.Fills;
import org.pycuda.Function;
import org.pycuda.GPUArray;
import org.pycuda.HostData;
import org.pycuda.In;
import org.pycuda.InOut;
import org.pycuda.LaunchConfig;
import org.pycuda.Memcpy2D;
import org.pycuda.Memcpy3D;
import org.pycuda.Out;
import org.pycuda.Stream;

/** The calls of tests/model/calls.py, whose rows have the same names and operands. */
final class MemoryCalls {
    private static final LaunchConfig BLOCK = Driver.block(32);

    /** Memory, and the form in which its address is passed; empty for the result of a call. */
    record Operand(MemoryPrograms.Variable variable, String route) {
        /** As an argument of a launch, where addresses are numbers. */
        Object argument() {
            return isNumber() ? variable.onDevice().pointer() : pointer();
        }

        DevicePointer pointer() {
            DevicePointer memory = variable.onDevice();
            if (isNumber()) {
                return DevicePointer.of(memory.pointer());
            }
            return route.equals("holder") ? memory::pointer : memory;
        }

        private boolean isNumber() {
            return route.equals("number") || route.equals("ptr");
        }

        boolean isHost() {
            return !(variable.memory() instanceof DevicePointer);
        }

        GPUArray array() {
            return variable.array();
        }

        ByteBuffer host() {
            return variable.host();
        }
    }

    private final MemoryPrograms programs;

    MemoryCalls(MemoryPrograms programs) {
        this.programs = programs;
    }

    /** Queues or executes the call. Returns what it creates, or null. */
    Object call(String name, Stream stream, int v, int n, List<Operand> operands) {
        Operand first = operands.get(0);
        Operand second = operands.size() > 1 ? operands.get(1) : null;
        if (name.startsWith("launch") || name.startsWith("prepared")) {
            launch(name, stream, v, n, first, second);
        } else if (name.contains("nothing") || name.startsWith("refused")) {
            nothing(name, stream, v, n, first, second);
        } else if (name.startsWith("memset")) {
            fill(name, first.pointer(), v, n, stream);
        } else if (name.startsWith("memcpy_2d") || name.startsWith("memcpy_3d")) {
            section(name, n, stream, first, second);
        } else if (name.startsWith("memcpy")) {
            copy(name, 4 * n, stream, first, second);
        } else {
            return array(name, v, n, stream, operands);
        }
        return null;
    }

    private void launch(String name, Stream stream, int v, int n, Operand y, Operand x) {
        LaunchConfig on = BLOCK.stream(stream);
        Function put = programs.put;
        Function add = programs.add;
        switch (name) {
            case "launch_put" -> put.launch(on, y.argument(), n, v);
            case "launch_put_default" -> put.launch(BLOCK, y.argument(), n, v);
            case "prepared_put" -> put.preparedCall(BLOCK, y.argument(), n, v);
            case "prepared_async_put" -> put.preparedAsyncCall(BLOCK, stream, y.argument(), n, v);
            case "launch_add" -> add.launch(on, y.argument(), x.argument(), n);
            case "launch_add_default" -> add.launch(BLOCK, y.argument(), x.argument(), n);
            case "prepared_add" -> add.preparedCall(BLOCK, y.argument(), x.argument(), n);
            case "prepared_async_add" -> add.preparedAsyncCall(BLOCK, stream, y.argument(), x.argument(), n);
            case "launch_in" -> add.launch(on, y.argument(), new In(x.host()), n);
            case "launch_in_out" -> add.launch(on, new InOut(y.host()), x.argument(), n);
            case "launch_out" -> programs.addOne.launch(on, new Out(y.host()), x.argument(), n);
            case "launch_out_default" -> programs.addOne.launch(BLOCK, new Out(y.host()), x.argument(), n);
            default -> throw new IllegalArgumentException(name);
        }
    }

    /** Calls that take memory and do nothing with it. */
    private void nothing(String name, Stream stream, int v, int n, Operand y, Operand x) {
        switch (name) {
            case "copy_nothing" -> Driver.memcpyDtod(y.pointer(), x.pointer(), 0);
            case "fill_nothing" -> Driver.memsetD32(y.pointer(), v, 0);
            default -> {
                try {
                    programs.put.launch(Driver.block(4096).stream(stream), y.argument(), n, v);
                    throw new AssertionError("the launch was not rejected");
                } catch (Driver.Error refused) {
                    // nothing is queued
                }
            }
        }
    }

    private static void fill(String name, DevicePointer y, int v, int n, Stream stream) {
        switch (name) {
            case "memset_d32" -> Driver.memsetD32(y, v, n);
            case "memset_d32_async" -> Driver.memsetD32Async(y, v, n, stream);
            case "memset_d8" -> Driver.memsetD8(y, v % 128, 4 * n);
            case "memset_d8_async" -> Driver.memsetD8Async(y, v % 128, 4 * n, stream);
            case "memset_d16" -> Fills.memsetD16(y, v % 32768, 2 * n);
            case "memset_d16_async" -> Fills.memsetD16Async(y, v % 32768, 2 * n, stream);
            case "memset_d2d32" -> Fills.memsetD2d32(y, 16, v, 4, n / 4);
            case "memset_d2d32_async" -> Fills.memsetD2d32Async(y, 16, v, 4, n / 4, stream);
            default -> throw new IllegalArgumentException(name);
        }
    }

    private void copy(String name, long bytes, Stream stream, Operand to, Operand from) {
        switch (name) {
            case "memcpy_htod" -> Driver.memcpyHtod(to.pointer(), from.host());
            case "memcpy_htod_async" -> Driver.memcpyHtodAsync(to.pointer(), from.host(), stream);
            case "memcpy_dtoh" -> Driver.memcpyDtoh(to.host(), from.pointer());
            case "memcpy_dtoh_async" -> Driver.memcpyDtohAsync(to.host(), from.pointer(), stream);
            case "memcpy_dtod" -> Driver.memcpyDtod(to.pointer(), from.pointer(), bytes);
            case "memcpy_dtod_async" -> Driver.memcpyDtodAsync(to.pointer(), from.pointer(), bytes, stream);
            case "memcpy_peer" -> Copies.memcpyPeer(to.pointer(), from.pointer(), bytes);
            case "memcpy_peer_async" -> Copies.memcpyPeerAsync(to.pointer(), from.pointer(), bytes, programs.context, programs.context, stream);
            default -> throw new IllegalArgumentException(name);
        }
    }

    /** n integers in rows of four; in three dimensions in two slices if possible. */
    private static void section(String name, int n, Stream stream, Operand to, Operand from) {
        boolean fromHost = name.endsWith("htod");
        boolean toHost = name.endsWith("dtoh");
        if (name.startsWith("memcpy_2d")) {
            var copy = new Memcpy2D().setSrcPitch(16).setDstPitch(16).setWidthInBytes(16).setHeight(n / 4);
            copy = fromHost ? copy.setSrcHost(from.host()) : copy.setSrcDevice(from.pointer());
            (toHost ? copy.setDstHost(to.host()) : copy.setDstDevice(to.pointer())).copy(stream);
            return;
        }
        int depth = n % 8 == 0 ? 2 : 1;
        int height = n / 4 / depth;
        var copy = new Memcpy3D().setSrcPitch(16).setDstPitch(16).setWidthInBytes(16).setHeight(height).setDepth(depth);
        copy.setSrcHeight(height).setDstHeight(height);
        copy = fromHost ? copy.setSrcHost(from.host()) : copy.setSrcDevice(from.pointer());
        (toHost ? copy.setDstHost(to.host()) : copy.setDstDevice(to.pointer())).copy(stream);
    }

    private static Object array(String name, int v, int n, Stream stream, List<Operand> operands) {
        Operand first = operands.get(0);
        Operand second = operands.size() > 1 ? operands.get(1) : null;
        switch (name) {
            case "fill" -> first.array().on(stream).fill(v);
            case "fill_by_number" -> GPUArray.wrap(first.pointer(), DType.INT32, n).on(stream).fill(v);
            case "set" -> first.array().set(second.host());
            case "set_async" -> first.array().on(stream).setAsync(second.host());
            case "get" -> second.array().getInto(first.host());
            case "get_async" -> second.array().on(stream).getAsync(first.host());
            case "iadd" -> first.array().addInPlace(second.array());
            case "minimum_into" -> second.array().on(stream).minimum(v, first.array().on(stream));
            case "get_async_new" -> {
                return second.array().on(stream).getAsync();
            }
            case "plus" -> {
                return second.array().add(operands.get(2).array());
            }
            case "chain" -> {
                return second.array().add(operands.get(2).array()).mul(3).sub(second.array());
            }
            case "plus_number" -> {
                return second.array().add(v);
            }
            case "copy" -> {
                return second.array().copy();
            }
            case "to_gpu" -> {
                return GPUArray.factory().toGpu(HostData.of(second.host()).as(DType.INT32).shape(n));
            }
            default -> throw new IllegalArgumentException(name);
        }
        return null;
    }
}
