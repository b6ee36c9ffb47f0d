package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Attributes in every kind of launch: each one in the core's table, wrong values, and two kernels that overlap. */
class LaunchAttributesTest implements WithContext {
    private static final String KERNELS = """
        extern "C" {
        __global__ void add(int *x, int n) { atomicAdd(x + blockIdx.x * blockDim.x + threadIdx.x, n); }
        __global__ void first(int *x) {
            asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
            x[threadIdx.x] = threadIdx.x;
        }
        __global__ void second(const int *x, int *y) {
            asm volatile("griddepcontrol.wait;" ::: "memory");
            y[threadIdx.x] = 2 * x[threadIdx.x];
        }
        }
        """;
    private static final LaunchConfig CONFIG = Driver.block(16).grid(4);
    private static final Map<LaunchAttribute, Integer> SINCE = Map.of(LaunchAttribute.MEM_SYNC_DOMAIN_MAP, 12000, LaunchAttribute.MEM_SYNC_DOMAIN, 12000,
        LaunchAttribute.LAUNCH_COMPLETION_EVENT, 12030, LaunchAttribute.PREFERRED_SHARED_MEMORY_CARVEOUT, 12050,
        LaunchAttribute.NVLINK_UTIL_CENTRIC_SCHEDULING, 13000);

    @BeforeEach
    void needsClusters() {
        assumeTrue(new Device(0).computeCapability().major() >= 9, "clusters and dependent launches need compute capability 9.0");
    }

    private static Function kernel(String name) {
        return Kernels.module(KERNELS).function(name);
    }

    private static Event noTiming() {
        return new Event(EventFlags.DISABLE_TIMING);
    }

    /** A value for each attribute that a launch outside a graph supports. */
    private static Map<LaunchAttribute, Object[]> values(DeviceAllocation memory) {
        var values = new EnumMap<LaunchAttribute, Object[]>(LaunchAttribute.class);
        values.put(LaunchAttribute.ACCESS_POLICY_WINDOW,
            new Object[] {memory, 256, 0.5f, AccessProperty.PERSISTING, AccessProperty.STREAMING});
        values.put(LaunchAttribute.COOPERATIVE, new Object[] {true});
        values.put(LaunchAttribute.CLUSTER_DIMENSION, new Object[] {2, 1, 1});
        values.put(LaunchAttribute.CLUSTER_SCHEDULING_POLICY_PREFERENCE, new Object[] {ClusterSchedulingPolicy.SPREAD});
        values.put(LaunchAttribute.PROGRAMMATIC_STREAM_SERIALIZATION, new Object[] {true});
        values.put(LaunchAttribute.PROGRAMMATIC_EVENT, new Object[] {noTiming(), false});
        values.put(LaunchAttribute.PRIORITY, new Object[] {0});
        values.put(LaunchAttribute.MEM_SYNC_DOMAIN_MAP, new Object[] {0, 1});
        values.put(LaunchAttribute.MEM_SYNC_DOMAIN, new Object[] {LaunchMemSyncDomain.REMOTE});
        values.put(LaunchAttribute.LAUNCH_COMPLETION_EVENT, new Object[] {noTiming()});
        values.put(LaunchAttribute.PREFERRED_SHARED_MEMORY_CARVEOUT, new Object[] {50});
        values.put(LaunchAttribute.NVLINK_UTIL_CENTRIC_SCHEDULING, new Object[] {false});
        values.keySet().removeIf(attribute -> SINCE.getOrDefault(attribute, 0) > Driver.driverVersion());
        return values;
    }

    @Test
    void everyAttributeWorksWithEveryKindOfLaunch() {
        var add = kernel("add").prepare("Pi");
        try (var memory = Driver.memAlloc(256); var stream = new Stream()) {
            values(memory).forEach((attribute, value) -> {
                Driver.memsetD32(memory, 0, 64);
                LaunchConfig config = CONFIG.attribute(attribute, value);
                add.launch(config, memory, 1);
                add.launch(config.stream(stream), memory, 1);
                assertTrue(add.launchTimed(config, memory, 1) > 0);
                add.preparedCall(config, memory, 1);
                add.preparedAsyncCall(config, stream, memory, 1);
                assertTrue(add.preparedTimedCall(config, memory, 1).getAsDouble() >= 0);
                add.invocation().set(0, memory).set(1, 1).launch(config);
                Context.synchronize();
                assertTrue(IntStream.of(Driver.fromDevice(memory, 64, int[].class)).allMatch(n -> n == 7), attribute.toString());
            });
        }
    }

    @Test
    void everyAttributeIsKnown() {
        var known = EnumSet.noneOf(LaunchAttribute.class);
        for (LaunchAttribute attribute : LaunchAttribute.values()) {
            if (attribute == LaunchAttribute.IGNORE) {
                assertThrows(IllegalArgumentException.class, () -> CONFIG.attribute(attribute, 1));
                continue;
            }
            String message = assertThrows(IllegalArgumentException.class, () -> CONFIG.attribute(attribute), attribute.toString()).getMessage();
            assertTrue(message.contains("'" + attribute.toString().toLowerCase(java.util.Locale.ROOT) + "' takes ("), message);
            known.add(attribute);
        }
        assertEquals(LaunchAttribute.values().length - 1, known.size());
    }

    @Test
    void unsupportedAttributesAreNamed() {
        try (var memory = Driver.memAlloc(256)) {
            var spin = CONFIG.attribute(LaunchAttribute.SYNCHRONIZATION_POLICY, SynchronizationPolicy.SPIN);
            String message = assertThrows(Driver.Error.class, () -> kernel("add").launch(spin, memory, 1)).getMessage();
            assertTrue(message.contains("launch attribute 'synchronization_policy'"), message);
            var updatable = CONFIG.attribute(LaunchAttribute.DEVICE_UPDATABLE_KERNEL_NODE, true);
            assertThrows(Driver.Error.class, () -> kernel("add").launch(updatable, memory, 1));
            assumeTrue(Driver.driverVersion() < 13020);
            var mode = CONFIG.attribute(LaunchAttribute.PORTABLE_CLUSTER_SIZE_MODE, 1);
            message = assertThrows(Driver.RuntimeError.class, () -> kernel("add").launch(mode, memory, 1)).getMessage();
            assertTrue(message.contains("'portable_cluster_size_mode' needs a driver of CUDA 13.2 or newer"), message);
        }
    }

    private static void refused(Class<? extends Throwable> type, LaunchAttribute attribute, Object... value) {
        assertThrows(type, () -> CONFIG.attribute(attribute, value), attribute.toString());
    }

    @Test
    void wrongValues() {
        refused(IllegalArgumentException.class, LaunchAttribute.PRIORITY, "high");
        refused(IllegalArgumentException.class, LaunchAttribute.PRIORITY, 1.5);
        refused(IllegalArgumentException.class, LaunchAttribute.PRIORITY, 1L << 40);
        refused(IllegalArgumentException.class, LaunchAttribute.PRIORITY, 1, 2);
        refused(IllegalArgumentException.class, LaunchAttribute.CLUSTER_DIMENSION, 1, -1);
        refused(IllegalArgumentException.class, LaunchAttribute.LAUNCH_COMPLETION_EVENT, 3);
        refused(IllegalArgumentException.class, LaunchAttribute.ACCESS_POLICY_WINDOW, DevicePointer.of(0), 16, Double.NaN);
        refused(NullPointerException.class, LaunchAttribute.LAUNCH_COMPLETION_EVENT, (Object) null);
        refused(NullPointerException.class, LaunchAttribute.PRIORITY, (Object[]) null);
        assertThrows(NullPointerException.class, () -> CONFIG.attribute(null, 1));
    }

    @Test
    void aConfigKeepsItsAttributes() {
        var one = CONFIG.attribute(LaunchAttribute.PRIORITY, 0);
        var two = one.attribute(LaunchAttribute.PRIORITY, -1).attribute(LaunchAttribute.CLUSTER_DIMENSION, 2);
        assertTrue(one.toString().endsWith(", PRIORITY=(0)"), one.toString());
        assertTrue(two.toString().endsWith(", PRIORITY=(-1), CLUSTER_DIMENSION=(2)"), two.toString());
        try (var memory = Driver.toDevice(new int[64])) {
            kernel("add").launch(one, memory, 1);
            kernel("add").launch(two, memory, 1);
            kernel("add").launch(CONFIG, memory, 1);
            Context.synchronize();
            assertEquals(3, Driver.fromDevice(memory, 64, int[].class)[63]);
        }
    }

    @Test
    void aClosedEventIsRejected() {
        var event = noTiming();
        var config = CONFIG.attribute(LaunchAttribute.LAUNCH_COMPLETION_EVENT, event);
        try (var memory = Driver.toDevice(new int[64])) {
            kernel("add").launch(config, memory, 1);
            event.synchronize();
            event.close();
            assertThrows(Driver.LogicError.class, () -> kernel("add").launch(config, memory, 1));
        }
    }

    @Test
    void aDependentKernelReadsWhatTheFirstOneWrote() {
        var dependent = Driver.block(64).attribute(LaunchAttribute.PROGRAMMATIC_STREAM_SERIALIZATION, true);
        try (var stream = new Stream(); var x = Driver.memAlloc(256); var y = Driver.memAlloc(256)) {
            for (int i = 0; i < 100; i++) {
                Driver.memsetD32Async(x, -1, 64, stream);
                kernel("first").launch(Driver.block(64).stream(stream), x);
                kernel("second").launch(dependent.stream(stream), x, y);
            }
            stream.synchronize();
            assertArrayEquals(IntStream.range(0, 64).map(n -> 2 * n).toArray(), Driver.fromDevice(y, 64, int[].class));
        }
    }
}
