package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Every public method that takes arrays, with code of the program in the place of each: in the memory that an array wraps, or in the allocator of
 * its results. The code closes all arrays of the call.
 */
class HostileArraysTest implements WithContext {
    private static final int LENGTH = 4;
    private static final int SIZE = LENGTH * Float.BYTES;
    private static final int SELF = -1;
    private Samples samples;
    private int attacks;

    /** How code of the program gets into an array. */
    private enum Way {
        HOLDER {
            @Override
            GPUArray array(Hostile code, DevicePointer memory) {
                return GPUArray.wrap(code.holder(memory), DType.FLOAT32, LENGTH);
            }
        },
        SHIFTED_HOLDER {
            @Override
            GPUArray array(Hostile code, DevicePointer memory) {
                return GPUArray.wrap(code.holder(memory).plus(0), DType.FLOAT32, LENGTH);
            }
        },
        WRAPPED_ARRAY {
            @Override
            GPUArray array(Hostile code, DevicePointer memory) {
                return GPUArray.wrap(HOLDER.array(code, memory), DType.FLOAT32, LENGTH);
            }
        },
        VIEW {
            @Override
            GPUArray array(Hostile code, DevicePointer memory) {
                return HOLDER.array(code, memory).reshape(2, 2).reshape(LENGTH);
            }
        },
        ALLOCATOR {
            @Override
            GPUArray array(Hostile code, DevicePointer memory) {
                return GPUArray.factory().allocator(code.allocator()).zeros(DType.FLOAT32, LENGTH);
            }
        };

        abstract GPUArray array(Hostile code, DevicePointer memory);
    }

    private static boolean isOfArrays(Class<?> type) {
        return type == GPUArray.class || type == GPUArray[].class;
    }

    /** Where arrays are: parameters, and the object itself. */
    private static List<Integer> places(Class<?> owner, Executable member) {
        var places = new ArrayList<Integer>();
        if (owner == GPUArray.class && member instanceof Method && !Modifier.isStatic(member.getModifiers())) {
            places.add(SELF);
        }
        for (int i = 0; i < member.getParameterCount(); i++) {
            if (isOfArrays(member.getParameterTypes()[i])) {
                places.add(i);
            }
        }
        return places;
    }

    /** One call with the code at one place. */
    private final class Cell {
        private final Class<?> owner;
        private final Executable member;
        private final int place;
        private final Way way;
        private final List<GPUArray> arrays = new ArrayList<>();
        private final Hostile code = new Hostile(SIZE, () -> arrays.forEach(GPUArray::close));

        Cell(Class<?> owner, Executable member, int place, Way way) {
            this.owner = owner;
            this.member = member;
            this.place = place;
            this.way = way;
        }

        private GPUArray array(boolean isHostile, DevicePointer memory) {
            GPUArray made = isHostile ? way.array(code, memory) : GPUArray.zeros(DType.FLOAT32, LENGTH);
            arrays.add(made);
            return made;
        }

        private Object value(Class<?> type, int i, DevicePointer memory) {
            if (type == GPUArray[].class) {
                return new GPUArray[] {array(false, memory), array(i == place, memory), array(false, memory)};
            }
            return type == GPUArray.class ? array(i == place, memory) : samples.of(type);
        }

        /** What is wrong; empty if nothing is. If the JVM crashes, the thread's name is the cell. */
        String complaint() {
            Thread thread = Thread.currentThread();
            String before = thread.getName();
            thread.setName(this.toString());
            try (var memory = Driver.memAlloc(SIZE)) {
                Driver.memsetD8(memory, (byte) 0, SIZE);
                Object self = owner == GPUArray.class ? value(owner, SELF, memory) : samples.of(owner);
                Object[] arguments = new Object[member.getParameterCount()];
                for (int i = 0; i < arguments.length; i++) {
                    arguments[i] = value(member.getParameterTypes()[i], i, memory);
                }
                code.arm();
                String complaint = call(self, arguments);
                attacks += code.hasAttacked() ? 1 : 0;
                String damage = code.damage();
                return complaint.isEmpty() && damage.isEmpty() ? "" : this + ": " + complaint + " " + damage;
            } finally {
                arrays.forEach(GPUArray::close);
                thread.setName(before);
            }
        }

        private String call(Object self, Object[] arguments) {
            try {
                Object result = member instanceof Constructor<?> constructor ? constructor.newInstance(arguments) : ((Method) member).invoke(self, arguments);
                return result instanceof GPUArray array ? read(array) : "";
            } catch (InvocationTargetException thrown) {
                return Hostile.isExplained(thrown.getCause()) ? "" : "threw " + thrown.getCause();
            } catch (ReflectiveOperationException impossible) {
                return impossible.toString();
            }
        }

        /** A result must not be others' memory; an empty array may hold what others left there. */
        private String read(GPUArray result) {
            if (member.getName().startsWith("empty")) {
                return "";
            }
            try (var copy = result.copy()) {
                byte[] bytes = Driver.fromDevice(copy, (int) copy.nbytes(), byte[].class);
                byte[] canaries = new byte[bytes.length];
                Arrays.fill(canaries, Hostile.CANARY);
                return bytes.length > 0 && Arrays.equals(bytes, canaries) ? "read memory of others" : "";
            } catch (Driver.LogicError closed) {
                return "";
            }
        }

        @Override
        public String toString() {
            return member + ", " + way + " as " + (place == SELF ? "the object" : "argument " + place);
        }
    }

    @Test
    void codeThatClosesTheArraysOfACall() {
        samples = new Samples();
        List<String> complaints = new ArrayList<>();
        for (Class<?> owner : Samples.publicClasses()) {
            for (Executable member : NullsTest.members(owner).toList()) {
                for (int place : places(owner, member)) {
                    for (Way way : Way.values()) {
                        complaints.add(new Cell(owner, member, place, way).complaint());
                    }
                }
            }
        }
        complaints.removeIf(String::isEmpty);
        assertEquals("", String.join("\n", complaints));
        assertTrue(attacks > 1000, attacks + " attacks");
    }
}
