package org.pycuda;

import java.nio.ByteBuffer;

/** Packs the arguments of a launch by the kernel's layout, or by C's natural alignment if the driver does not report it. */
final class ArgumentPacker {
    /** The driver places arguments as C does only up to this alignment, because the block itself has no larger one. */
    private static final int C_ALIGNMENT = 16;

    private final ArgumentBlock block;
    private final ParameterLayout layout;
    private final Stream stream;
    private int count;
    private int end;

    private ArgumentPacker(ArgumentBlock block, ParameterLayout layout, Stream stream) {
        this.block = block;
        this.layout = layout;
        this.stream = stream;
    }

    /**
     * Writes {@code arguments} of a launch on {@code stream} into {@code block}, and returns the number of bytes used. IllegalArgumentException for a
     * wrong number of arguments, a size that differs from the parameter's, or an object that cannot be an argument. The block keeps what
     * {@code arguments} held when the code of the program began to run.
     */
    static int pack(ArgumentBlock block, ParameterLayout layout, Object[] arguments, Stream stream) {
        if (!layout.dense) {
            block.clear(layout.total);
        }
        var packer = new ArgumentPacker(block, layout, stream);
        for (Object argument : arguments) {
            if (!packer.append(argument)) {
                block.kept = arguments.clone();
                return pack(block, layout, Holders.settled((Object[]) block.kept, stream), stream);
            }
        }
        if (packer.count < layout.sizes.length) {
            throw layout.tooFew(packer.count);
        }
        return packer.end;
    }

    /** False if the code of the program determines the argument: it must be settled before any address is read. */
    private boolean append(Object argument) {
        ByteBuffer bytes = block.bytes;
        if (argument instanceof DeviceAllocation allocation) {
            bytes.putLong(offsetFor(8, 8, argument), allocation.pointerFor(stream));
        } else if (argument instanceof Integer value) {
            bytes.putInt(offsetFor(4, 4, argument), value);
        } else if (argument instanceof Float value) {
            bytes.putFloat(offsetFor(4, 4, argument), value);
        } else if (argument instanceof Double value) {
            bytes.putDouble(offsetFor(8, 8, argument), value);
        } else if (argument instanceof Long value) {
            bytes.putLong(offsetFor(8, 8, argument), value);
        } else if (argument instanceof ArgumentHandler handler) {
            bytes.putLong(offsetFor(8, 8, argument), handler.address(stream));
        } else if (argument instanceof DevicePointer holder) {
            int offset = offsetFor(8, 8, argument);
            if (Holders.runProgramCode(holder)) {
                return false;
            }
            bytes.putLong(offset, holder.pointerFor(stream));
        } else {
            return appendRare(argument);
        }
        return true;
    }

    private boolean appendRare(Object argument) {
        ByteBuffer bytes = block.bytes;
        if (argument instanceof Byte value) {
            bytes.put(offsetFor(1, 1, argument), value);
        } else if (argument instanceof Boolean value) {
            bytes.put(offsetFor(1, 1, argument), (byte) (value ? 1 : 0));
        } else if (argument instanceof Short value) {
            bytes.putShort(offsetFor(2, 2, argument), value);
        } else if (argument instanceof Character value) {
            bytes.putChar(offsetFor(2, 2, argument), value);
        } else if (argument instanceof StructArgument struct) {
            append(struct, struct);
        } else if (argument instanceof TensorMap map) {
            if (map.runsProgramCode()) {
                return false;
            }
            map.write(bytes, offsetFor(TensorMap.BYTES, TensorMap.ALIGNMENT, argument), stream);
        } else if (argument instanceof StructValue value) {
            append(value.argument(), value);
        } else if (argument instanceof Record) {
            return false;
        } else if (argument instanceof TextureObject || argument instanceof SurfaceObject) {
            bytes.putLong(offsetFor(8, 8, argument), handleFor((DriverObject) argument, stream));
        } else {
            throw new IllegalArgumentException("argument " + count + " of '" + layout.kernel + "', counted from 0: " + refusal(argument));
        }
        return true;
    }

    /** The handle of a texture or surface object for work on {@code stream}: if that becomes part of a graph, it keeps the object. */
    static long handleFor(DriverObject object, Stream stream) {
        long handle = object.handle();
        if (OpenCaptures.any()) {
            if (object instanceof TextureObject texture) {
                texture.noteInGraph(stream);
            } else {
                ((SurfaceObject) object).noteInGraph(stream);
            }
        }
        return handle;
    }

    /** @param given the argument, whose bytes these are */
    private void append(StructArgument struct, Object given) {
        ByteBuffer data = struct.data;
        block.bytes.put(offsetFor(data.remaining(), struct.alignment, given), data, data.position(), data.remaining());
    }

    /** Offset of the next argument. */
    private int offsetFor(int size, int alignment, Object argument) {
        int position = count;
        int offset;
        if (layout.known) {
            if (position >= layout.sizes.length || layout.sizes[position] != size) {
                throw layout.mismatch(position, size, typeName(argument));
            }
            offset = layout.offsets[position];
        } else {
            if (alignment > C_ALIGNMENT) {
                throw layout.unknownOffset(position, typeName(argument));
            }
            offset = alignUp(end, alignment);
            if (offset + size > ArgumentBlock.CAPACITY) {
                throw layout.mismatch(position, size, typeName(argument));
            }
            for (int gap = end; gap < offset; gap++) {
                block.bytes.put(gap, (byte) 0);
            }
        }
        count = position + 1;
        end = Math.max(end, offset + size);
        return offset;
    }

    static int alignUp(int offset, int alignment) {
        return (offset + alignment - 1) & -alignment;
    }

    private static String typeName(Object argument) {
        if (argument instanceof StructValue value) {
            return value.type().ctype();
        }
        return argument instanceof StructArgument ? "bytes" : argument.getClass().getSimpleName();
    }

    private static String refusal(Object argument) {
        if (argument == null) {
            return "given null; a null pointer is 0L";
        }
        String given = "given " + argument.getClass().getTypeName();
        if (argument.getClass().isArray() || argument instanceof java.nio.Buffer) {
            return given + "; wrap it in Driver.in, Driver.out or Driver.inOut to have it copied, or in Driver.bytes to pass it by "
                + "value";
        }
        return given + ", which is no kernel argument";
    }
}
