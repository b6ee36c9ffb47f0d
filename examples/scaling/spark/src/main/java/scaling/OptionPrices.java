package scaling;

import static org.pycuda.DType.FLOAT32;

import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.pycuda.Driver;
import org.pycuda.ElementwiseKernel;
import org.pycuda.GPUArray;
import org.pycuda.MRG32k3aRandomNumberGenerator;
import org.pycuda.compiler.SourceModule;

/**
 * Prices of options on a Spark cluster with a device in each executor: one option by Monte Carlo, whose random futures are shared out, and
 * many options by a formula, as columns in page-locked memory. An executor is lost on the way, and the results are the same. The arguments
 * are the masters to use in turn, as {@code local-cluster[2,1,1024]}: two executors of one core and 1,024 MB.
 */
public final class OptionPrices {
    private static final int FUTURES = 1 << 16, OPTIONS = 100_000, PARTITIONS = 8;
    private static final double RATE = 0.03, VOLATILITY = 0.2;

    /** To buy at {@code strike} in so many {@code years} what costs {@code price} now. */
    record Option(float price, float strike, float years) implements java.io.Serializable {}

    /** The mean of what the option pays over random futures, today: those of the partition of this number. */
    private static double monteCarlo(int partition, Option option) {
        try (var scope = ExecutorDevice.enter()) {
            var chance = new MRG32k3aRandomNumberGenerator(partition).genNormal(FLOAT32, FUTURES);
            var pay = new ElementwiseKernel("const float *chance, float *payment, float price, float strike, float drift, float spread",
                "payment[i] = fmaxf(price * expf(drift + spread * chance[i]) - strike, 0)");
            var payment = GPUArray.emptyLike(chance);
            pay.call(chance, payment, option.price, option.strike, (RATE - VOLATILITY * VOLATILITY / 2) * option.years,
                VOLATILITY * Math.sqrt(option.years));
            return Math.exp(-RATE * option.years) * payment.mean().getDouble();
        }
    }

    /** The values of a partition's options by Black and Scholes' formula: rows to columns, one launch, and back. */
    private static Iterator<Float> values(Iterator<Option> rows) {
        var options = new ArrayList<Option>();
        rows.forEachRemaining(options::add);
        int n = options.size();
        try (var scope = ExecutorDevice.enter();
             var columns = Driver.pagelockedEmpty(FLOAT32, 4L * n);
             var module = new SourceModule("""
                 __global__ void value(const float *price, const float *strike, const float *years, float *value, int n, float rate,
                                       float volatility)
                 {
                   int i = blockIdx.x * blockDim.x + threadIdx.x;
                   if (i >= n) return;
                   float spread = volatility * sqrtf(years[i]);
                   float d = (logf(price[i] / strike[i]) + (rate + volatility * volatility / 2) * years[i]) / spread;
                   value[i] = price[i] * normcdff(d) - strike[i] * expf(-rate * years[i]) * normcdff(d - spread);
                 }
                 """)) {
            FloatBuffer all = columns.asFloatBuffer();
            FloatBuffer price = all.slice(0, n), strike = all.slice(n, n), years = all.slice(2 * n, n), value = all.slice(3 * n, n);
            for (int i = 0; i < n; i++) {
                price.put(i, options.get(i).price);
                strike.put(i, options.get(i).strike);
                years.put(i, options.get(i).years);
            }
            module.function("value").launch(Driver.block(128).grid((n + 127) / 128), Driver.in(price), Driver.in(strike),
                Driver.in(years), Driver.out(value), n, (float) RATE, (float) VOLATILITY);
            var values = new ArrayList<Float>(n);
            for (int i = 0; i < n; i++) {
                values.add(value.get(i));
            }
            return values.iterator();
        }
    }

    /** The executor that tries the first partition first is gone, as if its host had failed. */
    private static void loseExecutor(boolean lose) {
        if (lose && TaskContext.getPartitionId() == 0 && TaskContext.get().attemptNumber() == 0) {
            Runtime.getRuntime().halt(1);
        }
    }

    /** The prices in the order of the partitions: the same sums on every executor. */
    private static List<Double> simulate(JavaRDD<Integer> partitions, Option option, boolean lose) {
        return partitions.map(partition -> {
            loseExecutor(lose);
            return monteCarlo(partition, option);
        }).collect();
    }

    private static List<Float> value(JavaRDD<Option> options, boolean lose) {
        return options.mapPartitions(rows -> {
            loseExecutor(lose);
            return values(rows);
        }).collect();
    }

    private static void run(String master) {
        var configuration = new SparkConf().setMaster(master).setAppName("option prices").set("spark.ui.enabled", "false");
        try (var spark = new JavaSparkContext(configuration)) {
            var random = new Random(2026);
            var options = new ArrayList<Option>();
            for (int i = 0; i < OPTIONS; i++) {
                options.add(new Option(50 + 100 * random.nextFloat(), 100, 0.1f + 2 * random.nextFloat()));
            }
            var first = new Option(100, 105, 1);
            options.set(0, first);
            JavaRDD<Option> rows = spark.parallelize(options, PARTITIONS);
            JavaRDD<Integer> partitions = spark.parallelize(List.of(1, 2, 3, 4, 5, 6, 7, 8), PARTITIONS);
            boolean cluster = master.startsWith("local-cluster");
            var lossy = simulate(partitions, first, cluster);  // starts the executors and compiles, too
            var lossyValues = value(rows, cluster);

            long start = System.nanoTime();
            var prices = simulate(partitions, first, false);
            long middle = System.nanoTime();
            var values = value(rows, false);
            long end = System.nanoTime();
            if (!prices.equals(lossy) || !values.equals(lossyValues)) {
                throw new AssertionError("the results differ from those when an executor was lost");
            }
            double mean = prices.stream().mapToDouble(price -> price).average().orElseThrow();
            System.out.printf("%-24s %11.2f s %15.2f s   %.3f %.3f%n", master, 1e-9 * (middle - start), 1e-9 * (end - middle), mean,
                values.get(0));
        }
    }

    public static void main(String[] masters) {
        System.out.println("master                     Monte Carlo   many by formula   price by each");
        for (String master : masters) {
            run(master);
        }
    }
}
