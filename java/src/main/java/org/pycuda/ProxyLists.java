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

    /** A copy, which keeps the elements: a list may make them on demand. */
    static <T extends Proxy> List<T> copy(List<T> objects, String name) {
        var copy = new ArrayList<T>();
        for (T object : Objects.requireNonNull(objects, name)) {
            copy.add(Objects.requireNonNull(object, name));
        }
        return copy;
    }

    /** Of a {@link #copy}, which must stay reachable while the addresses are used. */
    static long[] addresses(List<? extends Proxy> objects) {
        return objects.stream().mapToLong(object -> object.swigCPtr).toArray();
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
