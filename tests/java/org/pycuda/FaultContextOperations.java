package org.pycuda;

import java.util.List;

/** Operations of {@link FaultOperations} in the primary context: green contexts. */
final class FaultContextOperations {
    private FaultContextOperations() {}

    private interface Use {
        Object with(GreenContext green, FaultOperations.Things made);
    }

    private static void row(String name, Use use) {
        FaultOperations.ALL.add(new FaultOperations.Operation<>(name, FaultOperations.Things::new, (nothing, made) -> {
            try (var scope = made.keep(new Device(0).retainPrimaryContext()).pushed()) {
                return use.with(made.keep(new GreenContext(all().split(1, 1).subList(0, 1))), made);
            }
        }));
    }

    private static SMResource all() {
        return new SMResource(new Device(0));
    }

    static void add() {
        FaultOperations.ALL.add(new FaultOperations.Operation<>("SMResource.split", FaultOperations.Things::new,
            (nothing, made) -> all().split(1).stream().map(SMResource::smCount).toList()));
        FaultOperations.ALL.add(new FaultOperations.Operation<>("Context.close.primary", FaultOperations.Things::new, (nothing, made) -> {
            try (var primary = new Device(0).retainPrimaryContext(); var scope = primary.pushed()) {
                return Driver.memGetInfo().total();
            }
        }));
        row("GreenContext", (green, made) -> {
            Stream stream = made.keep(green.createStream());
            Event event = made.keep(new Event());
            DeviceAllocation memory = made.keep(Driver.memAlloc(16));
            Driver.memsetD8Async(memory, (byte) 1, 16, stream);
            green.recordEvent(event);
            green.waitForEvent(event);
            green.synchronize();
            return List.of(green.smResource().smCount(), Driver.fromDevice(memory, 4, int[].class)[0]);
        });
        row("GreenContext.asContext", (green, made) -> {
            try (var scope = made.keep(green.asContext()).pushed()) {
                made.keep(new Stream()).synchronize();
            }
            return "done";
        });
    }
}
