package org.pycuda;

/** State of launches in steps (setBlockShape, paramSet, launchGrid), which CUDA itself deprecated long ago. */
final class DeprecatedLaunch {
    LaunchConfig block = Driver.block(1);
    int sharedBytes;
    private final Function function;
    private final ArgumentBlock parameters = new ArgumentBlock(ArgumentBlock.CAPACITY);
    private int nbytes;
    /** Device memory among the arguments stays alive until others are set. */
    private Object[] arguments = {};

    DeprecatedLaunch(Function function) {
        this.function = function;
    }

    void set(Object[] values) {
        for (Object value : values) {
            if (value instanceof ArgumentHandler) {
                throw new IllegalArgumentException("paramSet cannot copy: pass In, Out and InOut to launch(LaunchConfig, Object...)");
            }
        }
        nbytes = ArgumentPacker.pack(parameters, function.layout(), values, null);
        arguments = values.clone();
    }

    void setSize(int bytes) {
        if (bytes < 0 || bytes > ArgumentBlock.CAPACITY) {
            throw new IllegalArgumentException("a parameter block can have 0 to " + ArgumentBlock.CAPACITY + " bytes, not " + bytes);
        }
        nbytes = bytes;
    }

    void setInt(int offset, int value) {
        parameters.bytes.putInt(inside(offset), value);
    }

    void setFloat(int offset, float value) {
        parameters.bytes.putFloat(inside(offset), value);
    }

    private int inside(int offset) {
        if (offset < 0 || offset + 4 > ArgumentBlock.CAPACITY) {
            throw new IllegalArgumentException("not a valid offset in a parameter block: " + offset);
        }
        nbytes = Math.max(nbytes, offset + 4);
        return offset;
    }

    void launch(int width, int height, Stream stream) {
        for (Object argument : arguments) {
            if (argument instanceof PointerHolderBase holder) {
                Holders.ask(holder, stream);
            }
        }
        LaunchConfig config = block.grid(width, height).shared(sharedBytes).stream(stream);
        function.launchPacked(config, parameters, nbytes);
        java.lang.ref.Reference.reachabilityFence(arguments);
    }
}
