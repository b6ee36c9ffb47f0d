package org.pycuda;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.pycuda.compiler.SourceModule;

/**
 * The operations whose every driver call is made to fail once: name, set-up, operation. <p>The set-up creates what the operation needs, anew for
 * every fault. After the fault the operation is tried again on the same objects, and must then return what it returns without a fault; so it must
 * leave the objects unchanged.
 */
final class FaultOperations {
    /** Objects to close at the end: those that an operation needs or creates. */
    static class Things implements AutoCloseable {
        private final Deque<AutoCloseable> kept = new ArrayDeque<>();

        <T extends AutoCloseable> T keep(T thing) {
            kept.push(thing);
            return thing;
        }

        @Override
        public void close() throws Exception {
            while (!kept.isEmpty()) {
                kept.pop().close();
            }
        }
    }

    /** An operation on what the set-up returned. It adds what it creates to {@code made}. Results are compared by their text. */
    interface Step<S> {
        Object run(S state, Things made) throws Exception;
    }

    record Operation<S extends Things>(String name, Supplier<S> setup, Step<S> step) {}

    static final List<Operation<?>> ALL = new ArrayList<>();

    private FaultOperations() {}

    private static <S extends Things> void row(String name, Supplier<S> setup, Step<S> step) {
        ALL.add(new Operation<>(name, setup, step));
    }

    private static void row(String name, Step<Things> step) {
        row(name, Things::new, step);
    }

    /** An operation on one object. */
    private static <T extends AutoCloseable> void on(String name, Supplier<T> setup, java.util.function.BiFunction<T, Things, Object> step) {
        final class One extends Things {
            final T thing = keep(setup.get());
        }
        row(name, One::new, (one, made) -> step.apply(one.thing, made));
    }

    /** An operation without a result. */
    private static Object done(Runnable action) {
        action.run();
        return "done";
    }

    private static ByteBuffer direct(int bytes) {
        return ByteBuffer.allocateDirect(bytes);
    }

    // ---- devices, contexts, streams, events

    static {
        var device = new Device(0);
        row("Device", (nothing, made) -> new Device(0).name());
        row("Device.byPciBusId", (nothing, made) -> new Device(new Device(0).pciBusId()).handle());
        row("Device.count", (nothing, made) -> Device.count());
        row("Device.attributes", (nothing, made) -> List.of(device.computeCapability(), device.totalMemory(), device.attribute(DeviceAttribute.WARP_SIZE)));
        row("Device.canAccessPeer", (nothing, made) -> device.canAccessPeer(device));
        row("Device.makeContext", (nothing, made) -> {
            made.keep(device.makeContext());
            Context.pop();
            return "done";
        });
        row("Device.retainPrimaryContext", (nothing, made) -> made.keep(device.retainPrimaryContext()).apiVersion());
        on("Context.pushed", () -> {
            var context = device.makeContext();
            Context.pop();
            return context;
        }, (context, made) -> {
            try (var scope = context.pushed()) {
                return Driver.memGetInfo().total();
            }
        });
        row("Context.limits", (nothing, made) -> done(() -> Context.setLimit(Limit.STACK_SIZE, Context.limit(Limit.STACK_SIZE))));
        row("Context.cacheConfig", (nothing, made) -> done(() -> Context.setCacheConfig(Context.cacheConfig())));
        row("Context.device", (nothing, made) -> Context.device().handle());
        row("Context.synchronize", (nothing, made) -> done(Context::synchronize));
        row("Driver.memGetInfo", (nothing, made) -> Driver.memGetInfo().total());
        row("Stream", (nothing, made) -> made.keep(new Stream()).isDone());
        row("Stream.nonBlocking", (nothing, made) -> made.keep(Stream.withPriority(-1, StreamFlags.NON_BLOCKING)).isDone());
        on("Stream.queries", Stream::new, (stream, made) -> {
            stream.synchronize();
            return stream.isDone();
        });
        on("Stream.waitForEvent", Stream::new, (stream, made) -> done(() -> stream.waitForEvent(made.keep(new Event()).record())));
        on("Stream.addHostFunction", Stream::new, (stream, made) -> done(() -> {
            stream.addHostFunction(() -> { });
            stream.synchronize();
        }));
        on("Stream.whenDone", Stream::new, (stream, made) -> stream.whenDone().join());
        row("Event", (nothing, made) -> made.keep(new Event(EventFlags.DISABLE_TIMING)).record().synchronize().isDone());
        on("Event.onStream", Stream::new, (stream, made) -> made.keep(new Event()).record(stream).synchronize().isDone());
        on("Event.timeSince", () -> new Event().record().synchronize(), (event, made) -> made.keep(new Event()).record().synchronize().timeSince(event) >= 0);
        on("Event.ipcHandle", () -> new Event(EventFlags.INTERPROCESS, EventFlags.DISABLE_TIMING), (event, made) -> event.ipcHandle().length);
    }

    // ---- memory

    private static DeviceMemoryPool poolOf(int blocks) {
        var pool = new DeviceMemoryPool();
        var taken = new ArrayList<PooledDeviceAllocation>();
        for (int i = 0; i < blocks; i++) {
            taken.add(pool.allocate(1000));
        }
        taken.forEach(PooledDeviceAllocation::close);
        return pool;
    }

    private static Object takeAndCount(DeviceMemoryPool pool, Things made) {
        var block = made.keep(pool.allocate(1000));
        return List.of(pool.activeBlocks(), pool.activeBytes(), block.size());
    }

    static {
        row("Driver.memAlloc", (nothing, made) -> made.keep(Driver.memAlloc(1000)).size());
        row("Memory.memGetAddressRange", (nothing, made) -> Memory.memGetAddressRange(made.keep(Driver.memAlloc(1000))).size());
        row("DeviceAllocation.free", (nothing, made) -> done(made.keep(Driver.memAlloc(1000))::free));
        row("Driver.memAllocPitch", (nothing, made) -> {
            var pitched = Driver.memAllocPitch(100, 10, 4);
            made.keep(pitched.allocation());
            return pitched.pitch();
        });
        row("Driver.toDevice", (nothing, made) -> Driver.fromDevice(made.keep(Driver.toDevice(new int[] {1, 2})), 2, int[].class));
        on("Driver.memAllocAsync", Stream::new, (stream, made) -> made.keep(Driver.memAllocAsync(64, stream)).size());
        on("StreamOrderedAllocation.freeAsync", Stream::new, (stream, made) -> done(() -> made.keep(Driver.memAllocAsync(64, stream)).freeAsync(stream)));
        on("Memory.memGetIpcHandle", () -> Driver.memAlloc(64), (memory, made) -> Memory.memGetIpcHandle(memory).length);
        row("Driver.pagelockedEmpty", (nothing, made) -> made.keep(Driver.pagelockedZeros(DType.FLOAT32, 100)).buffer().get(3));
        on("HostPointer.devicePointer", () -> PinnedMemory.of(DType.FLOAT32, 10).mapped().empty(), (host, made) -> host.devicePointer() != 0);
        on("Memory.registerHostMemory", () -> AlignedMemory.of(DType.FLOAT32, 4096).empty(), (host, made) -> made.keep(Memory.registerHostMemory(host.buffer())).size());
        row("Driver.managedEmpty", (nothing, made) -> made.keep(Driver.managedZeros(DType.FLOAT32, 100)).buffer().get(3));
        on("ManagedAllocation.attach", () -> Driver.managedEmpty(DType.FLOAT32, 10), (memory, made) -> done(() -> memory.attach(MemAttachFlags.GLOBAL, made.keep(new Stream()))));
        on("Memory.memAdvise", () -> Driver.managedEmpty(DType.FLOAT32, 10),
            (memory, made) -> done(() -> memory.advise(MemAdvice.SET_PREFERRED_LOCATION, 0)));
        on("Memory.memPrefetchAsync", () -> Driver.managedEmpty(DType.FLOAT32, 10), (memory, made) -> done(() -> Memory.memPrefetchAsync(memory, 40, 0)));
        row("DeviceMemoryPool", (nothing, made) -> takeAndCount(made.keep(new DeviceMemoryPool()), made));
        on("DeviceMemoryPool.allocate", DeviceMemoryPool::new, FaultOperations::takeAndCount);
        on("DeviceMemoryPool.reuse", () -> poolOf(3), FaultOperations::takeAndCount);
        on("DeviceMemoryPool.freeHeld", () -> poolOf(3), (pool, made) -> {
            pool.freeHeld();
            return pool.heldBlocks();
        });
        on("PageLockedMemoryPool.allocate", PageLockedMemoryPool::new, (pool, made) -> made.keep(pool.allocate(100)).size());
    }

    // ---- copies and fills

    /** Memory of every kind, of 4 rows of 16 bytes. */
    static final class Ends extends Things {
        final byte[] host = new byte[64];
        final Stream stream = keep(new Stream());
        final PagelockedHostAllocation pinned = keep(Driver.pagelockedZeros(DType.INT8, 64));
        final DeviceAllocation other = keep(Driver.memAlloc(64));
        final DeviceAllocation one;
        final Array array = keep(new Array(new ArrayDescriptor(16, 4, ArrayFormat.UNSIGNED_INT8, 1)));
        final Array line = keep(new Array(new ArrayDescriptor(16, 0, ArrayFormat.UNSIGNED_INT8, 1)));
        final Array otherLine = keep(new Array(new ArrayDescriptor(16, 0, ArrayFormat.UNSIGNED_INT8, 1)));

        Ends() {
            for (int i = 0; i < host.length; i++) {
                host[i] = (byte) i;
                pinned.buffer().put(i, (byte) i);
            }
            one = keep(Driver.toDevice(host));
            Copies.memcpyHtoa(line, 0, HostData.of(Arrays.copyOf(host, 16)));
        }

        Object after(Runnable copy) {
            copy.run();
            stream.synchronize();
            return Driver.fromDevice(other, 64, byte[].class);
        }
    }

    private static void copies(String name, Consumer<Ends> copy) {
        row(name, Ends::new, (ends, made) -> ends.after(() -> copy.accept(ends)));
    }

    private static <C extends StructuredCopy> C box(Ends e, C copy) {
        copy.setSrcPitch(16);
        copy.setDstPitch(16);
        copy.setWidthInBytes(16);
        copy.setHeight(4);
        if (copy instanceof StructuredCopy3D three) {
            three.setSrcHeight(4);
            three.setDstHeight(4);
            three.setDepth(1);
        }
        return copy;
    }

    private static void throughArray(Ends e, Consumer<Memcpy2D> copy) {
        var in = box(e, new Memcpy2D());
        in.setSrcHost(e.pinned.buffer());
        in.setDstArray(e.array);
        copy.accept(in);
        var out = box(e, new Memcpy2D());
        out.setSrcArray(e.array);
        out.setDstDevice(e.other);
        copy.accept(out);
    }

    private static <C extends StructuredCopy3D> void box3d(Ends e, C made, Consumer<C> copy) {
        var box = box(e, made);
        box.setSrcHost(e.pinned.buffer());
        box.setDstDevice(e.other);
        copy.accept(box);
    }

    static {
        copies("memcpyHtod", e -> Driver.memcpyHtod(e.other, e.host));
        copies("memcpyHtodAsync", e -> Driver.memcpyHtodAsync(e.other, e.pinned.buffer(), e.stream));
        copies("memcpyDtoh", e -> Driver.memcpyDtoh(new byte[64], e.one));
        copies("memcpyDtohAsync", e -> Driver.memcpyDtohAsync(direct(64), e.one, e.stream));
        copies("memcpyDtod", e -> Driver.memcpyDtod(e.other, e.one, 64));
        copies("memcpyDtodAsync", e -> Driver.memcpyDtodAsync(e.other, e.one, 64, e.stream));
        copies("memcpyPeer", e -> Copies.memcpyPeer(e.other, e.one, 64));
        copies("memsetD8", e -> Driver.memsetD8(e.other, 7, 64));
        copies("memsetD16", e -> Fills.memsetD16(e.other, 7, 32));
        copies("memsetD32", e -> Driver.memsetD32(e.other, 7, 16));
        copies("memsetD8Async", e -> Driver.memsetD8Async(e.other, 7, 64, e.stream));
        copies("memsetD16Async", e -> Fills.memsetD16Async(e.other, 7, 32, e.stream));
        copies("memsetD32Async", e -> Driver.memsetD32Async(e.other, 7, 16, e.stream));
        copies("memsetD2d8", e -> Fills.memsetD2d8(e.other, 16, 7, 16, 4));
        copies("memsetD2d16", e -> Fills.memsetD2d16(e.other, 16, 7, 8, 4));
        copies("memsetD2d32", e -> Fills.memsetD2d32(e.other, 16, 7, 4, 4));
        copies("memsetD2d8Async", e -> Fills.memsetD2d8Async(e.other, 16, 7, 16, 4, e.stream));
        copies("memsetD2d16Async", e -> Fills.memsetD2d16Async(e.other, 16, 7, 8, 4, e.stream));
        copies("memsetD2d32Async", e -> Fills.memsetD2d32Async(e.other, 16, 7, 4, 4, e.stream));
        copies("memcpyHtoa", e -> Copies.memcpyHtoa(e.line, 0, HostData.of(Arrays.copyOf(e.host, 16))));
        copies("memcpyAtoh", e -> Copies.memcpyAtoh(HostData.of(new byte[16]), e.line, 0));
        copies("memcpyDtoa", e -> Copies.memcpyDtoa(e.line, 0, e.one, 16));
        copies("memcpyAtod", e -> Copies.memcpyAtod(e.other, e.line, 0, 16));
        copies("memcpyAtoa", e -> Copies.memcpyAtoa(e.otherLine, 0, e.line, 0, 16));
        copies("Memcpy2D", e -> throughArray(e, Memcpy2D::copy));
        copies("Memcpy2D.unaligned", e -> throughArray(e, copy -> copy.copy(false)));
        copies("Memcpy2D.async", e -> throughArray(e, copy -> copy.copy(e.stream)));
        copies("Memcpy3D", e -> box3d(e, new Memcpy3D(), Memcpy3D::copy));
        copies("Memcpy3D.async", e -> box3d(e, new Memcpy3D(), copy -> copy.copy(e.stream)));
        copies("Memcpy3DPeer", e -> box3d(e, new Memcpy3DPeer(), Memcpy3DPeer::copy));
        copies("Memcpy3DPeer.async", e -> box3d(e, new Memcpy3DPeer(), copy -> copy.copy(e.stream)));
    }

    // ---- CUDA arrays, textures, surfaces

    static final class Textures extends Things {
        final SourceModule module = keep(new SourceModule("""
            texture<float, 2> image;
            surface<void, 2> sheet;
            __global__ void read(float *out) { out[threadIdx.x] = tex2D(image, threadIdx.x + 0.5f, 0.5f); }
            __global__ void paint() { surf2Dwrite(2.5f, sheet, threadIdx.x * 4, 0); }
            """));
        final Array array = keep(org.pycuda.Textures.matrixToArray(HostData.of(new float[] {1, 2, 3, 4}).shape(1, 4), Order.C));
        final Array surface = keep(array(Array3dFlags.SURFACE_LDST));
        final DeviceAllocation out = keep(Driver.memAlloc(16));

        float[] read() {
            var image = module.texref("image");
            image.setArray(array);
            module.function("read").launch(Driver.block(4).texrefs(image), out);
            return Driver.fromDevice(out, 4, float[].class);
        }

        void paint() {
            module.surfref("sheet").setArray(surface);
            module.function("paint").launch(Driver.block(16));
        }
    }

    private static Array array(Array3dFlags... flags) {
        return new Array(new ArrayDescriptor3D(16, 4, 0, ArrayFormat.FLOAT, 1, flags));
    }

    static {
        row("Array", (nothing, made) -> made.keep(array()).descriptor3d().width());
        row("MipmappedArray", (nothing, made) -> {
            var levels = made.keep(new MipmappedArray(new ArrayDescriptor3D(16, 4, 0, ArrayFormat.FLOAT, 1), 2));
            return made.keep(levels.level(1)).descriptor().width();
        });
        row("Textures.matrixToArray", (nothing, made) -> made.keep(org.pycuda.Textures.matrixToArray(HostData.of(new float[6]).shape(2, 3), Order.C)).descriptor().width());
        on("TextureObject", () -> array(), (array, made) -> made.keep(new TextureObject(array)).handle() != 0);
        on("SurfaceObject", () -> array(Array3dFlags.SURFACE_LDST), (array, made) -> made.keep(new SurfaceObject(array)).handle() != 0);
        row("Graph.memcpyNd", Textures::new, (t, made) -> {
            Graph graph = made.keep(new Graph());
            graph.memcpyNd(new Memcpy2D().setSrcArray(t.array).setDstDevice(t.out).setWidthInBytes(16).setHeight(1));
            made.keep(graph.instantiate()).launch();
            return Driver.fromDevice(t.out, 4, float[].class);
        });
        row("Module.texref", Textures::new, (t, made) -> t.module.texref("image").name() + t.module.surfref("sheet").name());
        row("TextureReference.setArray", Textures::new, (t, made) -> t.read());
        row("SurfaceReference.setArray", Textures::new, (t, made) -> done(t::paint));
    }

    // ---- modules and launches

    static final class Launch extends Things {
        final Module module = keep(Driver.moduleFromBuffer(Ptx.SCALE));
        final Function function = module.function("scale");
        final Function prepared = module.function("scale").prepare("Pf");
        final Stream side = keep(new Stream(StreamFlags.NON_BLOCKING));
        final DeviceAllocation memory = keep(Driver.memAlloc(16));

        float[] after(Runnable launch) {
            side.synchronize();  // the launch whose wait has failed
            Driver.memcpyHtod(memory, new float[] {1, 1, 1, 1});
            launch.run();
            Context.synchronize();
            return Driver.fromDevice(memory, 4, float[].class);
        }
    }

    private static void launches(String name, Consumer<Launch> launch) {
        row(name, Launch::new, (l, made) -> l.after(() -> launch.accept(l)));
    }

    private static float[] inOut(Function function, LaunchConfig config) {
        var host = new float[] {1, 1, 1, 1};
        function.launch(config, Driver.inOut(host), 3f);
        Context.synchronize();
        return host;
    }

    static {
        row("StreamOrderedPool", (nothing, made) -> made.keep(new StreamOrderedPool()).attribute(MemPoolAttribute.USED_MEM_CURRENT));
        on("StreamOrderedPool.attributes", StreamOrderedPool::new, (pool, made) -> {
            pool.setAttribute(MemPoolAttribute.RELEASE_THRESHOLD, 1 << 20);
            pool.trim();
            return pool.access(new Device(0));
        });
        on("StreamOrderedPool.allocate", StreamOrderedPool::new, (pool, made) -> made.keep(pool.allocate(100)).size());
        row("PhysicalMemory", (nothing, made) -> made.keep(new PhysicalMemory(1000)).size());
        row("TensorMap.tiled", (nothing, made) -> TensorMap.tiled(made.keep(GPUArray.zeros(DType.FLOAT32, 8, 16)), 4, 8).address() != 0);
        on("TensorMap.replaceAddress", () -> Driver.memAlloc(512), (memory, made) -> {
            var map = TensorMap.of(memory).dtype(TensorMapDataType.FLOAT32).shape(8, 16).tiled(4, 8);
            return map.replaceAddress(memory).address() != 0;
        });
        row("VirtualMemory", (nothing, made) -> made.keep(new VirtualMemory(1000, 1 << 23)).size());
        on("VirtualMemory.resize", () -> new VirtualMemory(1000, 1 << 23), (memory, made) -> {
            memory.resize(1 << 22);
            memory.resize(1000);
            return memory.size();
        });
        on("VirtualMemory.access", () -> new VirtualMemory(1000, 1 << 23), (memory, made) -> {
            memory.setAccess(new Device(0));
            return memory.access(new Device(0));
        });
        row("Driver.moduleFromBuffer", (nothing, made) -> made.keep(Driver.moduleFromBuffer(Ptx.SCALE)).function("scale").name());
        row("Module.global", Launch::new, (l, made) -> l.module.global("table").sizeInBytes());
        row("Module.functionNames", Launch::new, (l, made) -> l.module.functionNames());
        row("Function.attributes", Launch::new, (l, made) -> {
            l.function.setAttribute(FunctionAttribute.PREFERRED_SHARED_MEMORY_CARVEOUT, 50);
            return l.function.numRegs();
        });
        row("Function.setCacheConfig", Launch::new, (l, made) -> done(() -> l.function.setCacheConfig(FuncCache.PREFER_L1)));
        launches("Function.launch", l -> l.function.launch(Driver.block(4), l.memory, 3f));
        launches("Function.launch.stream", l -> l.function.launch(Driver.block(4).stream(l.side), l.memory, 3f));
        launches("Function.launchTimed", l -> l.function.launchTimed(Driver.block(4), l.memory, 3f));
        launches("Function.launch.attributes", l -> {
            try (var started = new Event(EventFlags.DISABLE_TIMING)) {
                l.function.launch(Driver.block(4).attribute(LaunchAttribute.MEM_SYNC_DOMAIN, 0)
                    .attribute(LaunchAttribute.LAUNCH_COMPLETION_EVENT, started), l.memory, 3f);
            }
        });
        launches("Function.launch.cooperative", l -> l.function.launch(Driver.block(4).cooperative(), l.memory, 3f));
        launches("Function.preparedCall", l -> l.prepared.preparedCall(Driver.block(4), l.memory, 3f));
        launches("Function.preparedAsyncCall", l -> l.prepared.preparedAsyncCall(Driver.block(4), l.side, l.memory, 3f));
        launches("Function.preparedTimedCall", l -> l.prepared.preparedTimedCall(Driver.block(4), l.memory, 3f).getAsDouble());
        row("InOut", Launch::new, (l, made) -> inOut(l.function, Driver.block(4)));
        row("InOut.stream", Launch::new, (l, made) -> inOut(l.function, Driver.block(4).stream(l.side)));
        row("InOut.direct", Launch::new, (l, made) -> {
            l.function.launch(Driver.block(4).stream(l.side), Driver.inOut(direct(16)), 3f);
            Context.synchronize();
            return "done";
        });
    }
}
