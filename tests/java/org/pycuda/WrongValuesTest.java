package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Passes out-of-range numbers and closed objects to every public method and constructor, for each parameter in turn. Invalid values must be rejected
 * with an exception for programming errors, worded for Java. If the JVM crashes, the thread's name is the call.
 */
class WrongValuesTest implements WithContext {
    private static final Map<Class<?>, List<?>> NUMBERS = Map.of(
        int.class, List.of(-1, Integer.MIN_VALUE), long.class, List.of(-1L, Long.MIN_VALUE, Long.MAX_VALUE),
        double.class, List.of(Double.NaN, Double.NEGATIVE_INFINITY), float.class, List.of(Float.NaN), char.class, List.of('\0'));
    private static final Pattern NOISE = Pattern.compile("std::|pycuda::|swig|jlong", Pattern.CASE_INSENSITIVE);
    private static final Set<Class<?>> REFUSALS = Set.of(Driver.Error.class, IllegalArgumentException.class, IndexOutOfBoundsException.class,
        ArithmeticException.class, IllegalStateException.class, UnsupportedOperationException.class, NullPointerException.class,
        OutOfMemoryError.class);
    /** Excluded: handles and addresses, which cannot be checked; methods that end the JVM, or wait forever; methods of Object. */
    private static final Set<String> LEFT_OUT = Set.of("fromHandle", "waitValue32", "waitValue64", "waitForSemaphore", "waitForSemaphores", "equals", "wait", "main",
        "getEnclosingMethod", "valueOf");

    /** Closed objects of the classes that methods accept. */
    private static Map<Class<?>, Supplier<? extends AutoCloseable>> closed() {
        return Map.of(Stream.class, Stream::new, Event.class, Event::new, GPUArray.class, () -> GPUArray.zeros(DType.FLOAT32, 4),
            Array.class, () -> new Array(new ArrayDescriptor(4, 4, ArrayFormat.FLOAT, 1)), DevicePointer.class, () -> Driver.memAlloc(64),
            MipmappedArray.class, () -> new MipmappedArray(new ArrayDescriptor3D(8, 8, 0, ArrayFormat.FLOAT, 1), 2),
            Module.class, () -> Driver.moduleFromBuffer(org.pycuda.compiler.SourceModule.compile("__global__ void nothing() {}")));
    }

    private static List<?> wrongValues(Class<?> type) throws Exception {
        if (NUMBERS.containsKey(type)) {
            return NUMBERS.get(type);
        }
        Supplier<? extends AutoCloseable> make = closed().get(type);
        if (make == null) {
            return List.of();
        }
        AutoCloseable object = make.get();
        object.close();
        return List.of(object);
    }

    /** What is wrong with how `member` handles `value` as argument `i`; empty if nothing is. */
    private static String complaint(Samples samples, Class<?> owner, Executable member, int i, Object value) {
        try {
            samples.call(member, owner, i, value);
            return "";
        } catch (InvocationTargetException thrown) {
            Throwable error = thrown.getCause();
            boolean allowed = REFUSALS.stream().anyMatch(type -> type.isInstance(error));
            return allowed && !NOISE.matcher(String.valueOf(error.getMessage())).find() ? "" : "threw " + error;
        } catch (ReflectiveOperationException | ConcurrentModificationException unknown) {
            return "cannot be called: " + unknown.getMessage() + " (see Samples)";
        }
    }

    /** Queued work may fail later, which leaves a GPU's context unusable for the next calls. */
    private static void requireSoundContext(String call) {
        try {
            Context.synchronize();
        } catch (Driver.LaunchError fault) {
            throw new AssertionError(call + " ends the context: " + fault.getMessage());
        } catch (Driver.LogicError none) {
            // No context is current: the next call creates one.
        }
    }

    @Test
    void everyParameterIsTested() throws Exception {
        var samples = new Samples();
        List<String> complaints = new ArrayList<>();
        int tested = 0;
        Thread thread = Thread.currentThread();
        String name = thread.getName();
        for (Class<?> type : Samples.publicClasses()) {
            for (Executable member : NullsTest.members(type).filter(member -> !LEFT_OUT.contains(member.getName())).toList()) {
                Class<?>[] types = member.getParameterTypes();
                for (int i = 0; i < types.length; i++) {
                    for (Object value : wrongValues(types[i])) {
                        String call = type.getSimpleName() + ": " + member + ", argument " + i + " = " + value;
                        thread.setName(call);
                        String complaint = complaint(samples, type, member, i, value);
                        requireSoundContext(call);
                        if (!complaint.isEmpty()) {
                            complaints.add(call + ": " + complaint);
                        }
                        tested++;
                    }
                }
            }
        }
        thread.setName(name);
        assertTrue(tested > 300, tested + " values");
        assertEquals("", String.join("\n", complaints));
    }
}
