package org.pycuda;

import java.util.List;

/** Operations of {@link FaultOperations} in the primary context: green contexts. */
final class FaultContextOperations {
    private FaultContextOperations() {}

    private interface Use {
        Object with(GreenContext green);
    }

    private static void row(String name, FaultOperations.Step<FaultOperations.Things> step) {
        FaultOperations.ALL.add(new FaultOperations.Operation<>(name, FaultOperations.Things::new, step));
    }

    private static SMResource all() {
        return new SMResource(new Device(0));
    }

    private static Object inPrimaryContext(Use use) {
        try (var primary = new Device(0).retainPrimaryContext(); var scope = primary.pushed();
                var green = new GreenContext(all().split(1, 1).subList(0, 1))) {
            return use.with(green);
        }
    }

    static void add() {
        row("SMResource.split", (nothing, made) -> all().split(1).stream().map(SMResource::smCount).toList());
        row("GreenContext", (nothing, made) -> inPrimaryContext(green -> {
            try (var stream = green.createStream(); var event = new Event(); var memory = Driver.memAlloc(16)) {
                Driver.memsetD8Async(memory, (byte) 1, 16, stream);
                green.recordEvent(event);
                green.waitForEvent(event);
                green.synchronize();
                return List.of(green.smResource().smCount(), Driver.fromDevice(memory, 4, int[].class)[0]);
            }
        }));
        row("GreenContext.asContext", (nothing, made) -> inPrimaryContext(green -> {
            try (var context = green.asContext(); var inside = context.pushed(); var stream = new Stream()) {
                stream.synchronize();
                return Context.getDevice().getHandle();
            }
        }));
    }
}
