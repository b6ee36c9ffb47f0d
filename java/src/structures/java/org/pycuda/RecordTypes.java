package org.pycuda;

import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/** Java records as C structures: each component is a field. */
final class RecordTypes {
    /** By the record's class, kept as long as the class. Empty until the structure is first requested. */
    private static final ClassValue<AtomicReference<StructType>> TYPES = new ClassValue<>() {
        @Override
        protected AtomicReference<StructType> computeValue(Class<?> type) {
            return new AtomicReference<>();
        }
    };

    private RecordTypes() {}

    static StructType of(Class<?> type) {
        StructType known = TYPES.get(type).get();
        return known != null ? known : of(type.getSimpleName(), type);
    }

    /** The same with the name {@code ctype}, which it keeps. */
    static StructType of(String ctype, Class<?> type) {
        AtomicReference<StructType> named = TYPES.get(type);
        if (named.get() == null) {
            named.compareAndSet(null, make(ctype, type));
        }
        StructType known = named.get();
        if (!known.ctype().equals(ctype)) {
            throw new IllegalArgumentException("kernels already know the record " + type.getName() + " as " + known + ": choose its name before its first use");
        }
        return known;
    }

    /** IllegalArgumentException if a record is a part of itself. */
    private static void requireFinite(Class<?> type, Set<Class<?>> outer) {
        if (!outer.add(type)) {
            throw new IllegalArgumentException("the record " + type.getName() + " contains itself: a C structure would have no size");
        }
        for (RecordComponent component : type.getRecordComponents()) {
            if (component.getType().isRecord() && component.getType() != Complex.class) {
                requireFinite(component.getType(), outer);
            }
        }
        outer.remove(type);
    }

    private static StructType make(String ctype, Class<?> type) {
        if (!type.isRecord()) {
            throw new IllegalArgumentException(type.getName() + " is not a record");
        }
        requireFinite(type, new HashSet<>());
        StructType.Field[] fields = Arrays.stream(type.getRecordComponents())
            .map(component -> StructType.field(component.getName(), typeOf(type, component))).toArray(StructType.Field[]::new);
        CType other = TypeNames.find(ctype);
        if (other != null && !(other instanceof StructType struct && struct.fields().equals(List.of(fields)))) {
            throw new IllegalArgumentException("kernels know another type as " + ctype + ", " + TypeNames.describe(other) + ": give the record " + type.getName()
                + " another name, with StructType.of(ctype, record), before its first use");
        }
        return StructType.of(ctype, fields);
    }

    private static CType typeOf(Class<?> owner, RecordComponent component) {
        Class<?> type = component.getType();
        if (type == Complex.class) {
            return DType.COMPLEX128;
        } else if (type.isRecord()) {
            return of(type);
        } else if (type.isPrimitive()) {
            return HostElements.typeOf(Array.newInstance(type, 0));
        }
        throw new IllegalArgumentException("component " + component.getName() + " of " + owner.getName() + " is a " + type.getTypeName()
            + ": expected a primitive type, Complex or another record; name the type of each field with StructType.of(ctype, fields)");
    }

    /** The values of the components, one for each field of {@code type}. */
    static Object[] values(StructType type, Record value) {
        RecordComponent[] components = components(type, value.getClass());
        Object[] values = new Object[components.length];
        for (int i = 0; i < values.length; i++) {
            try {
                components[i].getAccessor().setAccessible(true);
                Object part = components[i].getAccessor().invoke(value);
                CType field = type.fields().get(i).type();
                values[i] = part instanceof Record nested && field instanceof StructType struct ? struct.value(nested) : part;
            } catch (ReflectiveOperationException failure) {
                throw new IllegalArgumentException(value.getClass().getName() + "." + components[i].getName() + " cannot be read", failure);
            }
        }
        return values;
    }

    private static RecordComponent[] components(StructType type, Class<?> record) {
        RecordComponent[] components = record.getRecordComponents();
        if (components.length != type.fields().size()) {
            throw new IllegalArgumentException(type + " has " + type.fields().size() + " fields, but " + record.getName() + " has "
                + components.length + " components");
        }
        return components;
    }

    /** The structure at {@code offset} as a record. */
    static <R> R read(Class<R> record, StructType type, ByteBuffer bytes, int offset) {
        RecordComponent[] components = components(type, record);
        Object[] values = new Object[components.length];
        Class<?>[] types = new Class<?>[components.length];
        for (int i = 0; i < values.length; i++) {
            StructType.Field field = type.fields().get(i);
            types[i] = components[i].getType();
            values[i] = part(types[i], field, bytes, offset + type.offset(field.name()));
        }
        try {
            var constructor = record.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor.newInstance(values);
        } catch (InvocationTargetException refused) {
            throw new IllegalArgumentException(record.getName() + " cannot be created from " + type + ": its constructor threw " + refused.getCause(), refused.getCause());
        } catch (ReflectiveOperationException failure) {
            throw new IllegalArgumentException(record.getName() + " cannot be created from " + type + ": " + failure, failure);
        }
    }

    private static Object part(Class<?> wanted, StructType.Field field, ByteBuffer bytes, int offset) {
        if (!wanted.isArray()) {
            return element(wanted, field.type(), bytes, offset);
        }
        Object array = Array.newInstance(wanted.getComponentType(), field.count());
        for (int i = 0; i < field.count(); i++) {
            Array.set(array, i, element(wanted.getComponentType(), field.type(), bytes, offset + i * field.type().itemsize()));
        }
        return array;
    }

    private static Object element(Class<?> wanted, CType type, ByteBuffer bytes, int offset) {
        if (type instanceof StructType struct) {
            return read(wanted, struct, bytes, offset);
        }
        Object number = ElementValues.get(bytes, offset, (DType) type);
        if (number instanceof Complex || wanted == boolean.class) {
            return number instanceof Complex ? number : (Object) (((Number) number).doubleValue() != 0);
        }
        Number value = (Number) number;
        if (wanted == double.class) {
            return value.doubleValue();
        } else if (wanted == float.class) {
            return value.floatValue();
        } else if (wanted == long.class) {
            return value.longValue();
        } else if (wanted == int.class) {
            return value.intValue();
        } else if (wanted == short.class) {
            return value.shortValue();
        } else if (wanted == byte.class) {
            return value.byteValue();
        } else if (wanted == char.class) {
            return (char) value.intValue();
        }
        throw new IllegalArgumentException("expected a " + wanted.getTypeName() + ", given a " + type);
    }
}
