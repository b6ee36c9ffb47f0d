package org.pycuda;

import java.util.ArrayList;
import java.util.function.Function;

/** The default device of a program, chosen by the core as in Python's make_default_context. */
final class DefaultDevice {
    private DefaultDevice() {}

    /**
     * Creates a context with {@code maker} on the device that the user chose: the environment variable CUDA_DEVICE, or the number in
     * {@code ~/.cuda_device} or {@code ~/.cuda-device}; without a choice, on the first device where that succeeds.
     */
    static Context makeContext(Function<Device, Context> maker) {
        Driver.init();
        int count = DriverProxy.devicesToTry();
        int chosen = DriverProxy.chosenDevice();
        if (chosen >= 0) {
            return maker.apply(new Device(chosen));
        }
        var reasons = new ArrayList<String>();
        var failures = new ArrayList<Driver.Error>();
        for (int number = 0; number < count; number++) {
            try {
                return maker.apply(new Device(number));
            } catch (Driver.Error error) {
                reasons.add("device " + number + ": " + error.getMessage());
                failures.add(error);
            }
        }
        try {
            DriverProxy.raiseNoDefaultContext(String.join("; ", reasons));
        } catch (Driver.Error error) {
            failures.forEach(error::addSuppressed);
            throw error;
        }
        throw new AssertionError("raiseNoDefaultContext returned");
    }
}
