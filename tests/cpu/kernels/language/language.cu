// What the language has beyond plain loops: classes with virtual functions, pointers to functions, recursion, lambdas,
// memory from the device's heap, large parameters, and grids of three dimensions.

// ---- virtual functions: a shape is chosen at run time, made on the stack or on the heap -----------------------------

class Shape {
public:
    __device__ virtual ~Shape() {}
    __device__ virtual int area() const = 0;
    __device__ virtual int corners() const { return 4; }
};

class Rectangle : public Shape {
public:
    __device__ Rectangle(int w, int h) : width(w), height(h) {}
    __device__ int area() const override { return width * height; }

private:
    int width, height;
};

class Square : public Rectangle {
public:
    __device__ explicit Square(int side) : Rectangle(side, side) {}
};

class Triangle : public Shape {
public:
    __device__ Triangle(int b, int h) : base(b), height(h) {}
    __device__ int area() const override { return base * height / 2; }
    __device__ int corners() const override { return 3; }

private:
    int base, height;
};

__device__ Shape* make_shape(int kind, int size) {
    switch (kind) {
        case 0: return new Rectangle(size, size + 1);
        case 1: return new Square(size);
        default: return new Triangle(size, 2 * size);
    }
}

extern "C" __global__ void shapes(int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Shape* const heaped = make_shape(i * 7 % 3, i);
    const Square square(3);
    const Triangle triangle(i, 4);
    const Shape* const on_stack = i % 2 ? static_cast<const Shape*>(&square) : &triangle;
    out[i] = heaped->area() * 10 + heaped->corners() + on_stack->area();
    delete heaped;
}

// ---- pointers to functions, in a constant table and as parameters of templates --------------------------------------

typedef float (*Operation)(float, float);
__device__ float plus(float a, float b) { return a + b; }
__device__ float minus(float a, float b) { return a - b; }
__device__ float times(float a, float b) { return a * b; }
__device__ float larger(float a, float b) { return a > b ? a : b; }
__constant__ Operation operations[] = {plus, minus, times, larger};

// A program of a stack machine a thread: digits push themselves, other bytes are operations.
extern "C" __global__ void calculate(const unsigned char* programs, int length, float* results, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float stack[8];
    int depth = 0;
    for (int k = 0; k < length; ++k) {
        const unsigned char code = programs[i * length + k];
        if (code < 10) {
            stack[depth++] = code;
        } else {
            --depth;
            stack[depth - 1] = operations[code - 10](stack[depth - 1], stack[depth]);
        }
    }
    results[i] = stack[0];
}

template <class F>
__device__ double integral(F f, double from, double to, int steps) {
    double sum = 0;
    for (int k = 0; k < steps; ++k) sum += f(from + (k + 0.5) * (to - from) / steps);
    return sum * (to - from) / steps;
}

extern "C" __global__ void integrals(const double* slopes, double* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double slope = slopes[i];
    const auto line = [slope](double x) { return slope * x + 1; };
    out[i] = integral(line, 0, 2, 16) + integral([&](double x) { return line(x) * x; }, 0, 1, 4);
}

// ---- recursion: sorting on the stack, and a function of two arguments that grows fast -------------------------------

__device__ void quicksort(int* begin, int* end) {
    if (end - begin < 2) return;
    const int pivot = begin[(end - begin) / 2];
    int *low = begin, *high = end - 1;
    while (low <= high) {
        while (*low < pivot) ++low;
        while (*high > pivot) --high;
        if (low > high) break;
        const int t = *low;
        *low++ = *high;
        *high-- = t;
    }
    quicksort(begin, high + 1);
    quicksort(low, end);
}
extern "C" __global__ void quicksorts(int* data, int each, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) quicksort(data + i * each, data + (i + 1) * each);
}

__device__ int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}
extern "C" __global__ void ackermanns(int* out) { out[threadIdx.x] = ackermann(threadIdx.x % 3, threadIdx.x / 3); }

// ---- the heap: a list a thread, freed by the next launch ------------------------------------------------------------

struct Node {
    int value;
    Node* next;
};
extern "C" __global__ void build_lists(Node** heads, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Node* head = nullptr;
    for (int k = 0; k < i % 20; ++k) {
        Node* const node = static_cast<Node*>(malloc(sizeof(Node)));
        node->value = i + k;
        node->next = head;
        head = node;
    }
    heads[i] = head;
}
extern "C" __global__ void sum_lists(Node** heads, int* sums, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int sum = 0, place = 1;
    for (Node* node = heads[n - 1 - i]; node;) {  // those of another thread
        sum += place++ * node->value;
        Node* const next = node->next;
        free(node);
        node = next;
    }
    sums[i] = sum;
}

// ---- large and odd parameters, three dimensions, constants ----------------------------------------------------------

struct Volume {
    unsigned char tag;
    short size[3];
    double weights[3];
    struct {
        float* data;
        signed char name[5];
    } out;
    int table[100];
};
__constant__ int offsets[3][4] = {{1, 2, 3, 4}, {10, 20, 30, 40}, {100, 200, 300}};
__constant__ double scale = 0.5;

extern "C" __global__ void fill(const Volume v, int bias) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
              z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= v.size[0] || y >= v.size[1] || z >= v.size[2]) return;
    const int i = (z * v.size[1] + y) * v.size[0] + x;
    v.out.data[i] = (v.weights[0] * x + v.weights[1] * y + v.weights[2] * z) * scale + offsets[z % 3][x % 4] +
                    v.table[i % 100] + v.out.name[y % 5] + v.tag + bias;
}

// ---- integers of 128 bits -------------------------------------------------------------------------------------------

// base to the power of exponent, modulo a number of 64 bits; and what the signed type gives.
extern "C" __global__ void powers(const unsigned long long* in, unsigned long long* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned long long base = in[3 * i], exponent = in[3 * i + 1], modulus = in[3 * i + 2];
    unsigned __int128 power = 1 % modulus, square = base % modulus;
    for (unsigned long long e = exponent; e; e >>= 1) {
        if (e & 1) power = power * square % modulus;
        square = square * square % modulus;
    }
    const unsigned __int128 wide = static_cast<unsigned __int128>(base) << 64 | exponent;
    const __int128 product = static_cast<__int128>(static_cast<long long>(base)) * static_cast<long long>(exponent);
    out[4 * i] = static_cast<unsigned long long>(power);
    out[4 * i + 1] = static_cast<unsigned long long>(wide / modulus);
    out[4 * i + 2] = static_cast<unsigned long long>(wide / modulus >> 64);
    out[4 * i + 3] = static_cast<unsigned long long>(product / static_cast<long long>(modulus >> 1 | 1));
}

// ---- text -----------------------------------------------------------------------------------------------------------

extern "C" __global__ void report(const int* values) {
    const int i = blockIdx.x;
    if (threadIdx.x == 0)
        printf("%s %2d: %+d 0x%08x %-6u| %7.3f %e %g %c %lld%%\n", i % 2 ? "odd" : "even", i, values[i], values[i],
               values[i] & 1023, values[i] / 8.0, values[i] * 0.125f, 1.0 / (i + 1), 'a' + i,
               static_cast<long long>(values[i]) * 1000000007);
}
