import java.security.MessageDigest;
import java.util.HexFormat;
import org.pycuda.Context;
import org.pycuda.Device;
import org.pycuda.Driver;
import org.pycuda.FunctionAttribute;
import org.pycuda.compiler.SourceModule;

/** Compiles a source that is right and one that is wrong; compiling.py does the same. The cache is PYCUDA_CACHE_DIR. */
public final class Compiling {
    private static final String SOURCE = """

        __global__ void twice(float *data, int n)
        {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n)
                data[i] = 2.0f * data[i];
        }
        """;
    private static final String WRONG = "__global__ void wrong() { no_such_function(); }";

    private static String python(boolean value) {
        return value ? "True" : "False";
    }

    public static void main(String[] arguments) throws Exception {
        Driver.init();
        new Device(0).makeContext();
        var image = SourceModule.compile(SOURCE);
        System.out.println("image " + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(image)));
        var function = Driver.moduleFromBuffer(image).function("twice");
        System.out.println("function " + python(function.attribute(FunctionAttribute.NUM_REGS) > 0));
        try {
            SourceModule.compile(WRONG);
        } catch (Driver.CompileError error) {
            System.out.println("error " + error.getClass().getSimpleName() + " " + error.msg().split(" of ")[0]);
            System.out.println("says where " + python(error.stderr().contains("no_such_function"))
                + " shows the command " + python(!error.commandLine().isEmpty()));
        }
        Context.pop();
    }
}
