#include "elementwise_source.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

#include "device_types.hpp"
#include "pycuda/gpuarray/elementwise.hpp"
#include "text.hpp"

namespace pycuda::gpuarray {
namespace {

using std::to_string;

/// Builds a kernel's source. Operands are a, b, c, d in memory, of the types A, B, C, D; x, y, z, w as values.
class Text {
public:
    Text(const ElementwiseKey& key, const Signature& types) : key_(key), types_(types), row_(info(key.op)) {
        for (int k = 0; k < key.inputs; ++k)
            if (is_array(k)) arrays_.push_back(k);
        std::size_t widest = info(key.out).size;
        for (const int k : arrays_) widest = std::max<std::size_t>(widest, info(key.in[k].dtype).size);
        if (key.walk == Walk::Dense && widest < 4 && !is_long()) vector_ = static_cast<unsigned>(4 / widest);
        single_ = key.walk == Walk::Dense && widest >= 8 && std::strstr(expression(), "pow") != nullptr;
    }

    unsigned elements() const { return single_ ? dense_threads : dense_elements * vector_; }

    std::string name() const {
        std::string name = row_.name;
        for (int k = 0; k < key_.inputs; ++k) {
            static constexpr const char* marks[] = {"", "", "s", "o"};
            name += std::string("_") + marks[static_cast<int>(key_.in[k].passing)] + info(key_.in[k].dtype).short_name;
        }
        if (key_.out != types_.result) name += std::string("_to_") + info(key_.out).short_name;
        static constexpr const char* walks[] = {"_dense", "_rows", "_strided", "_strided64_"};
        name += walks[static_cast<int>(key_.walk)];
        return key_.rank ? name + to_string(key_.rank) : name;
    }

    std::string text() const {
        const std::string walk = key_.walk == Walk::Dense ? dense() : key_.walk == Walk::Inner ? rows() : strided();
        const bool complex =
            is_complex(types_.compute) || is_complex(key_.out) ||
            std::any_of(key_.in, key_.in + key_.inputs, [](const auto& in) { return is_complex(in.dtype); });
        return with_includes(types() + operation() + walk, complex);
    }

private:
    static char upper(int k) { return static_cast<char>('A' + k); }
    static char lower(int k) { return static_cast<char>('a' + k); }
    bool is_array(int k) const { return key_.in[k].passing == Passing::Array; }
    bool is_value(int k) const { return key_.in[k].passing == Passing::Value; }

    std::string types() const {
        std::string text = "typedef " + arithmetic_type(types_.compute) + " T;  // computes in\ntypedef " +
                           storage_type(key_.out) + " R;  // gives\n";
        if (std::strstr(expression(), "S()")) text += "typedef " + storage_type(types_.compute) + " S;\n";
        for (int k = 0; k < key_.inputs; ++k)
            text += std::string("typedef ") +
                    (is_value(k) ? arithmetic_type(key_.in[k].dtype) : storage_type(key_.in[k].dtype)) + " " +
                    upper(k) + ";\n";
        return text;
    }

    /// The operation on one element, as a function.
    std::string operation() const {
        std::string text = "\n__device__ __forceinline__ R operation(", body;
        for (int k = 0; k < key_.inputs; ++k) {
            const std::string type = keeps_type(k)   ? arithmetic_type(key_.in[k].dtype)
                                     : keeps_real(k) ? arithmetic_type(real_part(types_.compute))
                                                     : "T";
            text += std::string(1, upper(k)) + " " + lower(k) + ", ";
            body += "    const " + type + " " + "xyzw"[k] + " = static_cast<" + type + ">(" + lower(k) + ");\n";
        }
        const bool real =
            row_.rule == ResultRule::Boolean || row_.rule == ResultRule::Real || row_.rule == ResultRule::RealFloating;
        const DType given = arithmetic_dtype(real ? real_part(types_.compute) : types_.compute);
        return text + "unsigned long long i)\n{\n" + body + "    return " +
               converted(with_suffix(expression(), types_.compute), given, key_.out) + ";\n}\n\n";
    }

    std::string head() const {
        std::string text =
            "extern \"C\" __global__ void __launch_bounds__(" + to_string(dense_threads) + ") " + name() + "(R* out";
        for (int k = 0; k < key_.inputs; ++k)
            text += is_value(k) ? std::string(", ") + upper(k) + " " + lower(k)
                                : std::string(", const ") + upper(k) + "* " + lower(k);
        return text;
    }

    const char* expression() const {
        static constexpr const char* orders[] = {
            "pycuda::arrays::order(x, y) == 0", "pycuda::arrays::order(x, y) != 0", "pycuda::arrays::order(x, y) < 0",
            "pycuda::arrays::order(x, y) <= 0", "pycuda::arrays::order(x, y) > 0",  "pycuda::arrays::order(x, y) >= 0"};
        if (types_.keeps_signs) return orders[static_cast<int>(key_.op) - static_cast<int>(Op::eq)];
        return row_.expression[static_cast<std::size_t>(info(types_.compute).kind)];
    }

    /// Whether operand k is not converted to T.
    bool keeps_type(int k) const { return types_.keeps_signs || (row_.rule == ResultRule::Choice && k == 0); }

    /// Whether operand k is real while others are complex: products and quotients are computed by parts, so that
    /// infinity is not multiplied by an imaginary 0.
    bool keeps_real(int k) const {
        const bool by_parts = key_.op == Op::add || key_.op == Op::sub || key_.op == Op::mul || key_.op == Op::div;
        return by_parts && is_complex(types_.compute) && !is_value(k) && !is_complex(key_.in[k].dtype);
    }

    /// Whether an element is expensive to compute: the kernel then contains the code once, to keep compilation short.
    bool is_long() const {
        const DTypeInfo& compute = info(types_.compute);
        if (is_integer(types_.compute) ? compute.size < 8 : compute.kind == DTypeKind::Bool) return false;
        if (row_.rule == ResultRule::Floating || row_.rule == ResultRule::RealFloating) return true;
        static constexpr const char* functions[] = {"pow", "mod", "floor_div", "quotient", "remainder"};
        return std::any_of(std::begin(functions), std::end(functions),
                           [this](const char* name) { return std::strstr(expression(), name); });
    }

    /// The call of operation() with arrays' elements as `element` writes them ("[i]" or "s[k]").
    std::string call(const std::string& element, const std::string& index) const {
        std::string text = "operation(";
        for (int k = 0; k < key_.inputs; ++k) {
            text += lower(k);
            if (is_array(k))
                text += element;
            else if (!is_value(k))
                text += "[0]";
            text += ", ";
        }
        return text + index + ")";
    }

    /// Four elements a thread: all loads before the first store, where they are `all_there`. `n` elements from `out`,
    /// `a`, ...; `first` is set.
    std::string four(const std::string& all_there) const {
        if (is_long()) return in_turn();
        std::string declared, loads;
        for (const int k : arrays_) {
            declared += std::string("        ") + upper(k) + " " + lower(k) + "s[4];\n";
            loads += std::string("            ") + lower(k) + "s[k] = " + lower(k) + "[first + k * 128];\n";
        }
        const std::string body =
            declared +
            (arrays_.empty() ? "" : "#pragma unroll\n        for (int k = 0; k < 4; ++k) {\n" + loads + "        }\n") +
            "#pragma unroll\n        for (int k = 0; k < 4; ++k)\n            out[first + k * 128] = " +
            call("s[k]", "first + k * 128") + ";\n";
        return "    if (" + all_there + ") {\n" + body + "    } else {\n" +
               "#pragma unroll 1\n        for (unsigned long long i = first; i < n; i += 128)\n            out[i] = " +
               call("[i]", "i") + ";\n    }\n";
    }

    /// The same, computed one element after the other.
    std::string in_turn() const {
        std::string text = "    unsigned long long i = first;\n", loads, next;
        for (const int k : arrays_) {
            const std::string a(1, lower(k));
            text += std::string("    ") + upper(k) + " " + a + "0, " + a + "1, " + a + "2, " + a + "3;\n";
            loads += "        " + a + "# = " + a + "[first + # * 128];\n";
            for (const char* step : {"0 = @1", "1 = @2", "2 = @3"}) {
                next += "        " + a + step + ";\n";
                next.replace(next.find('@'), 1, a);
            }
        }
        if (!arrays_.empty()) text += each(0, 4, "    if (first + # * 128 < n) {\n" + loads + "    }\n");
        return text + "#pragma unroll 1\n    for (int k = 0; k < 4 && i < n; ++k, i += 128) {\n        out[i] = " +
               call("0", "i") + ";\n" + next + "    }\n";
    }

    /// The same for small elements: packs of several, if all pointers are aligned to them.
    std::string packs() const {
        const std::string w = to_string(vector_), block = to_string(elements());
        std::string aligned = "reinterpret_cast<unsigned long long>(out) % sizeof(Pack<R>) == 0";
        std::string declared, loads;
        for (const int k : arrays_) {
            const std::string pack = std::string("Pack<") + upper(k) + ">";
            aligned += std::string("\n                         && reinterpret_cast<unsigned long long>(") + lower(k) +
                       ") % sizeof(" + pack + ") == 0";
            declared += "        " + pack + " " + lower(k) + "s[4];\n";
            loads += std::string("            ") + lower(k) + "s[k] = reinterpret_cast<const " + pack + "*>(" +
                     lower(k) + ")[first + k * 128];\n";
        }
        return "    const bool aligned = " + aligned + ";\n    const unsigned long long begin = blockIdx.x * " + block +
               "ull;\n    if (aligned && begin + " + block +
               " <= n) {\n        const unsigned long long first = begin / " + w + " + threadIdx.x;\n" + declared +
               "#pragma unroll\n        for (int k = 0; k < 4; ++k) {\n" + loads +
               "        }\n#pragma unroll\n        for (int k = 0; k < 4; ++k) {\n            Pack<R> result;\n"
               "#pragma unroll\n            for (int j = 0; j < " +
               w + "; ++j) result.v[j] = " + call("s[k].v[j]", "(first + k * 128) * " + w + " + j") +
               ";\n            reinterpret_cast<Pack<R>*>(out)[first + k * 128] = result;\n        }\n    } else {\n"
               "        const unsigned long long end = begin + " +
               block + " < n ? begin + " + block +
               " : n;\n#pragma unroll 1\n        for (unsigned long long i = begin + threadIdx.x; i < end; i += 128)\n"
               "            out[i] = " +
               call("[i]", "i") + ";\n    }\n";
    }

    /// One element per thread: if computing takes longer than memory, more threads help, and the source is the
    /// shortest.
    std::string one() const {
        return "    const unsigned long long i = blockIdx.x * 128ull + threadIdx.x;\n    if (i < n) out[i] = " +
               call("[i]", "i") + ";\n";
    }

    std::string dense() const {
        if (single_) return head() + ", unsigned long long n)\n{\n" + one() + "}\n";
        if (vector_ == 1)
            return head() +
                   ", unsigned long long n)\n{\n    const unsigned long long first = blockIdx.x * 512ull + "
                   "threadIdx.x;\n" +
                   four("blockIdx.x * 512ull + 512 <= n") + "}\n";  // the last block's warps all go one way
        return "template <class E>\nstruct alignas(" + to_string(vector_) + " * sizeof(E)) Pack {\n    E v[" +
               to_string(vector_) + "];\n};\n\n" + head() + ", unsigned long long n)\n{\n" + packs() + "}\n";
    }

    /// Names of the pointers that advance, the result's first.
    std::string moving() const {
        std::string names = "o";
        for (int k = 0; k < key_.inputs; ++k)
            if (!is_value(k)) names += lower(k);
        return names;
    }
    std::string pointer_type(char name) const {
        return name == 'o' ? "R*" : std::string("const ") + static_cast<char>(name - 'a' + 'A') + "*";
    }
    static std::string pointer_name(char name) { return name == 'o' ? "out" : std::string(1, name); }

    std::string rows() const {
        const std::string names = moving(), rank = to_string(key_.rank), count = to_string(names.size());
        std::string moves;
        for (std::size_t k = 0; k < names.size(); ++k) {
            const bool out = names[k] == 'o';
            const std::string bytes = out ? "char*" : "const char*", p = pointer_name(names[k]);
            moves += "    " + p + " = reinterpret_cast<" + pointer_type(names[k]) + ">(reinterpret_cast<" + bytes +
                     ">(" + p + ") + offset[" + to_string(k) + "]);\n";
        }
        return "struct Space {\n    unsigned long long n;  // of a row\n    pycuda::arrays::WideDivisor blocks;  // of "
               "a "
               "row\n    pycuda::arrays::WideDivisor axis[" +
               rank + "];\n    long long stride[" + count + "][" + rank + "];\n};\n\n" + head() +
               ", const Space space)\n{\n    unsigned long long row = space.blocks.divide(blockIdx.x);\n    const "
               "unsigned "
               "long long first = (blockIdx.x - row * space.blocks.size) * 512 + threadIdx.x, n = space.n;\n    long "
               "long "
               "offset[" +
               count + "] = {};\n#pragma unroll\n    for (int axis = " + to_string(key_.rank - 1) +
               "; axis >= 0; --axis) {\n        const unsigned long long next = space.axis[axis].divide(row);\n        "
               "const long long at = row - next * space.axis[axis].size;\n        row = next;\n#pragma unroll\n        "
               "for "
               "(int k = 0; k < " +
               count + "; ++k) offset[k] += at * space.stride[k][axis];\n    }\n" + moves +
               four("first + 3 * 128 < n") + "}\n";
    }

    std::string strided() const {
        const bool wide = key_.walk == Walk::Wide;
        const std::string names = moving(), rank = to_string(key_.rank), count = to_string(names.size());
        const std::string index = wide ? "unsigned long long" : "unsigned", offset = wide ? "long long" : "int";
        std::string text = "typedef " + index + " Index;\ntypedef " + offset +
                           " Offset;\n\nstruct Space {\n    Index n;\n" +
                           "    pycuda::arrays::" + (wide ? "WideDivisor" : "Divisor") + " axis[" + rank +
                           "];\n    Offset stride[" + count + "][" + rank + "];\n};\n\n";
        std::string loads, declared, at_out;
        for (std::size_t k = 0; k < names.size(); ++k) {
            const char name = names[k];
            const std::string place = "at[k][" + to_string(k) + "]";
            if (name == 'o') {
                at_out = "*reinterpret_cast<R*>(reinterpret_cast<char*>(out) + " + place + ")";
                continue;
            }
            declared += std::string("    ") + static_cast<char>(name - 'a' + 'A') + " " + name + "s[4];\n";
            loads += std::string("        ") + name + "s[k] = *reinterpret_cast<" + pointer_type(name) +
                     ">(reinterpret_cast<const char*>(" + name + ") + " + place + ");\n";
        }
        std::string call = "operation(";
        for (int k = 0; k < key_.inputs; ++k) call += lower(k) + std::string(is_value(k) ? ", " : "s[k], ");
        return text + head() +
               ", const Space space)\n{\n    const Index first = blockIdx.x * Index(512) + threadIdx.x;\n    Offset "
               "at[4][" +
               count + "] = {};\n" + declared +
               "#pragma unroll\n    for (int k = 0; k < 4; ++k) {\n        Index i = first + k * 128;\n        if (i "
               ">= "
               "space.n) i = space.n - 1;\n#pragma unroll\n        for (int axis = " +
               to_string(key_.rank - 1) +
               "; axis > 0; --axis) {\n            const Index next = space.axis[axis].divide(i);\n            const "
               "Offset "
               "here = i - next * space.axis[axis].size;\n            i = next;\n#pragma unroll\n            for (int "
               "o = "
               "0; o < " +
               count +
               "; ++o) at[k][o] += here * space.stride[o][axis];\n        }\n#pragma unroll\n        for (int o = 0; "
               "o < " +
               count + "; ++o) at[k][o] += static_cast<Offset>(i) * space.stride[o][0];\n" + loads +
               "    }\n#pragma unroll\n    for (int k = 0; k < 4; ++k)\n        if (first + k * 128 < space.n) " +
               at_out + " = " + call + "first + k * 128);\n}\n";
    }

    const ElementwiseKey& key_;
    const Signature& types_;
    const OperationInfo& row_;
    std::vector<int> arrays_;
    unsigned vector_ = 1;
    bool single_ = false;
};

}  // namespace

KernelKey ElementwiseKey::packed() const {
    static_assert(max_inputs == 4);
    return KernelFields(Family::Elementwise)
        .field(op)
        .field(walk)
        .field<4>(rank)
        .field(out)
        .field(in[0].passing)
        .field(in[0].dtype)
        .field(in[1].passing)
        .field(in[1].dtype)
        .field(in[2].passing)
        .field(in[2].dtype)
        .field(in[3].passing)
        .field(in[3].dtype);
}

KernelSource elementwise_source(const ElementwiseKey& key, const Signature& types) {
    const Text text(key, types);
    return {text.name(), text.text(), types.compute, key.out, text.elements()};
}

}  // namespace pycuda::gpuarray
