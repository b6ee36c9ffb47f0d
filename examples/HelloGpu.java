import java.util.Random;
import org.pycuda.Autoinit;
import org.pycuda.Driver;
import org.pycuda.compiler.SourceModule;

public class HelloGpu {
    public static void main(String[] args) {
        Autoinit.init();

        var mod = new SourceModule("""
            __global__ void multiply_them(float *dest, float *a, float *b)
            {
              const int i = threadIdx.x;
              dest[i] = a[i] * b[i];
            }
            """);

        var multiplyThem = mod.function("multiply_them");

        var random = new Random();
        var a = new float[400];
        var b = new float[400];
        for (int i = 0; i < a.length; i++) {
            a[i] = (float) random.nextGaussian();
            b[i] = (float) random.nextGaussian();
        }

        var dest = new float[400];
        multiplyThem.launch(Driver.block(400, 1, 1),
                Driver.out(dest), Driver.in(a), Driver.in(b));

        System.out.println("Java on " + Autoinit.device().name());
        for (int i = 0; i < dest.length; i++) {
            System.out.print(dest[i] - a[i] * b[i] + " ");
        }
        System.out.println();
    }
}
