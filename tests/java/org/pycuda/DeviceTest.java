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
        assertEquals(device.getAttribute(DeviceAttribute.COMPUTE_CAPABILITY_MINOR), device.computeCapability().minor());
    }

    @Test
    void attributesOneByOneAndAll() {
        var device = new Device(0);
        assertEquals(32, device.getAttribute(DeviceAttribute.WARP_SIZE));
        assertEquals(device.getAttribute(DeviceAttribute.MAX_SHARED_MEMORY_PER_BLOCK),
            device.getAttribute(DeviceAttribute.SHARED_MEMORY_PER_BLOCK));
        var all = device.getAttributes();
        assertEquals(32, all.get(DeviceAttribute.WARP_SIZE));
        assertTrue(all.size() > 80, "only " + all.size());
        all.forEach((attribute, value) -> {
            if (attribute != DeviceAttribute.CLOCK_RATE && attribute != DeviceAttribute.MEMORY_CLOCK_RATE) {
                assertEquals(value, device.getAttribute(attribute), attribute.name());
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
        var error = assertThrows(Driver.LogicError.class, () -> device.getP2pAttribute(DeviceP2pAttribute.ACCESS_SUPPORTED, device));
        assertTrue(error.getMessage().contains("from device 0 to device 0"), error.getMessage());
        if (Driver.getDriverVersion() >= 13000) {
            int capabilities = device.getHostAtomicCapabilities(AtomicOperation.CAS);
            if (device.getAttribute(DeviceAttribute.HOST_NATIVE_ATOMIC_SUPPORTED) != 0) {
                assertTrue((capabilities & AtomicCapability.SCALAR_32) != 0);
            }
            assertThrows(Driver.LogicError.class, () -> device.getP2pAtomicCapabilities(AtomicOperation.CAS, device));
        } else {
            assertThrows(Driver.RuntimeError.class, () -> device.getHostAtomicCapabilities(AtomicOperation.CAS));
        }
    }

    @Test
    void reportsTheMemoryOfGraphs() {
        var device = new Device(0);
        device.trimGraphMemory();
        device.resetGraphMemory(GraphMemAttribute.RESERVED_MEM_HIGH);
        assertEquals(device.getGraphMemory(GraphMemAttribute.RESERVED_MEM_CURRENT), device.getGraphMemory(GraphMemAttribute.RESERVED_MEM_HIGH));
        assertThrows(Driver.LogicError.class, () -> device.resetGraphMemory(GraphMemAttribute.USED_MEM_CURRENT));
    }

    @Test
    void setsFlagsOfThePrimaryContext() {
        var device = new Device(0);
        int before = device.getPrimaryContextFlags();
        device.setPrimaryContextFlags(CtxFlags.SCHED_YIELD);
        assertEquals(CtxFlags.SCHED_YIELD, device.getPrimaryContextFlags() & CtxFlags.SCHED_MASK);
        assertThrows(Driver.LogicError.class, () -> device.setPrimaryContextFlags(1 << 20));
        device.setPrimaryContextFlags(before & CtxFlags.SCHED_MASK);
        assertDoesNotThrow(() -> device.supportsExecutionAffinity(ExecAffinityType.SM_COUNT));
    }
}
