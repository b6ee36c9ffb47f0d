package org.pycuda.compiler;

import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.pycuda.JitOption;
import org.pycuda.MessageHandler;

/** How a {@link DynamicModule} is linked. Immutable: each option returns a changed copy. */
public final class LinkOptions {
    private final Map<JitOption, Integer> options;
    /** May be null. */
    private final MessageHandler messageHandler;
    private final boolean logVerbose;
    private final String cudaLibdir;

    /** The defaults. */
    public LinkOptions() {
        this(Map.of(), null, false, "");
    }

    private LinkOptions(Map<JitOption, Integer> options, MessageHandler messageHandler, boolean logVerbose, String cudaLibdir) {
        this.options = options;
        this.messageHandler = messageHandler;
        this.logVerbose = logVerbose;
        this.cudaLibdir = cudaLibdir;
    }

    /** Options of the driver's linker. */
    public LinkOptions options(Map<JitOption, Integer> values) {
        return new LinkOptions(Map.copyOf(Objects.requireNonNull(values, "options")), messageHandler, logVerbose, cudaLibdir);
    }

    /** Receives the linker's messages, even if linking fails. */
    public LinkOptions messageHandler(MessageHandler value) {
        return new LinkOptions(options, Objects.requireNonNull(value, "messageHandler"), logVerbose, cudaLibdir);
    }

    /** Makes the linker's messages verbose. */
    public LinkOptions logVerbose() {
        return new LinkOptions(options, messageHandler, true, cudaLibdir);
    }

    /** Folder that {@link DynamicModule#addStdlib} searches first. */
    public LinkOptions cudaLibdir(Path value) {
        return new LinkOptions(options, messageHandler, logVerbose, Objects.requireNonNull(value, "cudaLibdir").toString());
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
