import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import javax.imageio.ImageIO;
import org.pycuda.Autoinit;
import org.pycuda.Driver;
import org.pycuda.HostData;
import org.pycuda.Order;
import org.pycuda.Textures;
import org.pycuda.compiler.SourceModule;

/**
 * Find the edges of a disc with Sobel's filter, which reads the image through a texture. Writes edges.png, or the
 * file named by the argument. Prints the length of the edges, and the time of the filter on the device and in plain
 * Java. The same program as image_filter.py.
 */
public class ImageFilter {
    private static float[] inPlainJava(float[] image, int size) {
        var edges = new float[image.length];
        for (int y = 0; y < size; y++) {
            int above = size * Math.max(y - 1, 0), here = size * y, below = size * Math.min(y + 1, size - 1);
            for (int x = 0; x < size; x++) {
                int left = Math.max(x - 1, 0), right = Math.min(x + 1, size - 1);
                float across = image[above + right] + 2 * image[here + right] + image[below + right]
                    - image[above + left] - 2 * image[here + left] - image[below + left];
                float down = image[below + left] + 2 * image[below + x] + image[below + right]
                    - image[above + left] - 2 * image[above + x] - image[above + right];
                edges[here + x] = (float) Math.hypot(across, down) / 8;
            }
        }
        return edges;
    }

    public static void main(String[] args) throws IOException {
        final int size = 256, radius = 90;
        Autoinit.init();

        var mod = new SourceModule("""
            // For pixels outside the image, the texture unit returns the nearest pixel inside.
            texture<float, 2> image;

            __device__ float pixel(int x, int y) { return tex2D(image, x + 0.5f, y + 0.5f); }

            __global__ void sobel(float *edges, int width, int height)
            {
              int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
              if (x >= width || y >= height) return;
              float across = pixel(x + 1, y - 1) + 2 * pixel(x + 1, y) + pixel(x + 1, y + 1)
                           - pixel(x - 1, y - 1) - 2 * pixel(x - 1, y) - pixel(x - 1, y + 1);
              float down = pixel(x - 1, y + 1) + 2 * pixel(x, y + 1) + pixel(x + 1, y + 1)
                         - pixel(x - 1, y - 1) - 2 * pixel(x, y - 1) - pixel(x + 1, y - 1);
              edges[y * width + x] = hypotf(across, down) / 8;
            }
            """);
        var sobel = mod.function("sobel");
        var image = mod.texref("image");

        // A white disc on black, its edge some pixels wide.
        var disc = new float[size * size];
        for (int i = 0; i < disc.length; i++) {
            double distance = Math.hypot(i % size - size / 2.0, i / size - size / 2.0);
            disc[i] = (float) Math.max(0, Math.min(1, (radius - distance) / 4 + 0.5));
        }
        image.setArray(Textures.matrixToArray(HostData.of(disc).shape(size, size), Order.C));

        var edges = new float[size * size];
        long begin = 0, end = 0, hostEnd = 0;
        for (int i = 0; i < 2; i++) {  // the first launch includes costs that occur only once
            begin = System.nanoTime();
            sobel.launch(Driver.block(16, 16).grid(size / 16, size / 16).texrefs(image), Driver.out(edges), size, size);
            end = System.nanoTime();
            inPlainJava(disc, size);
            hostEnd = System.nanoTime();
        }

        double sum = 0, steepest = 0;
        for (float edge : edges) {
            sum += edge;
            steepest = Math.max(steepest, edge);
        }
        var grey = new byte[edges.length];
        for (int i = 0; i < edges.length; i++) {
            grey[i] = (byte) (255 * edges[i] / steepest);
        }
        var picture = new BufferedImage(size, size, BufferedImage.TYPE_BYTE_GRAY);
        picture.getRaster().setDataElements(0, 0, size, size, grey);
        var file = new File(args.length > 0 ? args[0] : "edges.png");
        ImageIO.write(picture, "png", file);
        System.out.println("wrote " + file);
        // The steepness of an image, summed over all pixels, is the length of its edges.
        double circle = 2 * Math.PI * radius;
        System.out.printf("the disc's edge is %.1f pixels long; 2 pi r is %.1f; ratio %.3f%n", sum, circle, sum / circle);
        System.out.printf("time of the filter: %.2f ms on %s, %.2f ms in plain Java%n",
            (end - begin) * 1e-6, Autoinit.device().name(), (hostEnd - end) * 1e-6);
    }
}
