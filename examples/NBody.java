import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import javax.imageio.ImageIO;
import org.pycuda.Autoinit;
import org.pycuda.Context;
import org.pycuda.DType;
import org.pycuda.Driver;
import org.pycuda.GPUArray;
import org.pycuda.HostData;
import org.pycuda.compiler.SourceModule;

/**
 * Stars on a straight line around a heavy one, whose orbits wind the line up into a spiral. Writes nbody.png, or the
 * file named by the argument. Prints by how much the total energy, a conserved quantity, changed, and the time of a
 * step on the device and in plain Java. The same program as nbody.py.
 */
public class NBody {
    private static final int N = 512, TILE = 64, STEPS = 300;
    private static final float TIME_STEP = 0.01f, SOFTENING = 0.1f;

    /** Bodies are (x, y, z, mass), velocities (x, y, z, 0). */
    private static double energy(float[] bodies, float[] velocities) {
        double sum = 0;
        for (int i = 0; i < 4 * N; i += 4) {
            double squared = SOFTENING * SOFTENING, speed = 0;
            for (int axis = 0; axis < 3; axis++) {
                speed += Math.pow(velocities[i + axis], 2);
            }
            sum += bodies[i + 3] * speed / 2;
            for (int j = 0; j < i; j += 4) {
                double distance = squared;
                for (int axis = 0; axis < 3; axis++) {
                    distance += Math.pow(bodies[i + axis] - bodies[j + axis], 2);
                }
                sum -= bodies[i + 3] * bodies[j + 3] / Math.sqrt(distance);
            }
        }
        return sum;
    }

    private static void draw(float[] bodies, File file) throws IOException {
        var grey = new byte[200 * 200];
        for (int i = 0; i < 4 * N; i += 4) {
            int x = (int) ((bodies[i] + 1.1) * 200 / 2.2), y = (int) ((bodies[i + 1] + 1.1) * 200 / 2.2);
            if (x >= 0 && x < 200 && y >= 0 && y < 200) {
                grey[200 * y + x] = (byte) Math.min(255, (grey[200 * y + x] & 255) + 128);
            }
        }
        var picture = new BufferedImage(200, 200, BufferedImage.TYPE_BYTE_GRAY);
        picture.getRaster().setDataElements(0, 0, 200, 200, grey);
        ImageIO.write(picture, "png", file);
        System.out.println("wrote " + file);
    }

    private static void inPlainJava(float[] bodies, float[] velocities) {
        for (int i = 0; i < 4 * N; i += 4) {
            for (int j = 0; j < 4 * N; j += 4) {
                float dx = bodies[j] - bodies[i], dy = bodies[j + 1] - bodies[i + 1], dz = bodies[j + 2] - bodies[i + 2];
                float squared = dx * dx + dy * dy + dz * dz + SOFTENING * SOFTENING;
                float pull = TIME_STEP * bodies[j + 3] / (squared * (float) Math.sqrt(squared));
                velocities[i] += pull * dx;
                velocities[i + 1] += pull * dy;
                velocities[i + 2] += pull * dz;
            }
        }
        for (int i = 0; i < 4 * N; i++) {
            bodies[i] += TIME_STEP * velocities[i];
        }
    }

    public static void main(String[] args) throws IOException {
        Autoinit.init();
        var step = new SourceModule("#define TILE " + TILE + """

            // A body is (x, y, z, mass). Each block copies the bodies to shared memory, one tile at a time, where every thread
            // reads all of them.
            __global__ void step(const float4 *bodies, float4 *moved, float4 *velocities, int n, float dt, float softening)
            {
              __shared__ float4 tile[TILE];
              int i = blockIdx.x * TILE + threadIdx.x;
              float4 body = bodies[i], v = velocities[i];
              for (int start = 0; start < n; start += TILE) {
                tile[threadIdx.x] = bodies[start + threadIdx.x];
                __syncthreads();
                for (int j = 0; j < TILE; ++j) {
                  float dx = tile[j].x - body.x, dy = tile[j].y - body.y, dz = tile[j].z - body.z;
                  float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening * softening);
                  float pull = dt * tile[j].w * inverse * inverse * inverse;
                  v.x += pull * dx;
                  v.y += pull * dy;
                  v.z += pull * dz;
                }
                __syncthreads();
              }
              velocities[i] = v;
              moved[i] = make_float4(body.x + dt * v.x, body.y + dt * v.y, body.z + dt * v.z, body.w);
            }
            """).function("step");

        var bodies = new float[4 * N];
        var velocities = new float[4 * N];
        for (int i = 0; i < N; i++) {
            double place = i == N / 2 ? 0 : -1 + 2.0 * i / (N - 1);
            bodies[4 * i] = (float) place;
            bodies[4 * i + 3] = i == N / 2 ? 1 : 1e-5f;
            // The speed of a circular orbit around the heavy body.
            velocities[4 * i + 1] = (float) (place / Math.pow(place * place + SOFTENING * SOFTENING, 0.75));
        }
        double start = energy(bodies, velocities);

        GPUArray now = GPUArray.toGpu(HostData.of(bodies).shape(N, 4)), then = GPUArray.empty(DType.FLOAT32, N, 4), speed = GPUArray.toGpu(HostData.of(velocities).shape(N, 4));
        long begin = System.nanoTime();
        for (int i = 0; i < STEPS; i++) {
            step.launch(Driver.block(TILE).grid(N / TILE), now, then, speed, N, TIME_STEP, SOFTENING);
            GPUArray before = now;
            now = then;
            then = before;
        }
        Context.synchronize();
        long end = System.nanoTime();
        for (int i = 0; i < 10; i++) {
            inPlainJava(bodies, velocities);
        }
        long hostEnd = System.nanoTime();

        float[] stars = now.getFloats();
        draw(stars, new File(args.length > 0 ? args[0] : "nbody.png"));
        System.out.printf("the energy changed by %.3f%%%n", 100 * Math.abs(energy(stars, speed.getFloats()) / start - 1));
        System.out.printf("time of a step: %.2f ms on %s, %.2f ms in plain Java%n",
            (end - begin) * 1e-6 / STEPS, Autoinit.device().name(), (hostEnd - end) * 1e-6 / 10);
    }
}
