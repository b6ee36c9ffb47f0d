package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Passes null to every public method and constructor, for each parameter in turn: those that are Nullable take it, the others refuse it. */
class NullsTest implements WithContext {
    /** Methods of Object, and Main.main, which ends the JVM. */
    private static final Set<String> LEFT_OUT = Set.of("equals", "wait", "valueOf", "main", "getEnclosingMethod");

    static Stream<Executable> members(Class<?> type) {
        Set<Class<?>> unavailable = Samples.unavailable();
        if (type.isRecord() || type.isEnum() || Throwable.class.isAssignableFrom(type) || type.isInterface() || unavailable.contains(type)) {
            return Stream.empty();
        }
        return Stream.<Executable>concat(Arrays.stream(type.getConstructors()), Arrays.stream(type.getMethods()))
            .filter(member -> member.getDeclaringClass().getName().startsWith("org.pycuda") && !member.isSynthetic())
            .filter(member -> member.getDeclaringClass() == type || !Samples.publicClasses().contains(member.getDeclaringClass()))
            .filter(member -> !LEFT_OUT.contains(member.getName()) && Arrays.stream(member.getParameterTypes()).noneMatch(unavailable::contains))
            .filter(member -> !Modifier.isAbstract(member.getModifiers()));
    }

    /** What is wrong with how `member` handles null as argument `i`; empty if nothing is. */
    private static String complaint(Samples samples, Class<?> owner, Executable member, int i) {
        try {
            samples.call(member, owner, i);
        } catch (InvocationTargetException thrown) {
            Throwable error = thrown.getCause();
            String text = String.valueOf(error.getMessage());
            boolean named = error instanceof NullPointerException && text.matches("[a-z]\\w*(\\[\\d+])?(: .+)?");
            boolean explained = error instanceof IllegalArgumentException && text.contains("null");
            return named || explained ? "" : error.toString();
        } catch (ReflectiveOperationException unknown) {
            return "cannot be called: " + unknown.getMessage() + " (see Samples)";
        }
        return "no exception";
    }

    @Test
    void everyReferenceParameterIsTested() {
        var samples = new Samples();
        List<String> complaints = new ArrayList<>();
        int tested = 0;
        for (Class<?> type : Samples.publicClasses()) {
            for (Executable member : members(type).toList()) {
                Class<?>[] types = member.getParameterTypes();
                for (int i = 0; i < types.length; i++) {
                    if (types[i].isPrimitive()) {
                        continue;
                    }
                    String complaint = complaint(samples, type, member, i);
                    boolean mayBeNull = member.getAnnotatedParameterTypes()[i].isAnnotationPresent(Nullable.class);
                    if (mayBeNull == complaint.isEmpty()) {
                        complaints.add(type.getSimpleName() + ": " + member + ", argument " + i + ": " + (mayBeNull ? "refuses null" : complaint));
                    }
                    tested++;
                }
            }
        }
        assertTrue(tested > 100, tested + " parameters");
        assertEquals(List.of(), complaints, String.join("\n", complaints));
    }

    /** Compilers and other tools read the annotations from the jar. */
    @Test
    void thePackagesAreNullMarked() {
        for (Class<?> type : List.of(Driver.class, org.pycuda.compiler.SourceModule.class, org.pycuda.spi.NativeBundle.class)) {
            assertTrue(type.getPackage().isAnnotationPresent(NullMarked.class), type.getPackageName());
        }
    }
}
