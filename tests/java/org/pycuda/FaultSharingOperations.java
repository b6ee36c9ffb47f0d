package org.pycuda;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.Consumer;

/** Operations of {@link FaultOperations} on memory and events shared between devices or processes. */
final class FaultSharingOperations {
    private FaultSharingOperations() {}

    /** Memory on this device and on another one, whose context is not current. */
    private static final class Peers extends FaultOperations.Things {
        final Stream stream = keep(new Stream());
        final DeviceAllocation near = keep(Driver.memAlloc(64));
        final Context here = Context.current();
        final Context there = keep(new Device(1).makeContext());
        final DeviceAllocation far;
        private boolean reached;

        Peers() {
            var host = new byte[64];
            for (int i = 0; i < host.length; i++) {
                host[i] = (byte) i;
            }
            far = keep(Driver.toDevice(host));
            Context.pop();
        }

        /** Continues where an earlier attempt stopped, in which one call failed. */
        void reach() {
            if (!reached) {
                Context.enablePeerAccess(there);
                reached = true;
            }
            Driver.memcpyDtod(near, far, 64);
            Context.disablePeerAccess(there);
            reached = false;
        }

        Memcpy3DPeer box() {
            var box = new Memcpy3DPeer();
            box.setSrcDevice(far);
            box.setDstDevice(near);
            box.setSrcContext(there);
            box.setDstContext(here);
            box.setWidthInBytes(64);
            box.setSrcPitch(64);
            box.setDstPitch(64);
            box.setHeight(1);
            box.setSrcHeight(1);
            box.setDstHeight(1);
            box.setDepth(1);
            return box;
        }
    }

    /** Another process with memory and an event, whose handles it prints; it ends with this one. */
    static final class Owner {
        private Owner() {}

        public static void main(String[] arguments) throws IOException {
            Driver.init();
            try (var context = new Device(0).makeContext()) {
                var memory = Driver.toDevice(new byte[] {3, 1, 4, 1});
                var event = new Event(EventFlags.INTERPROCESS, EventFlags.DISABLE_TIMING).record().synchronize();
                System.out.println(HexFormat.of().formatHex(Memory.memGetIpcHandle(memory)));
                System.out.println(HexFormat.of().formatHex(event.ipcHandle()));
                System.in.readAllBytes();
                memory.close();
                event.close();
            }
        }
    }

    /** The output of the other process, which the first call starts. */
    private record Handles(byte[] memory, byte[] event) {
        private static Handles known;

        static synchronized Handles get() {
            if (known == null) {
                try {
                    Process owner = ChildJvm.start(Owner.class, Map.of());
                    var lines = new BufferedReader(new InputStreamReader(owner.getInputStream(), StandardCharsets.UTF_8));
                    known = new Handles(HexFormat.of().parseHex(lines.readLine()), HexFormat.of().parseHex(lines.readLine()));
                } catch (IOException failure) {
                    throw new AssertionError(failure);
                }
            }
            return known;
        }
    }

    private static final class OfOtherProcess extends FaultOperations.Things {
        final Handles handles = Handles.get();
        final Stream stream = keep(new Stream());
    }

    private static <S extends FaultOperations.Things> void row(String name, java.util.function.Supplier<S> setup, FaultOperations.Step<S> step) {
        FaultOperations.ALL.add(new FaultOperations.Operation<>(name, setup, step));
    }

    private static void peers(String name, Consumer<Peers> copy) {
        row(name, Peers::new, (peers, made) -> {
            copy.accept(peers);
            peers.stream.synchronize();
            return Driver.fromDevice(peers.near, 64, byte[].class);
        });
    }

    static void add() {
        peers("Context.enablePeerAccess", Peers::reach);
        peers("memcpyPeer.contexts", p -> Copies.memcpyPeer(p.near, p.far, 64, p.here, p.there));
        peers("memcpyPeerAsync.contexts", p -> Copies.memcpyPeerAsync(p.near, p.far, 64, p.here, p.there, p.stream));
        peers("Memcpy3DPeer.contexts", p -> p.box().copy());
        peers("Memcpy3DPeer.contextsAsync", p -> p.box().copy(p.stream));
        row("Device.canAccessPeer.other", FaultOperations.Things::new, (nothing, made) -> new Device(0).canAccessPeer(new Device(1)));
        row("IPCMemoryHandle", OfOtherProcess::new, (other, made) -> {
            try (var memory = new IPCMemoryHandle(other.handles.memory)) {
                return Driver.fromDevice(memory, 4, byte[].class);
            }
        });
        row("Event.fromIpcHandle", OfOtherProcess::new, (other, made) -> {
            try (var event = Event.fromIpcHandle(other.handles.event)) {
                other.stream.waitForEvent(event);
                other.stream.synchronize();
                return event.synchronize().isDone();
            }
        });
    }
}
