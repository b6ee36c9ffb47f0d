#include "pycuda/gpuarray/composed/einsum.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gpuarray/composed/array_parts.hpp"
#include "gpuarray/composed/subscripts.hpp"
#include "pycuda/gpuarray/composed/rearranging.hpp"

namespace pycuda::gpuarray {
namespace {

using LabelSet = std::set<int>;
using LengthOf = std::map<int, std::int64_t>;

/// An array with a label for each axis.
struct Term {
    Labels labels;
    Array array;

    std::size_t axis_of(int label) const {
        return static_cast<std::size_t>(std::ranges::find(labels, label) - labels.begin());
    }
    bool has(int label) const { return axis_of(label) < labels.size(); }
    std::int64_t length_of(int label) const { return array.layout().shape()[axis_of(label)]; }
};

Labels joined(std::initializer_list<std::reference_wrapper<const Labels>> parts) {
    Labels all;
    for (const Labels& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

Lengths lengths_in(const LengthOf& lengths, const Labels& labels) {
    Lengths shape;
    for (const int label : labels) shape.push_back(lengths.at(label));
    return shape;
}

/// The product of lengths of an existing layout, which does not overflow unless one of them is 0.
std::int64_t all_in(const LengthOf& lengths, const Labels& labels) {
    const Lengths shape = lengths_in(lengths, labels);
    if (std::ranges::find(shape, 0) != shape.end()) return 0;
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

/// The length of each label: axes of length 1 broadcast.
LengthOf lengths_of(const std::vector<Term>& terms) {
    LengthOf lengths;
    for (const Term& term : terms)
        for (std::size_t axis = 0; axis < term.labels.size(); ++axis) {
            const std::int64_t length = term.array.layout().shape()[axis];
            const auto [found, is_new] = lengths.try_emplace(term.labels[axis], length);
            if (found->second == 1)
                found->second = length;
            else if (length != 1 && length != found->second)
                throw std::invalid_argument("einsum: expected axes of one length for subscript " +
                                            text_of_label(term.labels[axis]) + ", given " +
                                            std::to_string(found->second) + " and " + std::to_string(length));
        }
    return lengths;
}

/// With each label once: axes with the same one are replaced by their diagonal.
Term with_distinct_labels(const Term& term, const LengthOf& lengths) {
    Lengths full = shape_of(term.array), shape, strides;
    Labels once;
    for (std::size_t axis = 0; axis < full.size(); ++axis) {
        const int label = term.labels[axis];
        if (std::ranges::count(term.labels, label) > 1) {
            if (term.array.layout().shape()[axis] != term.length_of(label))
                throw std::invalid_argument("einsum: expected axes of one length for subscript " +
                                            text_of_label(label) + ", which one operand has twice, given " +
                                            std::to_string(term.length_of(label)) + " and " +
                                            std::to_string(term.array.layout().shape()[axis]));
            full[axis] = lengths.at(label);
        }
        if (std::ranges::find(once, label) == once.end()) once.push_back(label);
    }
    if (once == term.labels) return term;
    const Layout broadcast = term.array.layout().broadcast_to(full);
    for (const int label : once) {
        shape.push_back(full[term.axis_of(label)]);
        strides.push_back(0);
        for (std::size_t axis = 0; axis < full.size(); ++axis)
            if (term.labels[axis] == label) strides.back() += broadcast.strides()[axis];
    }
    return {once, term.array.view(Layout(shape, strides, broadcast.itemsize()))};
}

/// Summed over the axes that nothing else needs.
Term summed(const Term& term, const LabelSet& wanted, CUstream stream) {
    std::uint32_t dropped = 0;
    Labels kept;
    for (std::size_t axis = 0; axis < term.labels.size(); ++axis) {
        if (wanted.contains(term.labels[axis]))
            kept.push_back(term.labels[axis]);
        else
            dropped |= 1u << axis;
    }
    if (dropped == 0) return term;
    return {kept, Calculation{stream}.reduce(Reduction::sum, term.array, dropped, false, term.array.dtype())};
}

/// A view with the axes in this order, broadcast.
Array in_order(const Term& term, const Labels& labels, const LengthOf& lengths) {
    Lengths axes;
    for (const int label : labels) axes.push_back(static_cast<std::int64_t>(term.axis_of(label)));
    const Array turned = term.array.view(views::transpose(term.array.layout(), axes));
    return turned.view(turned.layout().broadcast_to(lengths_in(lengths, labels)));
}

/// A view with `count` axes of length 1 after the first `at`.
Array with_axes_at(const Array& array, std::size_t at, std::size_t count) {
    std::vector<IndexPart> parts(at);
    parts.insert(parts.end(), count, {IndexPart::Kind::NewAxis});
    const views::View lifted = views::index(array.layout(), parts);
    return array.view(lifted.layout, lifted.offset);
}

/// A product of two terms: how their labels take part in it.
struct Roles {
    Roles(const Term& first, const Term& second, const LabelSet& wanted) {
        for (const int label : first.labels)
            (!second.has(label) ? rows : wanted.contains(label) ? stacked : inner).push_back(label);
        for (const int label : second.labels)
            if (!first.has(label)) columns.push_back(label);
        for (const Term* term : {&first, &second})
            for (const int label : term->labels) lengths[label] = term->length_of(label);
        for (const Labels* shared : {&stacked, &inner})
            for (const int label : *shared) {
                const std::int64_t a = first.length_of(label), b = second.length_of(label);
                lengths[label] = a == 0 || b == 0 ? 0 : std::max(a, b);
            }
    }
    Labels stacked, inner;  ///< of both: those that are kept, and those to sum over
    Labels rows, columns;   ///< only of the first, and of the second
    LengthOf lengths;
};

/// Summed over their common labels that are not wanted.
Term product(const Term& first, const Term& second, const LabelSet& wanted, CUstream stream) {
    const Roles roles(first, second, wanted);
    const Labels labels = joined({roles.stacked, roles.rows, roles.columns});
    if (roles.inner.empty()) {
        const Array left = in_order(first, joined({roles.stacked, roles.rows}), roles.lengths);
        const Array right = in_order(second, joined({roles.stacked, roles.columns}), roles.lengths);
        const Array beside = with_axes_at(left, left.layout().shape().size(), roles.columns.size());
        const Array below = with_axes_at(right, roles.stacked.size(), roles.rows.size());
        return {labels, Calculation{stream}(Op::mul, {&beside, &below})};
    }
    const auto matrices = [&](const Term& term, const Labels& of_rows, const Labels& of_columns) {
        const Array ordered = in_order(term, joined({roles.stacked, of_rows, of_columns}), roles.lengths);
        Lengths shape = lengths_in(roles.lengths, roles.stacked);
        shape.push_back(all_in(roles.lengths, of_rows));
        shape.push_back(all_in(roles.lengths, of_columns));
        return in_c_order(ordered, stream).reshaped(shape);
    };
    const Array left = matrices(first, roles.rows, roles.inner), right = matrices(second, roles.inner, roles.columns);
    return {labels, matmul(left, right, stream).reshaped(lengths_in(roles.lengths, labels))};
}

DType common_dtype_of(std::span<const Array> arrays) {
    DType common = arrays[0].dtype();
    for (const Array& array : arrays) common = common_dtype(common, array.dtype());
    return common;
}

/// The labels that the result, and the terms from number `from` on, have.
LabelSet wanted_from(const std::vector<Term>& terms, std::size_t from, const Labels& output) {
    LabelSet wanted(output.begin(), output.end());
    for (std::size_t k = from; k < terms.size(); ++k) wanted.insert(terms[k].labels.begin(), terms[k].labels.end());
    return wanted;
}

LabelSet with_labels(LabelSet set, const Labels& more) {
    set.insert(more.begin(), more.end());
    return set;
}

}  // namespace

Array einsum(std::string_view subscripts, std::span<const Array> arrays, std::optional<DType> dtype, bool copies,
             CUstream stream) {
    std::vector<int> axes;
    for (const Array& array : arrays) axes.push_back(array.layout().ndim());
    const Subscripts read = read_subscripts(subscripts, axes);
    const DType type = dtype ? *dtype : common_dtype_of(arrays);
    static_cast<void>(info(type));  // rejects structures
    std::vector<Term> terms;
    for (std::size_t k = 0; k < arrays.size(); ++k) terms.push_back({read.inputs[k], as_type(arrays[k], type, stream)});
    const LengthOf lengths = lengths_of(terms);
    for (Term& term : terms) term = with_distinct_labels(term, lengths);
    Term current = terms[0];
    for (std::size_t k = 1; k < terms.size(); ++k) {
        const LabelSet wanted = wanted_from(terms, k + 1, read.output);
        const Term left = summed(current, with_labels(wanted, terms[k].labels), stream);
        current = product(left, summed(terms[k], with_labels(wanted, left.labels), stream), wanted, stream);
    }
    const Array result =
        in_order(summed(current, wanted_from(terms, terms.size(), read.output), stream), read.output, lengths);
    const auto shares = [&](const Array& array) {
        return result.memory() ? result.memory() == array.memory() : !array.memory();
    };
    return copies && std::ranges::any_of(arrays, shares) ? converted(result, type, Order::C, stream) : result;
}

}  // namespace pycuda::gpuarray
