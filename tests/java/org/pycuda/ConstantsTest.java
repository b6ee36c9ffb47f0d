package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ConstantsTest {
    @Test
    void enumsConvertToDriverValuesAndBack() {
        assertEquals(1, DeviceAttribute.MAX_THREADS_PER_BLOCK.value());
        assertEquals(75, DeviceAttribute.COMPUTE_CAPABILITY_MAJOR.value());
        for (DeviceAttribute attribute : DeviceAttribute.values()) {
            assertSame(attribute, DeviceAttribute.fromValue(attribute.value()));
        }
        for (JitOption option : JitOption.values()) {
            assertSame(option, JitOption.fromValue(option.value()));
        }
        assertSame(FuncCache.PREFER_L1, FuncCache.fromValue(2));
    }

    @Test
    void aliasesReferToTheSameConstant() {
        assertSame(DeviceAttribute.MAX_SHARED_MEMORY_PER_BLOCK, DeviceAttribute.SHARED_MEMORY_PER_BLOCK);
        assertSame(DeviceAttribute.MAXIMUM_TEXTURE2D_LAYERED_LAYERS, DeviceAttribute.MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES);
        long distinct = Arrays.stream(DeviceAttribute.values()).map(DeviceAttribute::value).distinct().count();
        assertEquals(DeviceAttribute.values().length, distinct);
    }

    @Test
    void unknownValueIsRejected() {
        var error = assertThrows(IllegalArgumentException.class, () -> MemoryType.fromValue(4711));
        assertEquals("no MemoryType has the value 4711", error.getMessage());
    }

    @Test
    void documentedEnumsExist() {
        assertEquals(1, MemoryType.HOST.value());
        assertEquals(4, MemoryType.UNIFIED.value());
        assertEquals(3, ComputeMode.EXCLUSIVE_PROCESS.value());
        assertEquals(0x20, ArrayFormat.FLOAT.value());
        assertEquals(2, AddressMode.MIRROR.value());
        assertEquals(1, FilterMode.LINEAR.value());
        assertEquals(2, Limit.MALLOC_HEAP_SIZE.value());
        assertEquals(5, ArrayCubemapFace.NEGATIVE_Z.value());
        assertEquals(1, JitFallback.PREFER_BINARY.value());
        assertEquals(4, PointerAttribute.HOST_POINTER.value());
        assertEquals(2, SharedConfig.EIGHT_BYTE_BANK_SIZE.value());
        assertEquals(8, FunctionAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES.value());
        assertEquals(2, ProfilerOutputMode.values().length);
    }

    @Test
    void flagsCombine() {
        assertEquals(9, CtxFlags.bits(CtxFlags.SCHED_SPIN, CtxFlags.MAP_HOST));
        assertEquals(Set.of(CtxFlags.SCHED_SPIN, CtxFlags.MAP_HOST), CtxFlags.setOf(9));
        assertEquals(0, CtxFlags.bits());
        assertSame(CtxFlags.SCHED_BLOCKING_SYNC, CtxFlags.BLOCKING_SYNC);
        assertEquals(0, CtxFlags.SCHED_AUTO.value());
        assertEquals(7, CtxFlags.SCHED_MASK.value());
        assertEquals(3, EventFlags.bits(EventFlags.BLOCKING_SYNC, EventFlags.DISABLE_TIMING));
        assertEquals(4, HostAllocFlags.WRITECOMBINED.value());
        assertEquals(1, MemHostRegisterFlags.PORTABLE.value());
        assertEquals(4, MemAttachFlags.SINGLE.value());
        assertEquals(1, IpcMemFlags.LAZY_ENABLE_PEER_ACCESS.value());
        assertEquals(8, GraphicsRegisterFlags.TEXTURE_GATHER.value());
        assertSame(Array3dFlags.LAYERED, Array3dFlags._2DARRAY);
        assertSame(TextureFlags.READ_AS_INTEGER, Driver.TRSF_READ_AS_INTEGER);
        assertEquals(2, Driver.TRSF_NORMALIZED_COORDINATES.value());
        assertEquals(-1, Driver.TR_DEFAULT);
        var error = assertThrows(NullPointerException.class, () -> CtxFlags.bits(CtxFlags.MAP_HOST, null));
        assertEquals("flags[1]", error.getMessage());
    }

    @Test
    void namesAreNotRepeated() {
        var names = new HashSet<String>();
        for (DeviceAttribute attribute : DeviceAttribute.values()) {
            assertEquals(true, names.add(attribute.name()));
        }
    }
}
