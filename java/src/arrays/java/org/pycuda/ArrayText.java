package org.pycuda;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The elements of an array as NumPy prints them by default; for a large array only those at the ends of its axes. */
final class ArrayText {
    private static final int LARGE = 1000;
    private static final int EDGE = 3;
    private static final int LINE = 75;

    private final boolean isSummary;
    private final int axes;
    /** The elements that are shown, in order. */
    private final List<String> words;
    private int next;

    private ArrayText(GPUArray array) {
        isSummary = array.size() > LARGE;
        axes = array.ndim();
        List<Object> elements = new ArrayList<>();
        collect(array, elements);
        words = formatted(array.numbers(), elements);
    }

    /** LogicError if the elements cannot be read. */
    static String of(GPUArray array) {
        if (array.ndim() == 0) {
            return single(array.numbers(), read(array).get(0));
        }
        return array.size() == 0 ? "[]" : new ArrayText(array).text(array.shape(), 0, " ", LINE);
    }

    private boolean isCut(long length) {
        return isSummary && length > 2 * EDGE;
    }

    /** Reads the elements that are shown, and no others. */
    private void collect(GPUArray array, List<Object> elements) {
        if (!isSummary || array.ndim() == 0) {
            elements.addAll(read(array));
            return;
        }
        long length = array.shape(0);
        if (array.ndim() == 1) {
            if (isCut(length)) {
                elements.addAll(read(array.slice(0, EDGE)));
                elements.addAll(read(array.slice(length - EDGE, length)));
            } else {
                elements.addAll(read(array));
            }
            return;
        }
        for (long i = 0; i < length; i++) {
            if (isCut(length) && i == EDGE) {
                i = length - EDGE;
            }
            collect(array.at(i), elements);
        }
    }

    private static List<Object> read(GPUArray array) {
        DType type = array.numbers();
        ByteBuffer bytes = ByteBuffer.allocate((int) array.nbytes()).order(ByteOrder.nativeOrder());
        array.getInto(bytes);
        List<Object> elements = new ArrayList<>();
        for (int offset = 0; offset < bytes.capacity(); offset += type.itemsize()) {
            elements.add(ElementValues.get(bytes, offset, type));
        }
        return elements;
    }

    /** The recursion that NumPy uses: later lines begin with {@code indent}. */
    private String text(long[] shape, int axis, String indent, int width) {
        if (axis == axes) {
            return words.get(next++);
        }
        var all = new StringBuilder();
        var line = new StringBuilder(indent);
        boolean isLast = axis == axes - 1;
        long length = shape[axis];
        for (long i = 0; i < length; i++) {
            if (isCut(length) && i == EDGE) {
                i = length - EDGE;
                append(all, line, "...", indent, width, isLast, axis);
            }
            append(all, line, text(shape, axis + 1, indent + " ", width - 1), indent, width, isLast, axis);
            if (i == length - 1) {
                line.setLength(line.length() - (isLast ? 1 : axes - axis - 1 + indent.length()));  // no separator after the last one
            }
        }
        all.append(line);
        return "[" + all.substring(indent.length()) + "]";
    }

    private void append(StringBuilder all, StringBuilder line, String word, String indent, int width, boolean isLast, int axis) {
        if (isLast && line.length() > indent.length() && line.length() + word.length() > width - 1) {
            all.append(line.toString().stripTrailing()).append('\n');
            line.setLength(0);
            line.append(indent);
        }
        line.append(word).append(isLast ? " " : "\n".repeat(axes - axis - 1) + indent);
    }

    private static List<String> formatted(DType type, List<Object> elements) {
        if (type == DType.BOOL) {
            return rightAligned(elements.stream().map(element -> ((Number) element).intValue() != 0 ? "True" : "False").toList(), 5);
        } else if (type.isInteger()) {
            return rightAligned(elements.stream().map(element -> type.isUnsigned() ? Long.toUnsignedString(((Number) element).longValue())
                : element.toString()).toList(), 0);
        } else if (!type.isComplex()) {
            return new Floats(type, elements.stream().map(element -> ((Number) element).doubleValue()).toList(), false).words();
        }
        List<Complex> numbers = elements.stream().map(Complex.class::cast).toList();
        List<String> real = new Floats(type.real(), numbers.stream().map(Complex::re).toList(), false).words();
        List<String> imaginary = new Floats(type.real(), numbers.stream().map(Complex::im).toList(), true).words();
        List<String> words = new ArrayList<>();
        for (int i = 0; i < real.size(); i++) {
            String im = imaginary.get(i).stripTrailing();
            words.add(real.get(i) + im + "j" + imaginary.get(i).substring(im.length()));
        }
        return words;
    }

    private static List<String> rightAligned(List<String> words, int min) {
        int width = Math.max(min, words.stream().mapToInt(String::length).max().orElse(0));
        return words.stream().map(word -> " ".repeat(width - word.length()) + word).toList();
    }

    /** As Python prints one number. */
    private static String single(DType type, Object element) {
        if (type == DType.UINT64) {
            return Long.toUnsignedString((Long) element);
        } else if (type == DType.BOOL) {
            return (Integer) element != 0 ? "True" : "False";
        } else if (!type.isFloating()) {
            return element.toString();
        }
        double value = ((Number) element).doubleValue();
        if (!Double.isFinite(value)) {
            return Double.isNaN(value) ? "nan" : value < 0 ? "-inf" : "inf";
        }
        var one = new Floats(type, List.of(value), false);
        boolean isPlain = value == 0 || Math.abs(value) >= Floats.SMALLEST && Math.abs(value) < 1e16;
        return isPlain ? one.plain(value, Integer.MAX_VALUE).replaceFirst("[.]$", ".0") : one.scientific(value, Integer.MAX_VALUE).replace(".e", "e");
    }

    /** Floating-point numbers aligned at their points. */
    private static final class Floats {
        private static final int PRECISION = 8;
        private static final double LARGEST = 1e8;
        private static final double SMALLEST = 1e-4;
        private static final double RANGE = 1000;
        private static final int MAX_DIGITS = 17;

        private final DType type;
        private final List<Double> numbers;
        private final boolean withSign;

        Floats(DType type, List<Double> numbers, boolean withSign) {
            this.type = type;
            this.numbers = numbers;
            this.withSign = withSign;
        }

        /** The shortest decimal number that reads back as this one. */
        private BigDecimal shortest(double value) {
            var exact = new BigDecimal(Math.abs(value));
            Object wanted = ElementValues.number(type, exact.doubleValue());
            for (int digits = 1; value != 0 && digits <= MAX_DIGITS; digits++) {
                // Next to a power of two, the nearest decimal with this many digits may read back as another number, but its neighbour as this one.
                for (RoundingMode way : new RoundingMode[] {RoundingMode.HALF_EVEN, RoundingMode.UP, RoundingMode.DOWN}) {
                    BigDecimal rounded = exact.round(new MathContext(digits, way));
                    boolean isFinite = type != DType.FLOAT16 || Half.fits(rounded.doubleValue());
                    if (isFinite && ElementValues.number(type, rounded.doubleValue()).equals(wanted)) {
                        return rounded.stripTrailingZeros();
                    }
                }
            }
            return value == 0 ? BigDecimal.ZERO : exact;
        }

        List<String> words() {
            double[] sizes = numbers.stream().filter(Double::isFinite).mapToDouble(Math::abs).filter(size -> size != 0).toArray();
            double max = Arrays.stream(sizes).max().orElse(0);
            double min = Arrays.stream(sizes).min().orElse(0);
            boolean scientific = sizes.length > 0 && (max >= LARGEST || min < SMALLEST || max / min > RANGE);
            List<String> texts = numbers.stream().map(number -> !Double.isFinite(number) ? "" : scientific ? scientific(number, PRECISION)
                : plain(number, PRECISION)).toList();
            texts = scientific ? aligned(texts) : texts;
            int before = texts.stream().mapToInt(text -> text.indexOf('.')).max().orElse(0);
            int after = texts.stream().mapToInt(text -> text.length() - Math.max(0, text.indexOf('.'))).max().orElse(0);
            int width = Math.max(before, 0) + after;
            for (double number : numbers) {
                width = Double.isFinite(number) ? width : Math.max(width, special(number).length());
            }
            List<String> words = new ArrayList<>();
            for (int i = 0; i < texts.size(); i++) {
                String text = texts.get(i);
                if (text.isEmpty()) {
                    String special = special(numbers.get(i));
                    words.add(" ".repeat(width - special.length()) + special);
                } else {
                    int point = text.indexOf('.');
                    words.add(" ".repeat(width - after - point) + text + " ".repeat(after - (text.length() - point)));
                }
            }
            return words;
        }

        private String sign(double value) {
            return value < 0 || value == 0 && 1 / value < 0 ? "-" : withSign ? "+" : "";
        }

        private String special(double value) {
            return Double.isNaN(value) ? (withSign ? "+nan" : "nan") : sign(value) + "inf";
        }

        /** Rounds to at most this many digits after the point. */
        private String plain(double value, int precision) {
            BigDecimal digits = shortest(value);
            if (digits.scale() > precision) {
                digits = new BigDecimal(Math.abs(value)).setScale(precision, RoundingMode.HALF_EVEN).stripTrailingZeros();
            }
            String text = digits.signum() == 0 ? "0" : digits.toPlainString();
            return sign(value) + text + (text.contains(".") ? "" : ".");
        }

        private String scientific(double value, int precision) {
            BigDecimal digits = shortest(value);
            if (digits.precision() - 1 > precision) {
                digits = new BigDecimal(Math.abs(value)).round(new MathContext(precision + 1, RoundingMode.HALF_EVEN)).stripTrailingZeros();
            }
            String unscaled = digits.unscaledValue().toString();
            int exponent = digits.signum() == 0 ? 0 : digits.precision() - digits.scale() - 1;
            return sign(value) + unscaled.charAt(0) + "." + unscaled.substring(1) + exponent(exponent, 2);
        }

        private static String exponent(int exponent, int width) {
            String digits = String.valueOf(Math.abs(exponent));
            return (exponent < 0 ? "e-" : "e+") + "0".repeat(Math.max(0, width - digits.length())) + digits;
        }

        /** NumPy pads all fractions, and all exponents, to the longest. */
        private static List<String> aligned(List<String> texts) {
            int fraction = texts.stream().filter(text -> !text.isEmpty()).mapToInt(text -> text.indexOf('e') - text.indexOf('.') - 1).max().orElse(0);
            int width = texts.stream().filter(text -> !text.isEmpty()).mapToInt(text -> text.length() - text.indexOf('e') - 2).max().orElse(0);
            return texts.stream().map(text -> {
                int e = text.indexOf('e');
                return text.isEmpty() ? text : text.substring(0, e) + "0".repeat(fraction - (e - text.indexOf('.') - 1))
                    + exponent(Integer.parseInt(text.substring(e + 1)), width);
            }).toList();
        }
    }
}
