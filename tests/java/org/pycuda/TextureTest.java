package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.pycuda.compiler.SourceModule;

/** Texture and surface references of CUDA 11's language, and objects. */
class TextureTest implements WithContext {
    private static final String SOURCE = """
        #include <pycuda-helpers.hpp>
        texture<float, 2> image;
        texture<float, 1> line;
        texture<fp_tex_double, 3> doubles;
        surface<void, cudaSurfaceType2DLayered> sheet;
        __global__ void read(float *out) { out[threadIdx.x] = tex2D(image, threadIdx.x + 0.5f, 0.5f); }
        __global__ void read_line(float *out) { out[threadIdx.x] = tex1Dfetch(line, threadIdx.x); }
        __global__ void read_doubles(double *out) { out[threadIdx.x] = fp_tex3D(doubles, threadIdx.x, 0, 0); }
        __global__ void paint() { fp_surf2DLayeredwrite(2.5f * threadIdx.x, sheet, threadIdx.x, 0, 0, cudaBoundaryModeClamp); }
        __global__ void object(unsigned long long texture_object, float *out)
        { out[threadIdx.x] = tex2D<float>(texture_object, threadIdx.x + 0.5f, 0.5f); }
        """;

    private static Array row(float... texels) {
        return Textures.matrixToArray(HostData.of(texels).shape(1, texels.length), Order.C);
    }

    @Test
    void readsTheBindingOfEachLaunch() {
        try (var module = new SourceModule(SOURCE); var stream = new Stream()) {
            TextureReference image = module.texref("image");
            Function read = module.function("read");
            LaunchConfig config = Driver.block(4).stream(stream).texrefs(image);
            assertThrows(Driver.LogicError.class, () -> read.launch(config, Driver.memAlloc(16)));
            var results = new DeviceAllocation[10];
            for (int i = 0; i < results.length; i++) {
                results[i] = Driver.memAlloc(16);
                image.setArray(row(i, i + 1, i + 2, i + 3));
                read.launch(config, results[i]);
            }
            stream.synchronize();
            for (int i = 0; i < results.length; i++) {
                assertArrayEquals(new float[] {i, i + 1, i + 2, i + 3}, Driver.fromDevice(results[i], 4, float[].class));
            }
            assertEquals(4, image.array().descriptor().width());
        }
    }

    @Test
    void kernelsTakeTheObjectsThemselves() {
        var canvas = new Array(new ArrayDescriptor3D(4, 1, 0, ArrayFormat.FLOAT, 1, Array3dFlags.SURFACE_LDST));
        try (var module = new SourceModule("""
                __global__ void paint(cudaSurfaceObject_t to) { surf2Dwrite(1.5f * threadIdx.x, to, 4 * threadIdx.x, 0); }
                __global__ void read(cudaTextureObject_t from, float *out, int add) { out[threadIdx.x] = tex2D<float>(from, threadIdx.x + 0.5f, 0.5f) + add; }
                """); var surface = new SurfaceObject(canvas); var texture = new TextureObject(canvas)) {
            module.function("paint").launch(Driver.block(4), surface);
            Function read = module.function("read");
            var out = new float[4];
            read.launch(Driver.block(4), texture, Driver.out(out), 1);
            assertArrayEquals(new float[] {1, 2.5f, 4, 5.5f}, out);
            try (var memory = Driver.memAlloc(16)) {
                read.prepare("PPi").preparedCall(Driver.block(4), texture, memory, 2);
                assertArrayEquals(new float[] {2, 3.5f, 5, 6.5f}, Driver.fromDevice(memory, 4, float[].class));
                read.invocation().set(0, texture).set(1, memory).set(2, 3).launch(Driver.block(4));
                assertArrayEquals(new float[] {3, 4.5f, 6, 7.5f}, Driver.fromDevice(memory, 4, float[].class));
                var error = assertThrows(IllegalArgumentException.class, () -> read.preparedCall(Driver.block(4), texture, memory, texture));
                assertTrue(error.getMessage().contains("prepared as 'i', but a TextureObject was given"), error.getMessage());
            }
            Invocation invocation = read.prepare("PPi").invocation().set(0, texture).set(1, 0).set(2, 3);
            texture.close();
            assertThrows(Driver.LogicError.class, () -> read.launch(Driver.block(4), texture, Driver.out(out), 1));
            assertThrows(Driver.LogicError.class, () -> invocation.launch(Driver.block(4)));
        }
    }

    @Test
    void arraysOfArraysHaveTheirShape() {
        float[][] rows = {{1, 2, 3}, {4, 5, 6}};
        assertArrayEquals(new long[] {3, 2}, size(Textures.matrixToArray(HostData.of(rows), Order.C)));
        assertArrayEquals(new long[] {2, 3}, size(Textures.matrixToArray(HostData.of(rows), Order.F)));
        assertArrayEquals(new long[] {3, 2}, size(Textures.toArray(HostData.of(rows), Order.C)));
        assertEquals(2, Textures.toArray(HostData.of(new float[2][3][4]), Order.C).descriptor3d().depth());
        assertEquals(Set.of(Array3dFlags.SURFACE_LDST), Textures.toArray(HostData.of(new float[2][3][4]), Order.C, true).descriptor3d().flags());
        assertEquals(4, Textures.makeMultichannel2dArray(HostData.of(new float[2][3][4]), Order.C).descriptor().numChannels());
        try (var module = new SourceModule(SOURCE); var texture = new TextureObject(Textures.matrixToArray(HostData.of(rows), Order.C))) {
            var out = new float[3];
            module.function("object").launch(Driver.block(3), texture, Driver.out(out));
            assertArrayEquals(rows[0], out);
        }
        assertThrows(IllegalArgumentException.class, () -> Textures.matrixToArray(HostData.of(new float[2][3][4]), Order.C));
        assertThrows(IllegalArgumentException.class, () -> Textures.matrixToArray(HostData.of(new float[][] {{1}, {2, 3}}), Order.C));
        assertThrows(IllegalArgumentException.class, () -> Textures.makeMultichannel2dArray(HostData.of(rows), Order.C));
        assertThrows(IllegalArgumentException.class, () -> Textures.toArray(HostData.of(rows).shape(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE), Order.C));
    }

    private static long[] size(Array array) {
        return new long[] {array.descriptor().width(), array.descriptor().height()};
    }

    @Test
    void invalidPitchIsRejectedWhenBound() {
        try (var module = new SourceModule(SOURCE); var memory = Driver.memAlloc(4096)) {
            TextureReference image = module.texref("image");
            var shape = new ArrayDescriptor(8, 8, ArrayFormat.FLOAT, 1);
            var error = assertThrows(Driver.LogicError.class, () -> image.setAddress2d(memory, shape, 33));
            assertTrue(error.getMessage().contains("texture reference 'image'") && error.getMessage().contains("not a multiple of"),
                error.getMessage());
            image.setAddress2d(memory, shape, 512);
        }
    }

    @Test
    void preparedKernelsKeepTheirReferences() {
        try (var module = new SourceModule(SOURCE); var other = new SourceModule(SOURCE)) {
            TextureReference image = module.texref("image");
            Function read = module.function("read").prepare("P", image);
            var out = Driver.memAlloc(16);
            assertThrows(Driver.LogicError.class, () -> read.preparedCall(Driver.block(4), out));
            image.setArray(row(1, 2, 3, 4));
            read.preparedCall(Driver.block(4), out);
            assertArrayEquals(new float[] {1, 2, 3, 4}, Driver.fromDevice(out, 4, float[].class));
            read.paramSetTexref(image);
            var failure = assertThrows(Driver.LogicError.class, () -> other.function("read").paramSetTexref(image));
            assertTrue(failure.getMessage().contains("of its own module"), failure.getMessage());
        }
    }

    @Test
    void linearMemory() {
        try (var module = new SourceModule(SOURCE)) {
            var data = new float[] {5, 6, 7, 8};
            var memory = Driver.toDevice(data);
            TextureReference line = module.texref("line");
            assertThrows(Driver.LogicError.class, line::address);
            assertEquals(0, line.setAddress(memory, 16));
            assertEquals(memory.pointer(), line.address());
            var out = new float[4];
            module.function("read_line").launch(Driver.block(4).texrefs(line), Driver.out(out));
            assertArrayEquals(data, out);
            assertThrows(Driver.LogicError.class, () -> line.setAddress(DevicePointer.of(memory.pointer() + 4), 8));
            assertEquals(4, line.setAddress(DevicePointer.of(memory.pointer() + 4), 8, true));
        }
    }

    @Test
    void settingsCanBeRead() {
        var reference = new TextureReference();
        reference.setAddressMode(1, AddressMode.BORDER);
        reference.setFilterMode(FilterMode.LINEAR);
        reference.setFlags(Driver.TRSF_NORMALIZED_COORDINATES);
        reference.setFormat(ArrayFormat.HALF, 2);
        reference.setBorderColor(new float[] {1, 2, 3, 4});
        assertEquals(AddressMode.BORDER, reference.addressMode(1));
        assertEquals(AddressMode.CLAMP, reference.addressMode(0));
        assertEquals(FilterMode.LINEAR, reference.filterMode());
        assertEquals(java.util.Set.of(Driver.TRSF_NORMALIZED_COORDINATES), reference.flags());
        assertEquals(new Driver.TextureFormat(ArrayFormat.HALF, 2), reference.format());
        assertThrows(IllegalArgumentException.class, () -> reference.setBorderColor(new float[3]));
        assertThrows(IllegalArgumentException.class, () -> reference.setAddressMode(3, AddressMode.WRAP));
        assertThrows(Driver.LogicError.class, reference::array);
        assertThrows(NullPointerException.class, () -> reference.setArray(null));
    }

    @Test
    void doublesAndSurfaces() {
        try (var module = new SourceModule(SOURCE)) {
            TextureReference doubles = module.texref("doubles");
            doubles.setArray(Textures.toArray(HostData.of(new double[] {0.1, -2e300, 3}).shape(1, 1, 3), Order.C));
            var out = new double[3];
            module.function("read_doubles").launch(Driver.block(3), Driver.out(out));
            assertArrayEquals(new double[] {0.1, -2e300, 3}, out);
            Array painted = Textures.toArray(HostData.of(new float[4]).shape(1, 4), Order.C, true);
            SurfaceReference sheet = module.surfref("sheet");
            sheet.setArray(painted);
            module.function("paint").launch(Driver.block(4));
            var row = new float[4];
            Copies.memcpyAtoh(HostData.of(row), painted, 0);
            assertArrayEquals(new float[] {0, 2.5f, 5, 7.5f}, row);
            assertThrows(Driver.LogicError.class, () -> sheet.setArray(row(1, 2)));
            assertThrows(Driver.LogicError.class, () -> module.texref("sheet"));
        }
    }

    @Test
    void objects() {
        try (var module = new SourceModule(SOURCE)) {
            var descriptor = new TextureDescriptor();
            descriptor.setAddressMode(0, AddressMode.BORDER);
            descriptor.setBorderColor(new float[] {9, 0, 0, 0});
            try (var texture = new TextureObject(row(1, 2), descriptor)) {
                var out = new float[3];
                module.function("object").launch(Driver.block(3), texture.handle(), Driver.out(out));
                assertArrayEquals(new float[] {1, 2, 9}, out);
                texture.close();
                assertThrows(Driver.LogicError.class, texture::handle);
            }
            assertThrows(Driver.LogicError.class, () -> new SurfaceObject(row(1)));
        }
    }

    @Test
    void objectsDescribeThemselves() {
        var descriptor = new TextureDescriptor();
        descriptor.setFilterMode(FilterMode.LINEAR);
        descriptor.setAddressMode(1, AddressMode.BORDER);
        descriptor.setBorderColor(new float[] {1, 0.5f, 0.25f, 0});
        try (var array = new Array(new ArrayDescriptor(4, 3, ArrayFormat.FLOAT, 1)); var texture = new TextureObject(array, descriptor)) {
            TextureDescriptor how = texture.descriptor();
            assertEquals(FilterMode.LINEAR, how.filterMode());
            assertEquals(AddressMode.BORDER, how.addressMode(1));
            assertArrayEquals(new float[] {1, 0.5f, 0.25f, 0}, how.borderColor());
            assertEquals(ResourceType.ARRAY, texture.resource().type());
            assertEquals(array.handle(), texture.resource().source());
            assertThrows(Driver.LogicError.class, () -> Array.planeOf(array, 0));
            assertThrows(Driver.LogicError.class, array::memoryRequirements);
            assertThrows(Driver.LogicError.class, texture::view);
            var view = new ResourceView();
            view.setWidth(4);
            view.setHeight(3);
            view.setFormat(ArrayFormat.SIGNED_INT32);
            try (var integers = new TextureObject(array, new TextureDescriptor(), view)) {
                assertEquals(ArrayFormat.SIGNED_INT32, integers.view().format());
            }
        }
        try (var memory = Driver.memAlloc(4096);
                var line = TextureObject.ofLinear(memory, 1024, ArrayFormat.HALF, 2, new TextureDescriptor())) {
            ResourceDescriptor what = line.resource();
            assertEquals(ResourceType.LINEAR, what.type());
            assertEquals(256, what.width());
            assertEquals(ArrayFormat.HALF, what.format());
            line.close();
            assertThrows(Driver.LogicError.class, line::resource);
        }
    }

    @Test
    void referencesReturnWhatWasSet() {
        var reference = new TextureReference();
        reference.setBorderColor(new float[] {1, 2, 3, 4});
        reference.setMaxAnisotropy(4);
        reference.setMipmapFilterMode(FilterMode.LINEAR);
        reference.setMipmapLevelBias(0.5f);
        reference.setMipmapLevelClamp(1, 3);
        assertArrayEquals(new float[] {1, 2, 3, 4}, reference.borderColor());
        assertEquals(4, reference.maxAnisotropy());
        assertEquals(FilterMode.LINEAR, reference.mipmapFilterMode());
        assertEquals(0.5f, reference.mipmapLevelBias());
        assertEquals(4f, reference.minMipmapLevelClamp() + reference.maxMipmapLevelClamp());
        assertThrows(Driver.LogicError.class, reference::mipmappedArray);
    }
}
