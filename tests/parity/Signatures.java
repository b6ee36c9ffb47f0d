import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The declarations that a client of one public class compiles against, as text: what must not change by accident. */
final class Signatures {
    private Signatures() {}

    /** The class's header, then its constructors, methods and fields, each group sorted. Enums and flags: the header alone. */
    static List<String> of(Class<?> type) {
        List<String> lines = new ArrayList<>();
        lines.add(header(type));
        if (type.isEnum()) {
            return lines;
        }
        String owner = Surface.nameOf(type);
        lines.addAll(sorted(Arrays.stream(type.getDeclaredConstructors())
            .filter(made -> isVisible(made, type)).map(made -> constructor(owner, made))));
        lines.addAll(sorted(methods(type).filter(method -> !isImplied(type, method)).map(method -> method(owner, method))));
        lines.addAll(sorted(Arrays.stream(type.getFields()).filter(field -> field.getType() != int.class)
            .filter(field -> !field.getDeclaringClass().getName().startsWith("java.")).map(field -> field(owner, field))));
        return lines;
    }

    private static String header(Class<?> type) {
        String kind = type.isRecord() ? "record" : type.isEnum() ? "enum" : type.isInterface() ? "interface" : "class";
        String components = type.isRecord()
            ? Arrays.stream(type.getRecordComponents()).map(Signatures::component).collect(Collectors.joining(", ", "(", ")")) : "";
        Class<?> base = type.getSuperclass();
        boolean plain = base == null || base == Object.class || type.isRecord() || type.isEnum();
        String bases = Stream.concat(plain ? Stream.empty() : Stream.of(publicBase(base)), interfaces(type).sorted())
            .filter(name -> !name.isEmpty()).distinct().collect(Collectors.joining(", "));
        return modifiers(type.getModifiers() & (Modifier.ABSTRACT | Modifier.FINAL), type) + kind + " " + Surface.nameOf(type)
            + components + (bases.isEmpty() ? "" : ": " + bases);
    }

    /** The next class above that clients can name; classes of ours that are not public may come and go. */
    private static String publicBase(Class<?> base) {
        Class<?> named = base;
        while (named != Object.class && !Surface.isPublic(named)) {
            named = named.getSuperclass();
        }
        return named == Object.class ? "" : name(named);
    }

    private static Stream<String> interfaces(Class<?> type) {
        Stream<String> own = Arrays.stream(type.getInterfaces()).filter(face -> Modifier.isPublic(face.getModifiers()))
            .map(Signatures::name);
        Class<?> base = type.getSuperclass();
        boolean hidden = base != null && !Surface.isPublic(base);
        return hidden ? Stream.concat(own, interfaces(base)) : own;
    }

    private static String modifiers(int modifiers, Class<?> type) {
        int shown = type.isInterface() || type.isEnum() || type.isRecord() ? 0 : modifiers;
        return shown == 0 ? "" : Modifier.toString(shown) + " ";
    }

    private static String component(RecordComponent component) {
        return name(component.getGenericType()) + " " + component.getName();
    }

    /** Public methods of the class, also those that it has from classes of ours that are not public; protected ones, if it can be extended. */
    private static Stream<Method> methods(Class<?> type) {
        Stream<Method> visible = Arrays.stream(type.getMethods());
        if (!Modifier.isFinal(type.getModifiers())) {
            visible = Stream.concat(visible,
                Arrays.stream(type.getDeclaredMethods()).filter(method -> Modifier.isProtected(method.getModifiers())));
        }
        return visible.filter(method -> !method.isSynthetic() && !method.getDeclaringClass().getName().startsWith("java."));
    }

    /** What a record's header says already, and what every object has. */
    private static boolean isImplied(Class<?> type, Method method) {
        if (type.isRecord() && method.getParameterCount() == 0
            && Arrays.stream(type.getRecordComponents()).anyMatch(part -> part.getName().equals(method.getName()))) {
            return true;
        }
        return (method.getName().equals("equals") && method.getParameterCount() == 1)
            || (Arrays.asList("hashCode", "toString").contains(method.getName()) && method.getParameterCount() == 0);
    }

    private static boolean isVisible(Executable member, Class<?> type) {
        return !member.isSynthetic() && (Modifier.isPublic(member.getModifiers())
            || (Modifier.isProtected(member.getModifiers()) && !Modifier.isFinal(type.getModifiers())));
    }

    private static String constructor(String owner, Constructor<?> made) {
        return start(made) + "new " + owner + parameters(made);
    }

    private static String method(String owner, Method method) {
        return start(method) + name(method.getGenericReturnType()) + " " + owner + "." + method.getName() + parameters(method);
    }

    private static String start(Executable member) {
        String deprecated = member.isAnnotationPresent(Deprecated.class) ? "@Deprecated " : "";
        String modifiers = Modifier.toString(member.getModifiers() & (Modifier.STATIC | Modifier.PROTECTED));
        return deprecated + modifiers + (modifiers.isEmpty() ? "" : " ");
    }

    private static String field(String owner, Field field) {
        return Modifier.toString(field.getModifiers() & (Modifier.STATIC | Modifier.FINAL)) + " " + name(field.getGenericType()) + " " + owner
            + "." + field.getName();
    }

    private static String parameters(Executable member) {
        String list = Arrays.stream(member.getGenericParameterTypes()).map(Signatures::name).collect(Collectors.joining(", ", "(", ")"));
        return member.isVarArgs() ? list.replaceAll("\\[]\\)$", "...)") : list;
    }

    /** The type without packages. */
    private static String name(Type type) {
        return type.getTypeName().replaceAll("\\b(?:[a-z_]\\w*\\.)+(?=[A-Z])", "").replace("Driver$", "").replace('$', '.');
    }

    private static List<String> sorted(Stream<String> lines) {
        return lines.sorted().toList();
    }
}
