package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.pycuda.compiler.LinkOptions;
import org.pycuda.compiler.SourceModule;

/** Conventions of all public methods and constructors. */
class ApiStyleTest {
    private static final Set<Class<?>> INTEGERS = Set.of(int.class, long.class);
    private static final Set<Class<?>> SHAPES = Set.of(int[].class, long[].class);
    /** Most overloads that one name may have: eight arrays, arrays of arrays, buffers and HostData; a MemorySegment from Java 22 on. */
    private static final int OVERLOADS = 12;
    /** Most names that Driver may have; others belong into a class of their topic (java/topics.py). */
    private static final int DRIVER_NAMES = 40;
    private static final List<Class<?>> OPTIONS = List.of(SourceModule.Options.class, LinkOptions.class, KernelOptions.class, LaunchConfig.class, PinnedMemory.class,
        ManagedMemory.class, AlignedMemory.class, HostData.class, ArrayFactory.class);

    private static List<Executable> members() {
        return Samples.publicClasses().stream()
            .flatMap(type -> Stream.<Executable>concat(Arrays.stream(type.getConstructors()), Arrays.stream(type.getMethods())))
            .filter(member -> member.getDeclaringClass().getName().startsWith("org.pycuda") && !member.isSynthetic()).distinct().toList();
    }

    private static void assertNone(Stream<? extends Executable> wrong) {
        assertEquals(List.of(), wrong.map(Executable::toString).distinct().toList());
    }

    @Test
    void noIntegerStandsBesideAVarargsOfIntegers() {
        List<Executable> shaped = members().stream().filter(Executable::isVarArgs)
            .filter(member -> SHAPES.contains(member.getParameterTypes()[member.getParameterCount() - 1])).toList();
        assertTrue(shaped.size() > 50, shaped.size() + " methods with a shape");
        assertNone(shaped.stream().filter(member -> Arrays.stream(member.getParameterTypes()).anyMatch(INTEGERS::contains)));
    }

    @Test
    void noFlagIsAnInteger() {
        assertNone(members().stream().filter(member -> Arrays.stream(member.getParameters())
            .anyMatch(parameter -> INTEGERS.contains(parameter.getType()) && parameter.getName().toLowerCase().endsWith("flags"))));
    }

    @Test
    void parametersHaveJavaNames() {
        List<Parameter> all = members().stream().flatMap(member -> Arrays.stream(member.getParameters())).filter(Parameter::isNamePresent).toList();
        assertTrue(all.size() > 1000, all.size() + " names of parameters in the jar");
        assertEquals(List.of(), all.stream().filter(parameter -> !parameter.getName().matches("[a-z][a-zA-Z0-9]*"))
            .map(parameter -> parameter.getDeclaringExecutable() + ": " + parameter.getName()).toList());
    }

    /** On an array, get means a copy to the host; getOrRegisterDtype may change what it is asked for. */
    @Test
    void attributesAreNamedAsRecordsNameThem() {
        assertNone(members().stream().filter(member -> member instanceof Method && member.getName().matches("get[A-Z].*"))
            .filter(member -> !Set.of("GPUArray", "GPUArrayProxy").contains(member.getDeclaringClass().getSimpleName()))
            .filter(member -> !Set.of("getOrRegisterDtype", "getAsDouble").contains(member.getName())));
    }

    private static Stream<Method> methodsOf(Class<?> type) {
        return Arrays.stream(type.getMethods()).filter(method -> method.getDeclaringClass().getName().startsWith("org.pycuda") && !method.isBridge());
    }

    /** Options are values: each method that sets one returns a changed copy, takes the value, or nothing where it switches something on. */
    @Test
    void optionsAreImmutableAndFluent() {
        for (Class<?> type : OPTIONS) {
            assertEquals(List.of(), Arrays.stream(type.getDeclaredFields()).filter(field -> !Modifier.isFinal(field.getModifiers())).map(Object::toString).toList());
            List<Method> setters = methodsOf(type).filter(method -> method.getReturnType() == type && !Modifier.isStatic(method.getModifiers())).toList();
            assertTrue(!setters.isEmpty(), type.getName());
            assertNone(setters.stream().filter(method -> Arrays.asList(method.getParameterTypes()).contains(boolean.class) || method.getName().startsWith("set")
                || method.getName().startsWith("with")));
            assertNone(methodsOf(type).filter(method -> method.getReturnType() == void.class));
        }
    }

    @Test
    void popupsCanBeRead() {
        assertEquals(List.of(), Samples.publicClasses().stream().flatMap(type -> methodsOf(type).collect(Collectors.groupingBy(Method::getName)).entrySet().stream()
            .map(overloads -> Map.entry(type.getSimpleName() + "." + overloads.getKey(), overloads.getValue().stream()
                .map(method -> Arrays.toString(method.getParameterTypes())).distinct().count())))
            .filter(popup -> popup.getValue() > OVERLOADS + (Runtime.version().feature() < 22 ? 0 : 1)).toList());
    }

    @Test
    void driverHasWhatProgramsCallMost() {
        var names = methodsOf(Driver.class).map(Method::getName).collect(Collectors.toCollection(TreeSet::new));
        assertTrue(names.size() <= DRIVER_NAMES, names.size() + " names: " + names);
    }
}
