#include "gpuarray/fusing/fused_source.hpp"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "gpuarray/device_types.hpp"
#include "gpuarray/text.hpp"
#include "kernel_files.hpp"

namespace pycuda::gpuarray {
namespace {

namespace pieces = kernel_files::fused;
using std::to_string;

/// The text of an expression: its operations, and a function `compute` that calls them in turn.
class ExpressionText {
public:
    explicit ExpressionText(const FusedExpression& of) : of_(of) {
        for (std::size_t k = 0; k < of.operations.size(); ++k) add(static_cast<int>(k));
        std::string results, stores;
        for (std::size_t k = 0; k < of.results.size(); ++k) {
            const int from = of.results[k];
            const std::string value = "v" + to_string(from), type = storage_type(dtype_of(from));
            results += fill_in(pieces::member, {{"type", type}, {"name", "r" + to_string(k)}});
            stores += fill_in(pieces::result, {{"number", to_string(k)}, {"value", value}});
        }
        for (const DType dtype : of.elements) complex_ |= is_complex(dtype);
        text_ = fill_in(pieces::expression, {{"operations", operations_},
                                             {"elements", members("e", true)},
                                             {"numbers", members("n", false)},
                                             {"results", results},
                                             {"values", values_},
                                             {"stores", stores}});
    }

    const std::string& text() const { return text_; }
    bool is_complex_text() const { return complex_; }
    int long_operations() const { return long_operations_; }
    DType dtype_of(int operation) const { return of_.operations[static_cast<std::size_t>(operation)].out; }

    std::string name() const {
        constexpr std::size_t max = 4;
        std::string name = "fused";
        const std::size_t count = of_.operations.size();
        for (std::size_t k = 0; k < std::min(count, max); ++k)
            name += std::string("_") + info(of_.operations[k].op).name;
        return count > max ? name + "_and_" + to_string(count - max) : name;
    }

    /// The kernel's parameters, and what is made of them.
    std::string number_parameters() const {
        std::string text;
        for_numbers(
            [&](const std::string& k, DType dtype) { text += "const " + arithmetic_type(dtype) + " n" + k + ", "; });
        return text;
    }
    std::string array_parameters() const {
        std::string text;
        for (std::size_t k = 0; k < of_.elements.size(); ++k)
            text += "const " + storage_type(of_.elements[k]) + "* e" + to_string(k) + ", ";
        return text;
    }
    std::string numbers() const {
        std::string text;
        for_numbers([&](const std::string& k, DType) { text += "n" + k + ", "; });
        return "{" + text + "}";
    }

private:
    template <class Body>
    void for_numbers(const Body& body) const {
        for (std::size_t k = 0; k < of_.numbers.size(); ++k)
            if (!of_.numbers[k].is_literal) body(to_string(k), of_.numbers[k].dtype);
    }

    std::string members(const std::string& prefix, bool elements) const {
        std::string text;
        const auto member = [&](const std::string& k, const std::string& type) {
            text += fill_in(pieces::member, {{"type", type}, {"name", prefix + k}});
        };
        if (elements)
            for (std::size_t k = 0; k < of_.elements.size(); ++k) member(to_string(k), storage_type(of_.elements[k]));
        else
            for_numbers([&](const std::string& k, DType dtype) { member(k, arithmetic_type(dtype)); });
        return text;
    }

    void add(int number) {
        const FusedOperation& operation = of_.operations[static_cast<std::size_t>(number)];
        ElementwiseKey key;
        key.op = operation.op;
        key.out = operation.out;
        key.inputs = static_cast<int>(operation.operands.size());
        for (int k = 0; k < key.inputs; ++k) {
            const FusedOperand& operand = operation.operands[static_cast<std::size_t>(k)];
            key.in[k] = {operand.kind == FusedOperand::Number ? Passing::Value : Passing::Array, dtype_of(operand)};
        }
        const FusedOperand& first = operation.operands[0];
        if (operation.op == Op::copy && key.in[0].dtype == operation.out && first.kind != FusedOperand::Number) {
            // the bits, as separate copies do
            values_ += fill_in(pieces::same_value, {{"number", to_string(number)}, {"value", text_of(first)}});
            return;
        }
        const OperationText made = operation_text(key, operation.types);
        complex_ |= made.is_complex;
        long_operations_ += made.is_long;
        std::string arguments;
        for (const FusedOperand& operand : operation.operands) arguments += text_of(operand) + ", ";
        values_ += fill_in(
            pieces::value,
            {{"number", to_string(number)}, {"operation", to_string(number_of(made.text))}, {"arguments", arguments}});
    }

    DType dtype_of(const FusedOperand& operand) const {
        const auto index = static_cast<std::size_t>(operand.index);
        return operand.kind == FusedOperand::Element  ? of_.elements[index]
               : operand.kind == FusedOperand::Number ? of_.numbers[index].dtype
                                                      : of_.operations[index].out;
    }

    std::string text_of(const FusedOperand& operand) const {
        const std::string index = to_string(operand.index);
        if (operand.kind == FusedOperand::Element) return "elements.e" + index;
        if (operand.kind == FusedOperand::Value) return "v" + index;
        const FusedExpression::Number& number = of_.numbers[static_cast<std::size_t>(operand.index)];
        if (!number.is_literal) return "numbers.n" + index;
        return "static_cast<" + arithmetic_type(number.dtype) + ">(" + to_string(number.literal) + ")";
    }

    /// Operations of the same text share it.
    std::size_t number_of(const std::string& text) {
        const auto found = std::find(texts_.begin(), texts_.end(), text);
        const auto number = static_cast<std::size_t>(found - texts_.begin());
        if (found != texts_.end()) return number;
        texts_.push_back(text);
        operations_ += fill_in(pieces::operation, {{"number", to_string(number)}, {"text", text}});
        return number;
    }

    const FusedExpression& of_;
    std::vector<std::string> texts_;
    std::string operations_, values_, text_;
    bool complex_ = false;
    int long_operations_ = 0;
};

/// Builds a fused elementwise kernel. The arrays that it writes are called o0, o1, ..., those that it reads e0, e1, ...
class Text {
public:
    Text(const FusedExpression& of, const FusedWalk& walk) : of_(of), walk_(walk), expression_(of) {
        std::size_t widest = 1;
        for (const int result : of.results)
            widest = std::max<std::size_t>(widest, size_of(expression_.dtype_of(result)));
        for (std::size_t k = 0; k < of.elements.size(); ++k)
            if (!walk.singles[k]) widest = std::max(widest, size_of(of.elements[k]));
        width_ = static_cast<unsigned>(16 / widest);
        if (expression_.long_operations() > 0) width_ = std::min(width_, 4u);
        const std::size_t pointers = of.results.size() + of.elements.size();
        at_once_ = expression_.long_operations() > 0 || pointers > 8 ? 1 : pointers > 4 ? 2 : 4;
    }

    /// Of a block.
    unsigned elements() const { return dense_threads * (walk_.walk == Walk::Dense ? width_ : at_once_); }

    std::string name() const {
        static constexpr const char* walks[] = {"_dense", "_rows", "_strided", "_strided64_"};
        const std::string name = expression_.name() + walks[static_cast<int>(walk_.walk)];
        return walk_.rank ? name + to_string(walk_.rank) : name;
    }

    std::string text() const {
        const bool dense = walk_.walk == Walk::Dense, rows = walk_.walk == Walk::Inner;
        const std::string preface =
            dense ? fill_in(pieces::pack_type, {{"width", to_string(width_)}}) : walk_text().space();
        std::string outs;
        for (std::size_t k = 0; k < of_.results.size(); ++k)
            outs += storage_type(expression_.dtype_of(of_.results[k])) + "* o" + to_string(k) + ", ";
        const std::string kernel = fill_in(
            pieces::kernel, {{"expression", expression_.text()},
                             {"preface", preface},
                             {"name", name()},
                             {"parameters", outs + expression_.array_parameters() + expression_.number_parameters()},
                             {"extent", dense ? "unsigned long long n" : "const Space space"},
                             {"numbers", expression_.numbers()},
                             {"body", dense  ? packs()
                                      : rows ? of_rows()
                                             : strided()}});
        return with_includes(kernel, expression_.is_complex_text());
    }

private:
    static std::size_t size_of(DType dtype) { return info(dtype).size; }
    WalkText walk_text() const {
        return {walk_.walk, walk_.rank, of_.results.size() + of_.elements.size(), elements(), at_once_};
    }

    /// Repeats `piece` for each array that is read, or for those with an element at every index.
    std::string for_inputs(const char* piece, bool with_singles) const {
        std::string text;
        for (std::size_t k = 0; k < of_.elements.size(); ++k)
            if (with_singles || !walk_.singles[k])
                text += fill_in(piece, {{"k", to_string(k)},
                                        {"type", storage_type(of_.elements[k])},
                                        {"pointer", to_string(of_.results.size() + k)}});
        return text;
    }
    std::string for_outputs(const char* piece) const {
        std::string text;
        for (std::size_t k = 0; k < of_.results.size(); ++k)
            text += fill_in(piece, {{"k", to_string(k)},
                                    {"type", storage_type(expression_.dtype_of(of_.results[k]))},
                                    {"pointer", to_string(k)}});
        return text;
    }
    /// The elements at an index: `at` follows the array's name ("[i]", "p.v[j]").
    std::string elements_at(const std::string& at) const {
        std::string text;
        for (std::size_t k = 0; k < of_.elements.size(); ++k)
            text += "e" + to_string(k) + (walk_.singles[k] ? "[0]" : at) + ", ";
        return "{" + text + "}";
    }

    std::string packs() const {
        return fill_in(pieces::packs, {{"aligned", for_outputs(pieces::output_is_aligned) +
                                                       for_inputs(pieces::input_is_aligned, false)},
                                       {"width", to_string(width_)},
                                       {"loads", for_inputs(pieces::load_pack, false)},
                                       {"packs", for_outputs(pieces::pack_of_results)},
                                       {"elements", elements_at("p.v[j]")},
                                       {"moves", for_outputs(pieces::into_pack)},
                                       {"stores", for_outputs(pieces::store_pack)},
                                       {"element", elements_at("[i]")},
                                       {"store", for_outputs(pieces::store)}});
    }

    std::string of_rows() const {
        return fill_in(pieces::to_row,
                       {{"row", walk_text().row_of_block()},
                        {"moves", for_outputs(pieces::output_to_row) + for_inputs(pieces::input_to_row, true)},
                        {"at_once", to_string(at_once_)},
                        {"loaded", elements_at("[first + k * 128]")},
                        {"moved", for_outputs(pieces::store_of_several)},
                        {"element", elements_at("[i]")},
                        {"store", for_outputs(pieces::store)}});
    }

    std::string strided() const {
        return fill_in(pieces::strided,
                       {{"positions",
                         walk_text().positions(fill_in(pieces::elements_of_thread, {{"at_once", to_string(at_once_)}}),
                                               for_inputs(pieces::load_strided, true))},
                        {"at_once", to_string(at_once_)},
                        {"stores", for_outputs(pieces::store_strided)}});
    }

    const FusedExpression& of_;
    const FusedWalk& walk_;
    const ExpressionText expression_;
    unsigned width_;    ///< elements of a pack
    unsigned at_once_;  ///< elements of a thread, for walks without packs
};

}  // namespace

KernelSource fused_source(const FusedExpression& expression, const FusedWalk& walk) {
    const Text text(expression, walk);
    const DType type = expression.operations.back().out;
    return {text.name(), text.text(), type, type, text.elements(), !expression.fast};
}

KernelSource fused_reduction_source(const FusedExpression& of, const std::vector<bool>& singles, bool aligned,
                                    const ReductionKey& key) {
    const ExpressionText expression(of);
    std::string pointers, arrays, elements, loads, in_pack, packs;
    for (std::size_t k = 0; k < of.elements.size(); ++k) {
        const std::string name = "e" + to_string(k);
        pointers += fill_in(pieces::pointer_member, {{"type", storage_type(of.elements[k])}, {"name", name}});
        arrays += name + ", ";
        elements += name + (singles[k] ? "[0], " : "[i], ");
        in_pack +=
            (singles[k] || !aligned ? "computed." + name + (singles[k] ? "[0], " : "[i + j], ") : name + "p.v[j], ");
        if (!singles[k] && aligned)
            loads += fill_in(pieces::load_computed, {{"type", storage_type(of.elements[k])}, {"name", name}});
    }
    for (std::size_t k = 0; k < of.results.size() && key.pack > 1; ++k)
        packs += fill_in(pieces::computed_pack, {{"k", to_string(k)},
                                                 {"type", storage_type(expression.dtype_of(of.results[k]))},
                                                 {"loads", loads},
                                                 {"pack", to_string(key.pack)},
                                                 {"elements", "{" + in_pack + "}"}});
    const ComputedOperands computed{
        expression.name(),
        expression.text() + fill_in(pieces::computed, {{"pointers", pointers}, {"elements", "{" + elements + "}"}}),
        packs,
        expression.array_parameters() + expression.number_parameters(),
        fill_in(pieces::gathered, {{"arrays", arrays}, {"numbers", expression.numbers()}}),
        expression.is_complex_text()};
    KernelSource source = reduction_source(key, &computed);
    source.rounds = !of.fast;
    return source;
}

KernelKey key_of(const KernelSource& source) {
    // Leaked: arrays are used until the process ends.
    static auto* const mutex = new std::mutex;
    static auto* const numbers = new std::unordered_map<std::string, std::uint64_t>;
    const std::lock_guard lock(*mutex);
    const std::uint64_t number = numbers->try_emplace(source.text, numbers->size()).first->second;
    return KernelFields(Family::Fused).field<48>(number).field(source.rounds);
}

}  // namespace pycuda::gpuarray
