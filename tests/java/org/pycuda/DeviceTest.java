package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class DeviceTest {
    @BeforeAll
    static void init() {
        Driver.init();
    }

    @Test
    void isFoundByOrdinalAndByBusId() {
        var device = new Device(0);
        var same = new Device(device.pciBusId());
        assertEquals(device, same);
        assertEquals(device.hashCode(), same.hashCode());
        assertNotEquals(device, null);
        assertThrows(Driver.LogicError.class, () -> new Device(Device.count()));
        assertThrows(Driver.LogicError.class, () -> new Device(-1));
    }

    @Test
    void describesItself() {
        var device = new Device(0);
        assertFalse(device.name().isBlank());
        assertTrue(device.totalMemory() > 1 << 20);
        assertTrue(device.computeCapability().major() >= 5);
        assertEquals(device.attribute(DeviceAttribute.COMPUTE_CAPABILITY_MINOR), device.computeCapability().minor());
    }

    @Test
    void attributesOneByOneAndAll() {
        var device = new Device(0);
        assertEquals(32, device.attribute(DeviceAttribute.WARP_SIZE));
        assertEquals(device.attribute(DeviceAttribute.MAX_SHARED_MEMORY_PER_BLOCK),
            device.attribute(DeviceAttribute.SHARED_MEMORY_PER_BLOCK));
        var all = device.attributes();
        assertEquals(32, all.get(DeviceAttribute.WARP_SIZE));
        assertTrue(all.size() > 80, "only " + all.size());
        all.forEach((attribute, value) -> {
            if (attribute != DeviceAttribute.CLOCK_RATE && attribute != DeviceAttribute.MEMORY_CLOCK_RATE) {
                assertEquals(value, device.attribute(attribute), attribute.name());
            }
        });
    }

    @Test
    void canAccessItsPeers() {
        var device = new Device(0);
        assertFalse(device.canAccessPeer(device));
    }

    @Test
    void identifiesItself() {
        var device = new Device(0);
        assertTrue(device.uuid().matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), device.uuid());
        long one = device.maxLinearTextureWidth(ArrayFormat.FLOAT, 1);
        assertTrue(one > 0 && device.maxLinearTextureWidth(ArrayFormat.FLOAT, 4) <= one);
        assertThrows(Driver.LogicError.class, () -> device.maxLinearTextureWidth(ArrayFormat.FLOAT, 3));
    }

    @Test
    void linksToOtherMemory() {
        var device = new Device(0);
        var error = assertThrows(Driver.LogicError.class, () -> device.p2pAttribute(DeviceP2pAttribute.ACCESS_SUPPORTED, device));
        assertTrue(error.getMessage().contains("from device 0 to device 0"), error.getMessage());
        if (Driver.driverVersion() >= 13000) {
            var capabilities = device.hostAtomicCapabilities(AtomicOperation.CAS);
            if (device.attribute(DeviceAttribute.HOST_NATIVE_ATOMIC_SUPPORTED) != 0) {
                assertTrue(capabilities.contains(AtomicCapability.SCALAR_32));
            }
            assertThrows(Driver.LogicError.class, () -> device.p2pAtomicCapabilities(AtomicOperation.CAS, device));
        } else {
            assertThrows(Driver.RuntimeError.class, () -> device.hostAtomicCapabilities(AtomicOperation.CAS));
        }
    }

    @Test
    void reportsTheMemoryOfGraphs() {
        var device = new Device(0);
        device.trimGraphMemory();
        device.resetGraphMemory(GraphMemAttribute.RESERVED_MEM_HIGH);
        assertEquals(device.graphMemory(GraphMemAttribute.RESERVED_MEM_CURRENT), device.graphMemory(GraphMemAttribute.RESERVED_MEM_HIGH));
        assertThrows(Driver.LogicError.class, () -> device.resetGraphMemory(GraphMemAttribute.USED_MEM_CURRENT));
    }

    @Test
    void setsFlagsOfThePrimaryContext() {
        var device = new Device(0);
        boolean yieldedBefore = device.primaryContextFlags().contains(CtxFlags.SCHED_YIELD);
        device.setPrimaryContextFlags(CtxFlags.SCHED_YIELD);
        assertTrue(device.primaryContextFlags().contains(CtxFlags.SCHED_YIELD));
        assertThrows(Driver.LogicError.class, () -> device.setPrimaryContextFlags(CtxFlags.SCHED_MASK));
        device.setPrimaryContextFlags(yieldedBefore ? CtxFlags.SCHED_YIELD : CtxFlags.SCHED_AUTO);
        assertDoesNotThrow(() -> device.supportsExecutionAffinity(ExecAffinityType.SM_COUNT));
    }
}
