package scaling;

import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.pycuda.Context;
import org.pycuda.Device;
import org.pycuda.Driver;

/** The device of a Spark executor. All tasks of the process use its one context. */
final class ExecutorDevice {
    private static Context context;

    private ExecutorDevice() {}

    /** Makes the context current in this thread until the scope is closed: {@code try (var scope = ExecutorDevice.enter()) { ... }}. */
    static Context.Scope enter() {
        return context().pushed();
    }

    private static synchronized Context context() {
        if (context == null) {
            Driver.init();
            context = new Device(number()).retainPrimaryContext();
        }
        return context;
    }

    /** What Spark assigned to the task (spark.task.resource.gpu.amount); without that, executors take the devices in turn. */
    private static int number() {
        var assigned = TaskContext.get().resourcesJMap().get("gpu");
        if (assigned != null) {
            return Integer.parseInt(assigned.addresses()[0]);
        }
        String executor = SparkEnv.get().executorId();  // a number, or "driver" in local mode
        return executor.equals("driver") ? 0 : Integer.parseInt(executor) % Device.count();
    }
}
