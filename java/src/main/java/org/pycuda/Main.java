package org.pycuda;

import java.util.List;
import org.pycuda.compiler.SourceModule;

/**
 * {@code java -jar pycuda.jar [--verbose | --json | --benchmark]}: reports the driver, the devices and the compilers, and tries a kernel.
 * With {@code --verbose} it prints everything that a bug report needs, with {@code --json} the same for programs. With {@code --benchmark}
 * it measures a launch, a copy and an array operation. The exit status is 0 if a kernel can be compiled and run, 1 if not, and 2 for other
 * arguments.
 */
public final class Main {
    private static final int USAGE = 2;

    private Main() {}

    /**
     * Prints the report, and ends the JVM.
     *
     * @param arguments none, {@code --verbose}, {@code --json} or {@code --benchmark}
     */
    public static void main(String[] arguments) {
        if (List.of(arguments).equals(List.of("--benchmark"))) {
            System.out.println(Benchmark.line());
            System.exit(0);
        }
        int form = arguments.length == 0 ? 0 : List.of("--verbose", "--json").indexOf(arguments[0]) + 1;
        if (arguments.length > 1 || arguments.length == 1 && form == 0) {
            System.err.println("usage: java -jar pycuda.jar [--verbose | --json | --benchmark]");
            System.exit(USAGE);
        }
        SourceModule.defaultNvccFlags();  // opens the compiler layer, which says where the device headers are
        List<String> report = DriverProxy.report("Java " + System.getProperty("java.version") + " (" + System.getProperty("java.home")
            + "), pycuda " + Driver.VERSION_TEXT);
        System.out.print(report.get(form));
        System.exit(report.get(3).isEmpty() ? 1 : 0);
    }
}
