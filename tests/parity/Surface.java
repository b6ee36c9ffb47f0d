import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.pycuda.Driver;

/**
 * Prints the public surface of the Java package, one name a line; surface.py does the same for Python. With the argument {@code
 * signatures} it prints every declaration instead ({@link Signatures}).
 */
public final class Surface {
    /** What every class has. */
    private static final Set<String> HIDDEN =
        Set.of("equals", "hashCode", "toString", "getClass", "notify", "notifyAll", "wait");

    private static final int STATIC_FINAL = Modifier.STATIC | Modifier.FINAL;

    private static List<Class<?>> publicClasses() throws Exception {
        var source = Path.of(Driver.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        if (Files.isDirectory(source)) {
            return classesUnder(source);
        }
        try (FileSystem jar = FileSystems.newFileSystem(URI.create("jar:" + source.toUri()), Map.of())) {
            return classesUnder(jar.getPath("/"));
        }
    }

    private static List<Class<?>> classesUnder(Path root) throws IOException {
        try (var files = Files.walk(root.resolve("org/pycuda"))) {
            return files.map(file -> root.relativize(file).toString())
                .filter(name -> name.endsWith(".class") && !name.endsWith("-info.class"))
                .map(name -> load(name.replace('/', '.').replaceAll("\\.class$", "")))
                .filter(Surface::isPublic)
                .sorted(Comparator.comparing(Class::getName))
                .collect(Collectors.toList());
        }
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, Surface.class.getClassLoader());
        } catch (ClassNotFoundException error) {
            throw new IllegalStateException(error);
        }
    }

    /** Whether clients can name it. Generated bases of hand-written classes do not count: their members show in those. */
    static boolean isPublic(Class<?> type) {
        if (type.getSimpleName().endsWith("Proxy") || (type != Driver.class && type.isAssignableFrom(Driver.class))) {
            return false;
        }
        for (Class<?> outer = type; outer != null; outer = outer.getEnclosingClass()) {
            if (!Modifier.isPublic(outer.getModifiers()) || outer.isAnonymousClass() || outer.isLocalClass()) {
                return false;
            }
        }
        return true;
    }

    /** Nested classes of Driver are the module's own; others show where they are nested. */
    static String nameOf(Class<?> type) {
        var outer = type.getEnclosingClass();
        return (outer == null || outer == Driver.class ? "" : nameOf(outer) + ".") + type.getSimpleName();
    }

    private static List<Field> constantsOf(Class<?> type, Class<?> kind) {
        return Arrays.stream(type.getDeclaredFields())
            .filter(field -> Modifier.isPublic(field.getModifiers()) && field.getType() == kind)
            .filter(field -> (field.getModifiers() & STATIC_FINAL) == STATIC_FINAL)
            .collect(Collectors.toList());
    }

    private static void show(Class<?> type) throws ReflectiveOperationException {
        if (Throwable.class.isAssignableFrom(type)) {
            var base = type.getSuperclass();
            var baseName = base.getName().startsWith("java.") ? "" : nameOf(base);
            System.out.println("exception " + nameOf(type) + "(" + baseName + ")");
        } else if (type.isEnum() && methodNames(type).contains("value")) {
            var value = type.getMethod("value");
            for (Field field : constantsOf(type, type)) {
                showConstant(nameOf(type) + "." + field.getName(), value.invoke(field.get(null)));
            }
        } else if (type == Driver.class) {
            showDriver();
        } else {
            showClass(type);
        }
    }

    private static void showConstant(String name, Object value) {
        System.out.println("constant " + name + " = " + value);
    }

    private static void showDriver() throws ReflectiveOperationException {
        for (Field field : Driver.class.getFields()) {
            if (field.getType() == int.class) {
                showConstant(field.getName(), field.getInt(null));
            } else if (field.getType().isEnum()) {
                showConstant(field.getName(), field.getType().getMethod("value").invoke(field.get(null)));
            } else {
                System.out.println("data " + field.getName());
            }
        }
        methodNames(Driver.class).forEach(name -> System.out.println("function " + name));
    }

    private static void showClass(Class<?> type) {
        System.out.println("class " + nameOf(type));
        methodNames(type).forEach(name -> System.out.println("method " + nameOf(type) + "." + name));
    }

    private static List<String> methodNames(Class<?> type) {
        return Arrays.stream(type.getMethods())
            .filter(method -> !HIDDEN.contains(method.getName()) && !method.isSynthetic())
            .filter(method -> !method.getDeclaringClass().getName().startsWith("java."))
            .map(Method::getName).distinct().sorted().collect(Collectors.toList());
    }

    public static void main(String[] arguments) throws Exception {
        boolean signatures = Arrays.asList(arguments).contains("signatures");
        for (Class<?> type : publicClasses()) {
            if (signatures) {
                Signatures.of(type).forEach(System.out::println);
            } else {
                show(type);
            }
        }
    }
}
