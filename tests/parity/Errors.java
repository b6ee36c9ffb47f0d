import org.pycuda.Context;
import org.pycuda.Device;
import org.pycuda.Driver;

/**
 * Shows the error that each failure of a driver call becomes; errors.py does the same.
 *
 * <p>The argument is the number of calls to make. PYCUDA_CPU_FAULTS lets each of them fail with a code of its own.
 */
public final class Errors {
    public static void main(String[] arguments) {
        Driver.init();
        new Device(0).makeContext();
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            try {
                Driver.memGetInfo();
            } catch (Driver.Error error) {
                System.out.println(
                    "error " + error.code() + " " + error.getClass().getSimpleName() + " | " + error.getMessage());
            }
        }
        Context.pop();
    }
}
