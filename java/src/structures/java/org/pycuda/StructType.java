package org.pycuda;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A C structure as the element type of arrays and as a parameter of kernels. Its fields have C's layout: each is aligned to its own size.
 * Host data is a {@link ByteBuffer} of these bytes. Kernels that use the structure must declare it in their preamble. Immutable.
 *
 * <pre>{@code
 * var point = StructType.of("Point", StructType.field("x", DType.FLOAT32), StructType.field("y", DType.FLOAT32));
 * var points = GPUArray.zeros(point, 10);
 * assert points.field("y").getFloats().length == 10;
 * }</pre>
 */
public final class StructType implements CType {
    /** One field: {@code count} elements of {@code type}. */
    public record Field(String name, CType type, int count) {
        /** IllegalArgumentException if the count is not positive. */
        public Field {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(type, "type");
            if (count < 1) {
                throw new IllegalArgumentException("field " + name + " needs at least one element, not " + count);
            }
        }
    }

    private static final int LARGEST = (1 << 20) - 1;

    private final String ctype;
    private final List<Field> fields;
    private final List<Integer> offsets = new ArrayList<>();
    private final int itemsize;
    private final int alignment;

    /** @param minAlignment alignment of the structure, if larger than that of its fields */
    StructType(String ctype, List<Field> fields, int minAlignment) {
        this.ctype = ctype;
        this.fields = fields;
        int max = minAlignment;
        long end = 0;
        for (Field field : fields) {
            int own = field.type.alignment();
            max = Math.max(max, own);
            end = (end + own - 1) / own * own;
            offsets.add((int) end);
            end = Math.addExact(end, Math.multiplyExact((long) field.count, field.type.itemsize()));
            if (end > LARGEST) {
                throw new IllegalArgumentException("a structure has at most " + LARGEST + " bytes");
            }
        }
        alignment = max;
        itemsize = (int) ((end + max - 1) / max * max);
    }

    /**
     * The structure that kernels call {@code ctype}, registered under this name ({@link Tools#getOrRegisterDtype}).
     * IllegalArgumentException if another type has that name, if there are no fields, or if two have the same name.
     */
    public static StructType of(String ctype, Field... fields) {
        Objects.requireNonNull(ctype, "ctype");
        Objects.requireNonNull(fields, "fields");
        List<Field> list = new ArrayList<>();
        for (int i = 0; i < fields.length; i++) {
            Field field = Objects.requireNonNull(fields[i], "fields[" + i + "]");
            if (list.stream().anyMatch(other -> other.name.equals(field.name))) {
                throw new IllegalArgumentException(ctype + " has two fields with the name " + field.name);
            }
            list.add(field);
        }
        if (list.isEmpty()) {
            throw new IllegalArgumentException("a structure needs at least one field");
        }
        ArrayCalls.kernelParameters(ctype + " value");  // rejects invalid names
        return (StructType) TypeNames.register(new StructType(ctype, List.copyOf(list), 1), ctype);
    }

    /**
     * The structure that has a field for each component of a record, called by its simple name in kernels: {@code record Particle(float x,
     * float y, int kind) {}} is {@code struct Particle { float x, y; int kind; }}. Components are primitive, {@link Complex} or records.
     */
    public static StructType of(Class<? extends Record> type) {
        return RecordTypes.of(Objects.requireNonNull(type, "type"));
    }

    /**
     * The same with another name in kernels, for records whose simple name is taken. Every later use of the record has that name.
     * IllegalArgumentException if the record was used with another name before.
     */
    public static StructType of(String ctype, Class<? extends Record> type) {
        Objects.requireNonNull(ctype, "ctype");
        return RecordTypes.of(ctype, Objects.requireNonNull(type, "type"));
    }

    /** A field of one element. */
    public static Field field(String name, CType type) {
        return field(name, type, 1);
    }

    /** A field of {@code count} elements, such as {@code float name[3]}. */
    public static Field field(String name, CType type, int count) {
        return new Field(name, type, count);
    }

    /** The fields, in order. */
    public List<Field> fields() {
        return fields;
    }

    /** The field of this name. IllegalArgumentException if there is none. */
    Field field(String name) {
        Objects.requireNonNull(name, "name");
        for (Field field : fields) {
            if (field.name.equals(name)) {
                return field;
            }
        }
        throw new IllegalArgumentException(ctype + " has no field " + name);
    }

    /** Bytes from the start to this field. IllegalArgumentException if there is no field of this name. */
    public int offset(String name) {
        return offsets.get(fields.indexOf(field(name)));
    }

    @Override
    public int itemsize() {
        return itemsize;
    }

    @Override
    public int alignment() {
        return alignment;
    }

    @Override
    public String ctype() {
        return ctype;
    }

    @Override
    public String structChar() {
        return itemsize + "s";
    }

    /** The value of a record, whose components are the fields' values in order. In a module of its own it must be open to this one. */
    public StructValue value(Record record) {
        return value(RecordTypes.values(this, Objects.requireNonNull(record, "record")));
    }

    /**
     * A value: an element for each field in order, or a primitive array, a List or an Object[] for a field of several. Numbers must be in
     * range.
     */
    public StructValue value(Object... values) {
        Objects.requireNonNull(values, "values");
        if (values.length != fields.size()) {
            throw new IllegalArgumentException(ctype + " has " + fields.size() + " fields, but " + values.length + " values were given");
        }
        ByteBuffer bytes = ByteBuffer.allocate(itemsize).order(ByteOrder.nativeOrder());
        for (int i = 0; i < values.length; i++) {
            try {
                ElementValues.put(bytes, offsets.get(i), fields.get(i), values[i]);
            } catch (IllegalArgumentException wrong) {
                throw new IllegalArgumentException(ctype + "." + fields.get(i).name + ": " + wrong.getMessage(), wrong);
            }
        }
        return new StructValue(this, bytes.array());
    }

    /** The number type of all fields if they share one: then host data may be an array of such numbers. Else null. */
    DType base() {
        int count = fields.stream().mapToInt(Field::count).sum();
        boolean same = fields.stream().allMatch(field -> field.type == fields.get(0).type);
        return same && fields.get(0).type instanceof DType number && itemsize == count * number.itemsize() ? number : null;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof StructType type && type.ctype.equals(ctype) && type.fields.equals(fields) && type.alignment == alignment;
    }

    @Override
    public int hashCode() {
        return Objects.hash(ctype, fields);
    }

    @Override
    public String toString() {
        return ctype;
    }
}
