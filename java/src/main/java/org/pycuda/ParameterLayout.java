package org.pycuda;

/** The layout of a kernel's parameter block, from the driver; drivers before CUDA 12.4 do not report it. */
final class ParameterLayout {
    final String kernel;
    final boolean known;
    final int[] offsets;
    final int[] sizes;
    /** Size of the block; 0 if unknown. */
    final int total;
    /** Whether there is no padding between parameters, which would have to be zeroed. */
    final boolean dense;

    /** @param flat whether it is known, then offset and size of each parameter */
    ParameterLayout(String kernel, int[] flat) {
        this.kernel = kernel;
        known = flat[0] != 0;
        int count = (flat.length - 1) / 2;
        offsets = new int[count];
        sizes = new int[count];
        int end = 0;
        int used = 0;
        for (int i = 0; i < count; i++) {
            offsets[i] = flat[1 + 2 * i];
            sizes[i] = flat[2 + 2 * i];
            end = Math.max(end, offsets[i] + sizes[i]);
            used += sizes[i];
        }
        total = end;
        dense = known && used == end;
    }

    /** Rejects argument {@code position}, whose {@code size} in bytes is not the parameter's. */
    IllegalArgumentException mismatch(int position, int size, String given) {
        String argument = "argument " + position + " of '" + kernel + "', counted from 0: given " + given + " (" + bytes(size) + ")";
        if (known && position >= sizes.length) {
            return new IllegalArgumentException(argument + ", the kernel takes " + arguments(sizes.length));
        } else if (known && sizes[position] != size) {
            return new IllegalArgumentException(argument + ", the kernel expects " + bytes(sizes[position]) + advice(given, sizes[position]));
        }
        return new IllegalArgumentException(
            argument + ", which does not fit: a kernel takes at most " + bytes(ArgumentBlock.CAPACITY));
    }

    /** How to write a number of this size in Java, if one of another size was given; otherwise empty. */
    private static String advice(String given, int size) {
        return switch (given + size) {
            case "Integer8", "Short8", "Byte8" -> "; a 64-bit integer is written as 3L, a double as 3.0";
            case "Long4" -> "; a C int is a Java int";
            case "Double4" -> "; a C float is written as 3f";
            case "Float8" -> "; a C double is written as 3.0";
            case "Character1" -> "; a C char is a Java byte";
            default -> "";
        };
    }

    /** For an argument whose alignment is above {@link ArgumentPacker#C_ALIGNMENT}. */
    IllegalArgumentException unknownOffset(int position, String given) {
        return new IllegalArgumentException("argument " + position + " of '" + kernel + "', counted from 0: given " + given
            + ": only drivers of CUDA 12.4 and newer report its offset; update the driver");
    }

    IllegalArgumentException tooFew(int given) {
        return new IllegalArgumentException("'" + kernel + "' takes " + arguments(sizes.length) + ", given " + given);
    }

    private static String bytes(int count) {
        return count + (count == 1 ? " byte" : " bytes");
    }

    private static String arguments(int count) {
        return count + (count == 1 ? " argument" : " arguments");
    }
}
