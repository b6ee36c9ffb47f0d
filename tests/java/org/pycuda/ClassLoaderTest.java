package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pycuda.spi.NativeBundle;

/** Like an application server: each version of an application has its own jars and is unloaded as a whole. */
@Tag("child")
class ClassLoaderTest {
    private static URL place(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }

    /** Use the package and everything that it caches: arrays, host data, errors, memory of an allocator, and objects that are not closed. */
    public static final class Application implements Runnable {
        /** An object that an application leaves in a static field. */
        static GPUArray left;

        @Override
        public void run() {
            Autoinit.init();
            left = GPUArray.arange(DType.FLOAT32, 100);
            var sum = GPUArray.factory().allocator(Driver::memAlloc).toGpu(new float[] {1, 2, 3}).add(1).sum();
            try (var scope = new ArrayScope()) {
                if (sum.getFloat() + left.sum().getFloat() != 4959) {
                    throw new IllegalStateException("wrong sum");
                }
            }
            try {
                new Device(1000);
                throw new IllegalStateException("there is a device 1000");
            } catch (Driver.LogicError expected) {
                new Stream();
            }
            Autoinit.context().detach();
        }
    }

    /** Runs one application in its own class loader. */
    private static WeakReference<ClassLoader> run(URL[] places) throws Exception {
        try (var loader = new URLClassLoader(places, ClassLoader.getPlatformClassLoader())) {
            ((Runnable) loader.loadClass(Application.class.getName()).getConstructor().newInstance()).run();
            return new WeakReference<>(loader);
        }
    }

    /** Prints how many class loaders are left; runs in a separate JVM. */
    static final class Reload {
        public static void main(String[] arguments) throws Exception {
            List<URL> places = new ArrayList<>(List.of(place(Driver.class), place(ClassLoaderTest.class)));
            for (var bundle : ServiceLoader.load(NativeBundle.class, Driver.class.getClassLoader())) {
                places.add(place(bundle.getClass()));
            }
            var loaders = new ArrayList<WeakReference<ClassLoader>>();
            for (int i = 0; i < 3; i++) {
                loaders.add(run(places.toArray(URL[]::new)));
            }
            long left = loaders.size();
            for (long deadline = System.nanoTime() + 20_000_000_000L; left > 0 && System.nanoTime() < deadline;) {
                System.gc();
                Thread.sleep(50);
                left = loaders.stream().filter(loader -> loader.get() != null).count();
            }
            System.out.println("left " + left);
        }
    }

    @Test
    void anUnloadedApplicationCanBeCollected() {
        Assumptions.assumeTrue(System.getProperty("org.pycuda.library") == null, "a library file can be loaded only once");
        var child = ChildJvm.run(Reload.class);
        assertEquals("left 0", child.out().strip(), child.err());
    }
}
