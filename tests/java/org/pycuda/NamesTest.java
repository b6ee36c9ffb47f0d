package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every public name in the lists in the folder names exists. */
class NamesTest {
    private static List<String> lines(String list) throws IOException {
        try (InputStream file = NamesTest.class.getResourceAsStream("names/" + list + ".txt")) {
            String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
            return text.replaceAll("\n +", " ").lines().filter(line -> !line.isBlank() && !line.startsWith("#")).toList();
        }
    }

    private static Set<String> membersOf(Class<?> type) {
        Set<String> names = new LinkedHashSet<>();
        Stream.of(type.getMethods(), type.getFields()).flatMap(Arrays::stream).forEach(member -> names.add(member.getName()));
        Arrays.stream(type.getClasses()).forEach(nested -> names.add(nested.getSimpleName()));
        if (type.getConstructors().length > 0) {
            names.add("new");
        }
        return names;
    }

    @ParameterizedTest
    @ValueSource(strings = {"arrays", "driver"})
    void everyNameIsThere(String list) throws IOException {
        List<String> missing = new ArrayList<>();
        int found = 0;
        for (String line : lines(list)) {
            String[] parts = line.split(":", 2);
            var type = Samples.publicClasses().stream().filter(one -> one.getCanonicalName().equals("org.pycuda." + parts[0])).findFirst();
            if (type.isEmpty()) {
                missing.add(parts[0]);
                continue;
            }
            Set<String> members = membersOf(type.get());
            for (String name : parts[1].trim().split(" +")) {
                if (name.isEmpty() || members.contains(name)) {
                    found++;
                } else {
                    missing.add(parts[0] + "." + name);
                }
            }
        }
        assertEquals(List.of(), missing);
        assertTrue(found > 50, found + " names");
    }
}
