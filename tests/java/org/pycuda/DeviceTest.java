package org.pycuda;

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
}
