package org.pycuda.arguments;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.lang.reflect.Executable;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.pycuda.Autoinit;
import org.pycuda.Samples;

/** Every kind of argument in every place: runs each row of the table with each kind of value for each parameter that takes memory. */
class ArgumentsTest {
    @BeforeEach
    void init() {
        Autoinit.init();
    }

    static List<Row> rows() {
        List<Row> rows = new ArrayList<>(CopyRows.all());
        rows.addAll(ObjectRows.all());
        rows.addAll(CodeRows.all());
        rows.addAll(GraphRows.all());
        return rows;
    }

    private static final String SIZE_ONLY = "only the size counts: HostMemoryTest";

    /** Members whose parameter of such a type is not memory, or is tested elsewhere. */
    private static final Map<String, String> LEFT_OUT = Map.ofEntries(
        Map.entry("ArrayFactory.toGpuAsync", "delegates to GPUArray.toGpuAsync"),
        Map.entry("PinnedMemory.like", SIZE_ONLY), Map.entry("AlignedMemory.like", SIZE_ONLY), Map.entry("ManagedMemory.like", SIZE_ONLY),
        Map.entry("Driver.bytes", "a kernel argument passed by value, not device memory: FunctionTest"),
        Map.entry("Memory.registerHostMemory", "registered memory must consist of whole pages: HostMemoryTest"),
        Map.entry("Invocation.set", "tested through Launches.invocation"));

    @Test
    void everyParameterThatTakesMemoryIsInTheTable() {
        Set<Executable> tried = rows().stream().flatMap(row -> row.overloads().stream()).collect(Collectors.toSet());
        List<String> missing = new ArrayList<>();
        for (Class<?> type : Samples.publicClasses()) {
            for (Executable member : members(type).toList()) {
                if (Arrays.stream(member.getParameterTypes()).anyMatch(ArgumentsTest::takesMemory) && !tried.contains(member) && !Modifier.isAbstract(type.getModifiers())
                    && !LEFT_OUT.containsKey(type.getSimpleName() + "." + member.getName())) {
                    missing.add(member.toString());
                }
            }
        }
        assertEquals("", String.join("\n", missing), "see docs/contributing.md, Every kind of argument in every place");
    }

    /** Of arrays, only byte[]: others are shapes or axes, or belong to overloads that also exist for buffers. */
    private static boolean takesMemory(Class<?> type) {
        return Row.isMemory(type) && (!type.isArray() || type == byte[].class);
    }

    private static Stream<Executable> members(Class<?> type) {
        return Stream.<Executable>concat(Arrays.stream(type.getConstructors()), Arrays.stream(type.getMethods()))
            .filter(member -> member.getDeclaringClass() == type && !member.isSynthetic() && !member.getName().equals("equals") && !Modifier.isAbstract(member.getModifiers()));
    }

    @TestFactory
    Stream<DynamicTest> everyKindInEveryPlace() {
        return rows().stream().map(row -> DynamicTest.dynamicTest(row.toString(), () -> check(row)));
    }

    private static void check(Row row) {
        assertFalse(row.overloads().isEmpty(), "no such overload");
        List<String> complaints = new ArrayList<>();
        for (Executable member : row.overloads()) {
            for (int i = 0; i < member.getParameterCount(); i++) {
                if (row.specs.get(i) instanceof Row.Reads || row.specs.get(i) instanceof Row.Writes) {
                    for (Kind kind : Cell.kindsOf(member.getParameterTypes()[i])) {
                        complaints.add(row.except.contains(kind.name()) ? "" : new Cell(row, member, i, kind).complaint());
                    }
                }
            }
        }
        complaints.removeIf(String::isEmpty);
        assertEquals("", String.join("\n", complaints));
    }
}
