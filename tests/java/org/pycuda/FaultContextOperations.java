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

    /** An operation in the tests' own context. */
    private static void plain(String name, FaultOperations.Step<FaultOperations.Things> step) {
        FaultOperations.ALL.add(new FaultOperations.Operation<>(name, FaultOperations.Things::new, step));
    }

    private static SMResource all() {
        return new SMResource(new Device(0));
    }

    /** Properties of devices, settings of contexts and streams. */
    private static void addSettings() {
        var device = new Device(0);
        plain("Device.links", (nothing, made) -> List.of(device.uuid(), device.primaryContextFlags(), device.hostAtomicCapabilities(AtomicOperation.CAS),
            device.maxLinearTextureWidth(ArrayFormat.FLOAT, 1)));
        plain("Device.graphMemory", (nothing, made) -> {
            device.trimGraphMemory();
            device.resetGraphMemory(GraphMemAttribute.USED_MEM_HIGH);
            device.setPrimaryContextFlags(device.primaryContextFlags().toArray(CtxFlags[]::new));
            return device.graphMemory(GraphMemAttribute.USED_MEM_HIGH);
        });
        plain("Context.flags", (nothing, made) -> {
            Context.setFlags(Context.flags().toArray(CtxFlags[]::new));
            Context.resetPersistingL2Cache();
            return List.of(Context.current().id() > 0, Context.executionAffinity(), SMResource.ofContext(Context.current()).smCount());
        });
        plain("Stream.attributes", (nothing, made) -> {
            Stream stream = made.keep(new Stream());
            stream.setAttribute(LaunchAttribute.SYNCHRONIZATION_POLICY, SynchronizationPolicy.YIELD);
            stream.copyAttributes(stream);
            return List.of(stream.id() > 0, stream.device().handle(), stream.attribute(LaunchAttribute.SYNCHRONIZATION_POLICY));
        });
        plain("Stream.writeValue32", (nothing, made) -> {
            Stream stream = made.keep(new Stream());
            Event event = made.keep(new Event());
            var words = made.keep(Driver.memAlloc(16));
            stream.writeValue32(words, 7);
            stream.waitValue32(words, 7);
            stream.writeValue64(words.plus(8), 8);
            stream.waitValue64(words.plus(8), 8);
            new MemoryOperations().writeValue32(words.plus(4), 9).queue(stream);
            event.recordExternal(stream);
            stream.waitForExternalEvent(event);
            stream.synchronize();
            return Driver.fromDevice(words, 2, int[].class)[1];
        });
    }

    static void add() {
        addSettings();
        FaultOperations.ALL.add(new FaultOperations.Operation<>("SMResource.splitInto", FaultOperations.Things::new,
            (nothing, made) -> all().splitInto(new SMGroups().add(1)).stream().map(SMResource::smCount).toList()));
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
