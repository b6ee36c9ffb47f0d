package org.pycuda;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The public classes of the package, and a valid object of each type that their members accept. */
public final class Samples {
    private final Map<Class<?>, Object> known = new HashMap<>();

    private record FillArguments(DevicePointer memory, int value, int n) {}

    Samples() {
        var direct = ByteBuffer.allocateDirect(64);
        known.put(int.class, 1);
        known.put(long.class, 1L);
        known.put(float.class, 1f);
        known.put(double.class, 1.0);
        known.put(char.class, 'C');
        known.put(boolean.class, false);
        known.put(String.class, "Pii");
        known.put(Object.class, new float[16]);
        known.put(Object[].class, new int[4][4]);
        known.put(Class.class, int[].class);
        known.put(Context.Action.class, (Context.Action<RuntimeException>) () -> { });
        known.put(Context.Work.class, (Context.Work<?, RuntimeException>) () -> 1);
        known.put(Path.class, Path.of("no such file"));
        known.put(List.class, List.of());
        known.put(Map.class, Map.of());
        known.put(ByteBuffer.class, direct);
        known.put(Buffer.class, direct);
        addSegment(direct);
        known.put(HostData.class, HostData.ofObject(direct));
        known.put(DevicePointer.class, Driver.memAlloc(64));
        known.put(DeviceMemory.class, Driver.memAlloc(64));
        known.put(HostPointer.class, AlignedMemory.of(DType.FLOAT32, 16).empty());
        known.put(HostReadableMemory.class, Driver.managedEmpty(DType.FLOAT32, 16));
        known.put(Function.class, Kernels.get("fill").prepare("Pii"));
        known.put(org.pycuda.compiler.SourceModule.class, Kernels.module());
        known.put(Record.class, new FillArguments(Driver.memAlloc(64), 1, 4));
        known.put(TypedKernel.class, Kernels.module().kernel("fill", FillArguments.class));
        known.put(KernelModule.class, Kernels.module());
        known.put(Module.class, Driver.moduleFromBuffer(org.pycuda.compiler.SourceModule.compile("__global__ void nothing() {}")));
        known.put(Library.class, Library.fromBuffer(Ptx.SCALE));
        known.put(Kernel.class, Library.fromBuffer(Ptx.SCALE).kernel("nothing"));
        if (Devices.isCpu() && Devices.hasVirtualMemory()) {
            known.put(ExternalMemory.class, External.importedMemory());
            known.put(ExternalSemaphore.class, External.importedTimeline());
            known.put(ExternalBuffer.class, External.buffer(64));
        }
        known.put(CoreDumps.class, new CoreDumps());
        known.put(CoreDumps.Listener.class, (CoreDumps.Listener) (pid, device) -> { });
        known.put(DriverCallback.class, new Device(0).onOverBudget(bytes -> { }));
        known.put(java.util.function.LongConsumer.class, (java.util.function.LongConsumer) bytes -> { });
        known.put(StructuredCopy.class, new Memcpy2D());
        known.put(StructuredCopy3D.class, new Memcpy3D());
        known.put(SurfaceReference.class, new org.pycuda.compiler.SourceModule("surface<void, 2> canvas;").surfref("canvas"));
        known.put(MessageHandler.class, (MessageHandler) (success, info, error) -> { });
        known.put(LaunchConfig.class, Driver.block(1));
        known.put(Context.class, Autoinit.context());
        known.put(RandomNumberGenerator.class, new XORWOWRandomNumberGenerator(1));
        known.put(PseudoRandomNumberGenerator.class, new XORWOWRandomNumberGenerator(1));
        known.put(ElementwiseKernel.class, new ElementwiseKernel("float *x", "x[i] = i"));
        known.put(ReductionKernel.class, new ReductionKernel(DType.FLOAT32, "0", "a + b"));
        known.put(java.util.function.IntFunction.class, (java.util.function.IntFunction<GPUArray>) CuRandom::seedGetterUnique);
        known.put(java.util.function.Function.class, (java.util.function.Function<?, ?>) key -> key);
        known.put(java.util.function.Supplier.class, (java.util.function.Supplier<?>) () -> 1);
        known.put(Runnable.class, (Runnable) () -> { });
        known.put(ScanKernel.class, new InclusiveScanKernel(DType.FLOAT32, "a + b"));
        var scope = new ArrayScope();
        scope.close();  // an open one keeps the arrays of later tests
        known.put(ArrayScope.class, scope);
        known.put(GPUArray.class, GPUArray.zeros(DType.FLOAT32, 4));
        known.put(TensorMap.class, TensorMap.tiled(GPUArray.zeros(DType.FLOAT32, 4), 4));
        known.put(TensorMap.Tensor.class, TensorMap.of(GPUArray.zeros(DType.FLOAT32, 4)));
        known.put(MipmappedArray.class, new MipmappedArray(new ArrayDescriptor3D(8, 8, 0, ArrayFormat.FLOAT, 1), 2));
        known.put(CType.class, DType.FLOAT32);
        known.put(Argument.class, new VectorArg(DType.FLOAT32, "x"));
        known.put(Allocator.class, Allocator.DRIVER);
        known.put(StructType.class, Vec.FLOAT2);
        known.put(StructValue.class, Vec.FLOAT2.value(1, 2));
        known.put(GreenContext.class, greenContext());
        known.put(GenericScanKernel.class, new GenericScanKernel(DType.FLOAT32, "float *x", "x[i]", "a + b", "0", "x[i] = item"));
    }

    /** Creates the object in the primary context, which is current only during the call. */
    private static GreenContext greenContext() {
        try (var scope = new Device(0).retainPrimaryContext().pushed()) {
            return new GreenContext(List.of(new SMResource(new Device(0))));
        }
    }

    /**
     * Classes without samples: what needs OpenGL, and on a GPU what another interface exports. Its constructors take a descriptor away from the process, and
     * the sample of an integer, 1, is that of the standard output.
     */
    static Set<Class<?>> unavailable() {
        var all = new HashSet<Class<?>>(Set.of(RegisteredBuffer.class, RegisteredImage.class, RegisteredMapping.class));
        if (!Devices.hasVirtualMemory()) {
            all.addAll(Set.of(PhysicalMemory.class, VirtualMemory.class));
        }
        if (!Devices.isCpu() || !Devices.hasVirtualMemory()) {
            all.addAll(Set.of(ExternalMemory.class, ExternalBuffer.class, ExternalSemaphore.class));
        }
        return all;
    }

    /** A valid object of this type; null if there is no recipe. */
    Object of(Class<?> type) {
        if (known.containsKey(type)) {
            return known.get(type);
        }
        known.put(type, null);  // while a recipe is being looked for
        Object made = unavailable().contains(type) ? null : type.isEnum() ? type.getEnumConstants()[0] : type.isArray() ? array(type) : made(type);
        known.put(type, made);
        return made;
    }

    private Object array(Class<?> type) {
        Class<?> element = type.getComponentType();
        int length = element.isPrimitive() ? 16 : 0;
        return java.lang.reflect.Array.newInstance(element, length);
    }

    /** Uses a public constructor, or a public method that returns one. */
    private Object made(Class<?> type) {
        List<Executable> makers = new ArrayList<>(Arrays.asList(type.getConstructors()));
        publicClasses().forEach(owner -> Arrays.stream(owner.getMethods()).filter(method -> method.getReturnType() == type)
            .filter(method -> method.getDeclaringClass() != type || Modifier.isStatic(method.getModifiers())).forEach(makers::add));
        for (Executable maker : makers) {
            try {
                Object made = call(maker, maker.getDeclaringClass(), -1);
                if (made != null) {
                    return made;
                }
            } catch (ReflectiveOperationException | IllegalArgumentException unsuitable) {
                continue;
            }
        }
        return null;
    }

    /** Since Java 22 there are overloads for MemorySegment, which the compiler of these tests does not know. */
    private void addSegment(Buffer direct) {
        if (Runtime.version().feature() >= 22) {
            try {
                Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
                known.put(segment, segment.getMethod("ofBuffer", Buffer.class).invoke(null, direct));
            } catch (ReflectiveOperationException impossible) {
                throw new LinkageError("java.lang.foreign of Java 22", impossible);
            }
        }
    }

    /**
     * Calls a member of {@code owner} with valid objects, but null as argument {@code empty}. Returns null if an argument, or the object, cannot be
     * created.
     */
    Object call(Executable member, Class<?> owner, int empty) throws ReflectiveOperationException {
        return call(member, owner, empty, null);
    }

    /** The same with {@code value} as argument {@code other}. */
    Object call(Executable member, Class<?> owner, int other, Object value) throws ReflectiveOperationException {
        Class<?>[] types = member.getParameterTypes();
        Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            arguments[i] = i == other ? value : of(types[i]);
            if (i != other && arguments[i] == null) {
                throw new NoSuchMethodException("no sample of " + types[i].getName());
            }
        }
        if (member instanceof Constructor<?> constructor) {
            if (Modifier.isAbstract(constructor.getDeclaringClass().getModifiers())) {
                throw new NoSuchMethodException("abstract");
            }
            return constructor.newInstance(arguments);
        }
        var method = (Method) member;
        Object target = Modifier.isStatic(method.getModifiers()) ? null : of(owner);
        if (target == null && !Modifier.isStatic(method.getModifiers())) {
            throw new NoSuchMethodException("no sample of " + owner.getName());
        }
        return method.invoke(target, arguments);
    }

    private static final List<Class<?>> CLASSES = findClasses();

    public static List<Class<?>> publicClasses() {
        return CLASSES;
    }

    private static List<Class<?>> findClasses() {
        try {
            Path jar = Path.of(Driver.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            if (Files.isDirectory(jar)) {
                return classesUnder(jar);
            }
            try (FileSystem files = FileSystems.newFileSystem(jar)) {
                return classesUnder(files.getPath("/"));
            }
        } catch (IOException | java.net.URISyntaxException error) {
            throw new IllegalStateException(error);
        }
    }

    private static List<Class<?>> classesUnder(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root.resolve("org/pycuda"))) {
            List<Class<?>> classes = new ArrayList<>();
            for (String name : files.map(file -> root.relativize(file).toString()).filter(name -> name.endsWith(".class")).toList()) {
                Class<?> type = Class.forName(name.replace('/', '.').replaceAll("\\.class$", ""), false, Samples.class.getClassLoader());
                if (isPublic(type)) {
                    classes.add(type);
                }
            }
            return classes;
        } catch (ClassNotFoundException error) {
            throw new IllegalStateException(error);
        }
    }

    /** Leaves out the generated bases of hand-written classes, which inherit their members. */
    private static boolean isPublic(Class<?> type) {
        if (type.getSimpleName().endsWith("Proxy") || (type != Driver.class && type.isAssignableFrom(Driver.class))) {
            return false;
        }
        for (Class<?> outer = type; outer != null; outer = outer.getEnclosingClass()) {
            if (!Modifier.isPublic(outer.getModifiers()) || outer.isAnonymousClass() || outer.isLocalClass()) {
                return false;
            }
        }
        return true;
    }
}
