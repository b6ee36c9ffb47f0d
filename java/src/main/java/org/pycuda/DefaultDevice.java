package org.pycuda;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;

/** Which device a program gets that asks for none, as in Python's make_default_context. */
final class DefaultDevice {
    private DefaultDevice() {}

    /**
     * Makes a context with {@code maker} on the device that the environment variable CUDA_DEVICE or the file {@code .cuda-device} in
     * the home directory names; without either, on the first device where that succeeds.
     */
    static Context makeContext(Function<Device, Context> maker) {
        Driver.init();
        int count = Device.count();
        if (count == 0) {
            throw new Driver.RuntimeError("no CUDA device was found", "Autoinit.init", 0);
        }
        String chosen = chosenDevice();
        if (chosen != null) {
            return maker.apply(new Device(Integer.parseInt(chosen.strip())));
        }
        Driver.Error first = null;
        for (int i = 0; i < count; i++) {
            try {
                return maker.apply(new Device(i));
            } catch (Driver.Error error) {
                if (first == null) {
                    first = error;
                } else {
                    first.addSuppressed(error);
                }
            }
        }
        var error = new Driver.RuntimeError("no context could be made on any of " + count + " devices", "Autoinit.init", 0);
        error.initCause(first);
        throw error;
    }

    private static String chosenDevice() {
        String variable = System.getenv("CUDA_DEVICE");
        if (variable != null) {
            return variable;
        }
        for (String name : new String[] {".cuda-device", ".cuda_device"}) {
            Path file = Path.of(System.getProperty("user.home", ""), name);
            try {
                if (Files.isRegularFile(file)) {
                    return Files.readString(file);
                }
            } catch (IOException error) {
                throw new Driver.RuntimeError("cannot read " + file + ": " + error.getMessage(), "Autoinit.init", 0);
            }
        }
        return null;
    }
}
