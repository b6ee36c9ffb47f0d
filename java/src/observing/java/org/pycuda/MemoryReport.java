package org.pycuda;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is alive: objects by kind, memory by the line of the program that allocated it, and what pools and the device hold. Print it for a
 * table.
 *
 * <pre>{@code
 * MemoryReport.recordAllocations(true);
 * try (var memory = Driver.memAlloc(1000)) {
 *     System.out.println(MemoryReport.now().allocations().get(0).bytes());  // 1000
 * }
 * MemoryReport.recordAllocations(false);
 * }</pre>
 */
public final class MemoryReport {
    private static final int COLUMNS = 4;
    private final Map<String, Long> objects = new LinkedHashMap<>();
    private final List<Allocations> allocations = new ArrayList<>();
    private final Map<String, Long> pool = new LinkedHashMap<>();
    private final Map<String, Long> device = new LinkedHashMap<>();

    /**
     * Live objects of one kind that one line of the program created.
     *
     * @param kind kind of object, such as "device allocation"
     * @param place line of the program, as in a stack trace; empty if unknown
     * @param count number of objects
     * @param bytes memory of them all; 0 for objects that are not memory
     */
    public record Allocations(String kind, String place, long count, long bytes) {}

    private MemoryReport() {}

    /**
     * Reports which objects are alive, and what the current context's memory holds.
     *
     * @return the report; without a current context its {@link #pool} and {@link #device} are empty
     */
    public static MemoryReport now() {
        var report = new MemoryReport();
        rows(false).forEach(row -> report.objects.put(row.kind, row.count));
        report.allocations.addAll(rows(true));
        if (DriverProxy.currentContext() != 0) {
            try (var pool = DeviceMemoryPool.ofCurrentContext()) {
                report.pool.put("in use by arrays", pool.activeBytes());
                report.pool.put("held by their pool", pool.managedBytes());
            }
            var memory = Driver.memGetInfo();
            report.device.put("in use on the device", memory.total() - memory.free());
            report.device.put("of the device", memory.total());
        }
        return report;
    }

    /**
     * Starts or stops recording which line of the program allocates memory. Arrays, page-locked memory, CUDA arrays, textures, modules and
     * streams are recorded too. The CPU device's reports of bad accesses then say which lines allocated and freed the memory.
     * {@code PYCUDA_RECORD_ALLOCATIONS=1} in the environment records from the start. While recording, an allocation, and its end, take one
     * to two microseconds longer.
     *
     * @param on false to stop, and to drop the records
     */
    public static void recordAllocations(boolean on) {
        DriverProxy.recordAllocations(on);
    }

    /** Records from the start, if the environment asks for it. */
    static void recordFromStart() {
        String asked = System.getenv("PYCUDA_RECORD_ALLOCATIONS");
        if (asked != null && !asked.isEmpty() && !asked.equals("0")) {
            recordAllocations(true);
        }
    }

    private static List<Allocations> rows(boolean recorded) {
        var texts = DriverProxy.liveObjects(recorded);
        var rows = new ArrayList<Allocations>();
        for (int i = 0; i < texts.size(); i += COLUMNS) {
            rows.add(new Allocations(texts.get(i), texts.get(i + 1), Long.parseLong(texts.get(i + 2)), Long.parseLong(texts.get(i + 3))));
        }
        return rows;
    }

    /**
     * Returns the number of live objects of each kind.
     *
     * @return numbers by kind, largest first
     */
    public Map<String, Long> objects() {
        return Collections.unmodifiableMap(objects);
    }

    /**
     * Returns the live objects that were allocated since {@link #recordAllocations}.
     *
     * @return a row for each kind and line of the program, largest first
     */
    public List<Allocations> allocations() {
        return Collections.unmodifiableList(allocations);
    }

    /**
     * Returns the contents of the pool of arrays in the current context.
     *
     * @return numbers of bytes by name
     */
    public Map<String, Long> pool() {
        return Collections.unmodifiableMap(pool);
    }

    /**
     * Returns the used and free memory of the current context's device.
     *
     * @return numbers of bytes by name
     */
    public Map<String, Long> device() {
        return Collections.unmodifiableMap(device);
    }

    /**
     * Returns the report as a table.
     *
     * @return a line for each kind, pool and place
     */
    @Override
    public String toString() {
        var lines = new ArrayList<String>();
        var bytes = new LinkedHashMap<>(pool);
        bytes.putAll(device);
        var places = new LinkedHashMap<String, Long>();
        for (var row : allocations) {
            places.put("%s (%,d), %s".formatted(row.kind, row.count, row.place.isEmpty() ? "unknown place" : row.place), row.bytes);
        }
        addPart(lines, "live objects", objects);
        addPart(lines, "bytes of memory", bytes);
        addPart(lines, "bytes by line of the program", places);
        return lines.isEmpty() ? "no live objects" : String.join("\n", lines);
    }

    private static void addPart(List<String> lines, String title, Map<String, Long> rows) {
        if (!rows.isEmpty()) {
            lines.add(title);
        }
        rows.forEach((name, count) -> lines.add("%,16d  %s".formatted(count, name)));
    }
}
