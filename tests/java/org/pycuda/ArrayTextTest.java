package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The text of arrays, compared with NumPy's. */
class ArrayTextTest implements WithContext {
    private static List<String[]> cases() throws IOException {
        try (var file = ArrayTextTest.class.getResourceAsStream("texts/numpy.txt")) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8).lines().filter(line -> !line.startsWith("#")).map(line -> line.split(" [|] ")).toList();
        }
    }

    private static GPUArray array(String[] fields) {
        long[] shape = fields[1].equals("-") ? new long[0] : Arrays.stream(fields[1].split(",")).mapToLong(Long::parseLong).toArray();
        byte[] bytes = fields[2].equals("-") ? new byte[0] : HexFormat.of().parseHex(fields[2]);
        return GPUArray.empty(DType.valueOf(fields[0]), shape).set(ByteBuffer.wrap(bytes));
    }

    @Test
    void arraysPrintLikeNumPy() throws IOException {
        var complaints = new ArrayList<String>();
        for (String[] fields : cases()) {
            String text = array(fields).toString();
            String expected = fields[3].replace("\\n", "\n");
            if (!text.equals(expected)) {
                complaints.add("expected\n" + expected + "\nnot\n" + text);
            }
        }
        assertEquals("", String.join("\n\n", complaints));
    }

    @Test
    void viewsPrintTheirElements() {
        var table = GPUArray.arange(DType.INT32, 6).reshape(2, 3);
        assertEquals("[[0 3]\n [1 4]\n [2 5]]", table.transpose().toString());
        assertEquals("[5 3 1]", table.ravel().slice(5, 0, -2).toString());
    }

    @Test
    void unreadableArraysPrintADescription() {
        var array = GPUArray.zeros(DType.FLOAT32, 2, 3);
        Context context = Context.current();
        Context.pop();
        try {
            assertEquals("GPUArray[FLOAT32, shape [2, 3]]", array.toString());
        } finally {
            context.push();
        }
        array.close();
        assertEquals("GPUArray[closed]", array.toString());
        assertTrue(GPUArray.zeros(Vec.FLOAT2, 3).toString().contains("float2, shape [3]"));
    }
}
