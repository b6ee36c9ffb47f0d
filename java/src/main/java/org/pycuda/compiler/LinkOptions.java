package org.pycuda.compiler;

import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.pycuda.JitOption;
import org.pycuda.MessageHandler;

/** How a {@link DynamicModule} is linked. Every method returns this. */
public final class LinkOptions {
    private Map<JitOption, Integer> options = Map.of();
    private MessageHandler messageHandler;
    private boolean logVerbose;
    private String cudaLibdir = "";

    /** The defaults. */
    public LinkOptions() {}

    /** Options of the driver's linker. */
    public LinkOptions options(Map<JitOption, Integer> values) {
        options = Map.copyOf(Objects.requireNonNull(values, "options"));
        return this;
    }

    /** Receives the linker's messages, even if linking fails. */
    public LinkOptions messageHandler(MessageHandler value) {
        messageHandler = Objects.requireNonNull(value, "messageHandler");
        return this;
    }

    /** Whether the linker's messages are verbose. */
    public LinkOptions logVerbose(boolean value) {
        logVerbose = value;
        return this;
    }

    /** Folder that {@link DynamicModule#addStdlib} searches first. */
    public LinkOptions cudaLibdir(Path value) {
        cudaLibdir = Objects.requireNonNull(value, "cudaLibdir").toString();
        return this;
    }

    Linker newLinker() {
        int[] settings = options.entrySet().stream()
            .flatMapToInt(entry -> java.util.stream.IntStream.of(entry.getKey().value(), entry.getValue())).toArray();
        return CompilerCore.makeLinker(settings, logVerbose);
    }

    /** May be null. */
    MessageHandler messageHandler() {
        return messageHandler;
    }

    String libraryFolder() {
        return cudaLibdir;
    }
}
