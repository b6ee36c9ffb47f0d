package org.pycuda;

import java.util.Arrays;
import java.util.List;
import org.pycuda.compiler.SourceModule;

/**
 * {@code java -jar pycuda.jar [--json]}: prints what a bug report needs, for people or for programs. The exit status is 0 when a
 * kernel can be compiled and run, which is tried, 1 when not, and 2 for other arguments.
 */
public final class Main {
    private static final int USAGE = 2;

    private Main() {}

    /** Prints the report, and ends the JVM. */
    public static void main(String[] arguments) {
        boolean json = Arrays.equals(arguments, new String[] {"--json"});
        if (arguments.length > 0 && !json) {
            System.err.println("usage: java -jar pycuda.jar [--json]");
            System.exit(USAGE);
        }
        SourceModule.getDefaultNvccFlags();  // opens the compiler layer, which says where the device headers are
        List<String> report = DriverProxy.report("Java " + System.getProperty("java.version") + " (" + System.getProperty("java.home")
            + "), pycuda " + Driver.VERSION_TEXT);
        System.out.print(report.get(json ? 1 : 0));
        System.exit(report.get(2).isEmpty() ? 1 : 0);
    }
}
