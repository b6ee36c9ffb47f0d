package org.pycuda;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.LongConsumer;

/** Lists of objects, which are passed to native code as the addresses of their C++ objects. */
final class ProxyLists {
    /** Creates the Java object of {@code addresses[index]}, and {@link #take takes} the address once it has memory for that. */
    interface Maker<T> {
        T make(long[] addresses, int index);
    }

    private ProxyLists() {}

    static long[] addresses(List<? extends Proxy> objects, String name) {
        Objects.requireNonNull(objects, name);
        return objects.stream().mapToLong(object -> Objects.requireNonNull(object, name).swigCPtr).toArray();
    }

    /** New objects of native code. Those that the JVM has no memory for are deleted. */
    static <T extends Proxy> List<T> of(long[] addresses, Maker<T> maker, LongConsumer delete) {
        try {
            var list = new ArrayList<T>(addresses.length);
            for (int i = 0; i < addresses.length; i++) {
                list.add(maker.make(addresses, i));
            }
            return Collections.unmodifiableList(list);
        } catch (VirtualMachineError full) {
            for (long left : addresses) {
                if (left != 0) {
                    delete.accept(left);
                }
            }
            throw full;
        }
    }

    /** As an argument of a constructor, this runs after the JVM has allocated the object, which then owns the C++ object. */
    static long take(long[] addresses, int index) {
        long taken = addresses[index];
        addresses[index] = 0;
        return taken;
    }
}
