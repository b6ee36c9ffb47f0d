#include "gpuarray/elementwise_source.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

#include "gpuarray/device_types.hpp"
#include "gpuarray/text.hpp"
#include "kernel_files.hpp"
#include "pycuda/gpuarray/elementwise.hpp"

namespace pycuda::gpuarray {
namespace {

namespace pieces = kernel_files::elementwise;
using std::to_string;

/// Builds a kernel's source. The operands in memory are called a, b, c, d, with the types A, B, C, D; their values are
/// x, y, z, w.
class Text {
public:
    Text(const ElementwiseKey& key, const Signature& types) : key_(key), types_(types), row_(info(key.op)) {
        for (int k = 0; k < key.inputs; ++k)
            if (!is_value(k)) in_memory_.push_back(k);
        std::copy_if(in_memory_.begin(), in_memory_.end(), std::back_inserter(arrays_),
                     [this](int k) { return is_array(k); });
        std::size_t widest = info(key.out).size, narrowest = widest;
        for (const int k : arrays_) {
            const std::size_t size = info(key.in[k].dtype).size;
            widest = std::max(widest, size);
            narrowest = std::min(narrowest, size);
        }
        if (key.walk == Walk::Dense && narrowest < 4 && !is_long())
            vector_ = static_cast<unsigned>(std::min(4 / narrowest, 16 / widest));
        packs_ = vector_ * widest < 16 ? 4 : 2;
        single_ = key.walk == Walk::Dense && widest >= 8 && std::strstr(expression(), "pow") != nullptr;
    }

    unsigned elements() const {
        return single_ ? dense_threads : vector_ > 1 ? dense_threads * packs_ * vector_ : dense_elements;
    }

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

    std::string text() const { return with(kernel()); }

    /// The operation, and text that calls it.
    std::string with(const std::string& user) const { return with_includes(operation() + user, has_complex()); }

    OperationText for_several() const { return {operation(), has_complex(), is_long()}; }

private:
    using Operands = std::vector<int>;

    static std::string upper(int k) { return {static_cast<char>('A' + k)}; }
    static std::string lower(int k) { return {static_cast<char>('a' + k)}; }
    bool is_array(int k) const { return key_.in[k].passing == Passing::Array; }
    bool is_value(int k) const { return key_.in[k].passing == Passing::Value; }

    bool has_complex() const {
        return is_complex(types_.compute) || is_complex(key_.out) ||
               std::any_of(key_.in, key_.in + key_.inputs, [](const auto& in) { return is_complex(in.dtype); });
    }

    /// Repeats `piece` for each of these operands; their pointers follow the result's.
    static std::string for_each(const Operands& operands, const char* piece) {
        std::string text;
        for (std::size_t k = 0; k < operands.size(); ++k)
            text +=
                fill_in(piece, {{"x", lower(operands[k])}, {"X", upper(operands[k])}, {"pointer", to_string(k + 1)}});
        return text;
    }

    /// The types, and the operation on one element, as a function.
    std::string operation() const {
        std::string operand_types, parameters, values;
        for (int k = 0; k < key_.inputs; ++k) {
            const DType own = key_.in[k].dtype;
            operand_types +=
                fill_in(pieces::operand_type,
                        {{"type", is_value(k) ? arithmetic_type(own) : storage_type(own)}, {"X", upper(k)}});
            parameters += upper(k) + " " + lower(k) + ", ";
            const std::string type = keeps_type(k)   ? arithmetic_type(own)
                                     : keeps_real(k) ? arithmetic_type(real_part(types_.compute))
                                     : is_choice()   ? "R"
                                                     : "T";
            const std::string value = is_choice() && k > 0 ? chosen(k) : "static_cast<" + type + ">(" + lower(k) + ")";
            values +=
                fill_in(pieces::operand_value, {{"type", type}, {"name", std::string(1, "xyzw"[k])}, {"value", value}});
        }
        const bool stores = std::strstr(expression(), "S()");
        return fill_in(
            pieces::operation,
            {{"compute", arithmetic_type(types_.compute)},
             {"out", storage_type(key_.out)},
             {"storage", stores ? fill_in(pieces::storage_type, {{"storage", storage_type(types_.compute)}}) : ""},
             {"types", operand_types},
             {"parameters", parameters},
             {"values", values},
             {"result", result()}});
    }

    /// The result of the operation, in the type of the array that it is written to. C computes narrow integers as int:
    /// they wrap as their own type does before another type takes them.
    std::string result() const {
        if (is_choice()) return expression();
        const std::string value = with_suffix(expression(), types_.compute);
        const bool is_narrow = is_integer(types_.compute) && info(types_.compute).size < 4;
        if (is_narrow && key_.op != Op::copy && types_.result == types_.compute && key_.out != types_.result)
            return converted(converted(value, types_.compute, types_.compute), types_.compute, key_.out);
        const bool real =
            row_.rule == ResultRule::Boolean || row_.rule == ResultRule::Real || row_.rule == ResultRule::RealFloating;
        return converted(value, arithmetic_dtype(real ? real_part(types_.compute) : types_.compute), key_.out);
    }

    std::string kernel() const {
        std::string operands;
        for (int k = 0; k < key_.inputs; ++k)
            operands += is_value(k) ? ", " + upper(k) + " " + lower(k) : ", const " + upper(k) + "* " + lower(k);
        const auto whole = [&](const std::string& preface, const char* extent, const std::string& body) {
            return fill_in(
                pieces::kernel,
                {{"preface", preface}, {"name", name()}, {"operands", operands}, {"extent", extent}, {"body", body}});
        };
        switch (key_.walk) {
            case Walk::Inner:
                return whole(walk_text().space(), "const Space space", rows());
            case Walk::General:
            case Walk::Wide:
                return whole(walk_text().space(), "const Space space", strided());
            case Walk::Dense:
                break;
        }
        const std::string preface = vector_ > 1 ? fill_in(pieces::pack_type, {{"width", to_string(vector_)}}) : "";
        return whole(preface, "unsigned long long n", dense());
    }

    const char* expression() const {
        static constexpr const char* orders[] = {
            "pycuda::arrays::order(x, y) == 0", "pycuda::arrays::order(x, y) != 0", "pycuda::arrays::order(x, y) < 0",
            "pycuda::arrays::order(x, y) <= 0", "pycuda::arrays::order(x, y) > 0",  "pycuda::arrays::order(x, y) >= 0"};
        if (types_.keeps_signs) return orders[static_cast<int>(key_.op) - static_cast<int>(Op::eq)];
        return row_.expression[static_cast<std::size_t>(info(types_.compute).kind)];
    }

    bool is_choice() const { return row_.rule == ResultRule::Choice; }

    /// Operand k of a choice as an element of the result. An array of the same type passes as it is: an element that a
    /// mask leaves out keeps its bits.
    std::string chosen(int k) const {
        const DType own = key_.in[k].dtype;
        if (!is_value(k) && own == key_.out) return lower(k);
        return converted("static_cast<" + arithmetic_type(own) + ">(" + lower(k) + ")", arithmetic_dtype(own),
                         key_.out);
    }

    /// True if operand k is not converted to T.
    bool keeps_type(int k) const { return types_.keeps_signs || (is_choice() && k == 0); }

    /// True if operand k is real while others are complex: products and quotients are then computed by parts, so that
    /// infinity is never multiplied by an imaginary 0.
    bool keeps_real(int k) const {
        const bool by_parts = key_.op == Op::add || key_.op == Op::sub || key_.op == Op::mul || key_.op == Op::div;
        return by_parts && is_complex(types_.compute) && !is_value(k) && !is_complex(key_.in[k].dtype);
    }

    /// True if an element is expensive to compute: the kernel then contains the code once, to keep compilation short.
    bool is_long() const {
        const DTypeInfo& compute = info(types_.compute);
        if (is_integer(types_.compute) ? compute.size < 8 : compute.kind == DTypeKind::Bool) return false;
        if (row_.rule == ResultRule::Floating || row_.rule == ResultRule::RealFloating) return true;
        static constexpr const char* functions[] = {"pow", "mod", "floor_div", "quotient", "remainder"};
        return std::any_of(std::begin(functions), std::end(functions),
                           [this](const char* name) { return std::strstr(expression(), name); });
    }

    /// The call of operation() with the elements of arrays, which `element` accesses ("[i]" or "s[k]").
    std::string call(const std::string& element, const std::string& index) const { return call(element, "[0]", index); }
    std::string call(const std::string& element, const std::string& single, const std::string& index) const {
        std::string text = "operation(";
        for (int k = 0; k < key_.inputs; ++k)
            text += lower(k) + (is_array(k) ? element : is_value(k) ? "" : single) + ", ";
        return text + index + ")";
    }

    /// Code for `n` elements from `out`, `a`, ..., of which the thread has four, starting at `first`.
    std::string four(const char* all_there) const {
        if (is_long()) return in_turn();
        const std::string loads = for_each(arrays_, pieces::load);
        return fill_in(pieces::all_loads_first,
                       {{"all_there", all_there},
                        {"declared", for_each(arrays_, pieces::four_of_operand)},
                        {"loop", loads.empty() ? "" : fill_in(pieces::load_loop, {{"loads", loads}})},
                        {"loaded", call("s[k]", "first + k * 128")},
                        {"element", call("[i]", "i")}});
    }

    std::string in_turn() const {
        const std::string loads = for_each(arrays_, pieces::load_by_name);
        return fill_in(pieces::in_turn,
                       {{"declared", for_each(arrays_, pieces::four_names)},
                        {"loads", loads.empty() ? "" : each(0, 4, fill_in(pieces::load_if_there, {{"loads", loads}}))},
                        {"next", call("0", "i")},
                        {"moves", for_each(arrays_, pieces::move_up)}});
    }

    std::string packs() const {
        const std::string width = to_string(vector_);
        return fill_in(pieces::packs, {{"aligned", for_each(arrays_, pieces::operand_is_aligned)},
                                       {"block", to_string(elements())},
                                       {"width", width},
                                       {"packs", to_string(packs_)},
                                       {"declared", for_each(arrays_, pieces::packs_of_operand)},
                                       {"loads", for_each(arrays_, pieces::load_pack)},
                                       {"loaded", call("s[k].v[j]", "(first + k * 128) * " + width + " + j")},
                                       {"four", four("first + 3 * 128 < n")}});
    }

    std::string dense() const {
        if (single_) return fill_in(pieces::one, {{"element", call("[i]", "i")}});
        return vector_ > 1 ? packs() : pieces::dense + four("blockIdx.x * 512ull + 512 <= n");
    }

    std::string rows() const {
        return fill_in(pieces::to_row,
                       {{"row", walk_text().row_of_block()}, {"moves", for_each(in_memory_, pieces::operand_to_row)}}) +
               four("first + 3 * 128 < n");
    }

    std::string strided() const {
        return fill_in(pieces::strided,
                       {{"positions", walk_text().positions(for_each(in_memory_, pieces::four_strided),
                                                            for_each(in_memory_, pieces::load_strided))},
                        {"loaded", call("s[k]", "s[k]", "first + k * 128")}});
    }

    WalkText walk_text() const { return {key_.walk, key_.rank, 1 + in_memory_.size(), 512, 4}; }

    const ElementwiseKey& key_;
    const Signature& types_;
    const OperationInfo& row_;
    Operands arrays_;      ///< operands with an element for each of the result's
    Operands in_memory_;   ///< the same, and operands of a single element
    unsigned vector_ = 1;  ///< elements of a pack
    unsigned packs_ = 1;   ///< of a thread
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

std::string WalkText::space() const {
    if (walk == Walk::Inner)
        return fill_in(pieces::row_space, {{"rank", to_string(rank)}, {"pointers", to_string(pointers)}});
    const bool wide = walk == Walk::Wide;
    return fill_in(pieces::strided_space, {{"index", wide ? "unsigned long long" : "unsigned"},
                                           {"offset", wide ? "long long" : "int"},
                                           {"divisor", wide ? "WideDivisor" : "Divisor"},
                                           {"rank", to_string(rank)},
                                           {"pointers", to_string(pointers)}});
}

std::string WalkText::row_of_block() const {
    return fill_in(pieces::row_of_block,
                   {{"block", to_string(block)}, {"pointers", to_string(pointers)}, {"last", to_string(rank - 1)}});
}

std::string WalkText::positions(const std::string& declared, const std::string& loads) const {
    return fill_in(pieces::strided_positions, {{"block", to_string(block)},
                                               {"at_once", to_string(at_once)},
                                               {"pointers", to_string(pointers)},
                                               {"declared", declared},
                                               {"last", to_string(rank - 1)},
                                               {"loads", loads}});
}

KernelSource elementwise_source(const ElementwiseKey& key, const Signature& types) {
    const Text text(key, types);
    return {text.name(), text.text(), types.compute, key.out, text.elements(), true};
}

OperationText operation_text(const ElementwiseKey& key, const Signature& types) {
    return Text(key, types).for_several();
}

KernelSource update_source(Op op, DType array, DType values, const Signature& types) {
    ElementwiseKey key;
    key.op = op;
    key.out = array;
    key.in[0] = {Passing::Array, array};
    key.in[1] = {Passing::Array, values};
    key.inputs = 2;
    const std::string name =
        std::string("update_at_") + info(op).name + "_" + info(array).short_name + "_" + info(values).short_name;
    return {name, Text(key, types).with(fill_in(pieces::update_at, {{"name", name}})), types.compute, array, 0, true};
}

}  // namespace pycuda::gpuarray
