import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.pycuda.Autoinit;
import org.pycuda.CudaProcess;
import org.pycuda.Driver;

/**
 * Move another program off its GPU and back: its device memory goes to the host and returns, and the program does not
 * notice. Prints each state and the program's result; on the CPU device, that it has no checkpoints. The same program
 * as checkpoint.py.
 */
public class Checkpoint {
    /** The program that is moved. */
    private static void program() throws IOException {
        Autoinit.init();
        try (var numbers = Driver.toDevice(IntStream.range(0, 1000).toArray())) {
            System.out.println("ready");
            System.in.read();
            System.out.println("sum: " + IntStream.of(Driver.fromDevice(numbers, 1000, int[].class)).sum());
        }
    }

    /** This program again, with an argument. */
    private static Process start() throws IOException {
        List<String> command = new ArrayList<>(List.of(Files.readString(Path.of("/proc/self/cmdline")).split("\0")));
        command.add("program");
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    public static void main(String[] args) throws IOException {
        if (args.length > 0) {
            program();
            return;
        }
        Driver.init();
        Process program = start();
        try (BufferedReader output = program.inputReader()) {
            output.readLine();
            var process = new CudaProcess((int) program.pid());
            Map<String, Runnable> steps = new LinkedHashMap<>();
            steps.put("lock", process::lock);
            steps.put("checkpoint", process::checkpoint);
            steps.put("restore", process::restore);
            steps.put("unlock", process::unlock);
            try {
                steps.forEach((name, step) -> {
                    step.run();
                    System.out.println(name + ": " + process.state());
                });
            } catch (Driver.LogicError | Driver.RuntimeError error) {
                System.out.println("no checkpoints here: " + error.getMessage());
            }
            program.outputWriter().append("go on\n").close();
            System.out.println(output.readLine());
        }
    }
}
