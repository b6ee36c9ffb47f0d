package org.pycuda;

/** How textures read the elements of arrays. */
final class ArrayTextures {
    private ArrayTextures() {}

    /** The texel format; {@code hack}: integers that device code combines. */
    record Texel(ArrayFormat format, int channels, boolean hack) {}

    static Texel texelOf(CType type, int channels, boolean doubles, boolean complexes) {
        if (type == DType.FLOAT64 && doubles) {
            return new Texel(ArrayFormat.SIGNED_INT32, 2, true);
        } else if (type == DType.COMPLEX64 && complexes) {
            return new Texel(ArrayFormat.UNSIGNED_INT32, 2, true);
        } else if (type == DType.COMPLEX128 && complexes) {
            return new Texel(ArrayFormat.SIGNED_INT32, 4, true);
        }
        return new Texel(switch (Scalars.requireNumbers(type)) {
            case INT8 -> ArrayFormat.SIGNED_INT8;
            case UINT8 -> ArrayFormat.UNSIGNED_INT8;
            case INT16 -> ArrayFormat.SIGNED_INT16;
            case UINT16 -> ArrayFormat.UNSIGNED_INT16;
            case INT32 -> ArrayFormat.SIGNED_INT32;
            case UINT32 -> ArrayFormat.UNSIGNED_INT32;
            case FLOAT16 -> ArrayFormat.HALF;
            case FLOAT32 -> ArrayFormat.FLOAT;
            default -> throw new IllegalArgumentException("textures do not read elements of " + type
                + (type == DType.FLOAT64 || type == DType.COMPLEX64 || type == DType.COMPLEX128 ? ", unless allowDoubleHack or allowComplexHack allows it" : ""));
        }, channels, false);
    }

    static long bind(GPUArray array, TextureReference texref, int channels, boolean doubles, boolean complexes, boolean allowOffset) {
        Texel texel = texelOf(array.dtype(), channels, doubles, complexes);
        if (texel.hack && channels != 1) {
            throw new IllegalArgumentException("elements of " + array.dtype() + " fill all channels of a texture: channels must be 1, not " + channels);
        }
        long offset = texref.setAddress(array, array.nbytes(), allowOffset);
        texref.setFormat(texel.format, texel.channels);
        if (texel.hack || array.numbers().isInteger()) {
            var flags = texref.flags();
            flags.add(TextureFlags.READ_AS_INTEGER);
            texref.setFlags(flags.toArray(TextureFlags[]::new));
        }
        return offset / array.itemsize();
    }
}
