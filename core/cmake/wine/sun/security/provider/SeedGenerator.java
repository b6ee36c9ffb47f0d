package sun.security.provider;

import java.io.FileInputStream;
import java.io.IOException;

/** The JDK's own asks Windows for addresses of networks by a function that wine 8 lacks (GetAnycastIpAddressTable), whereupon the JVM crashes. */
abstract class SeedGenerator {
    static void generateSeed(byte[] seed) {
        try (var random = new FileInputStream("Z:/dev/urandom")) {
            if (random.readNBytes(seed, 0, seed.length) != seed.length) throw new IOException("it ended");
        } catch (IOException error) {
            throw new InternalError("/dev/urandom cannot be read: " + error.getMessage());
        }
    }

    static byte[] getSystemEntropy() {
        var seed = new byte[20];
        generateSeed(seed);
        return seed;
    }

    abstract void getSeedBytes(byte[] result);
}
