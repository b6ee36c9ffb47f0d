"""Einstein sums: pairs of arrays are multiplied as stacks of matrices, after axes that only one of them has are summed."""

import math
import operator
import string
from collections.abc import Iterable

import numpy as np

from pycuda._arrays import operations as _operations
from pycuda._arrays import ordering as _ordering
from pycuda._arrays import reductions as _reductions
from pycuda._arrays.copies import in_c_order, into
from pycuda._arrays.operations import broadcast_to, is_array, operate

__all__ = ["einsum"]


def einsum(*operands, out=None, dtype=None, order="K", casting="safe", optimize=False):
    """NumPy's einsum. The order of the products is that of the operands."""
    inputs, output, arrays = _parsed(operands)
    dtype = np.dtype(dtype) if dtype is not None else np.result_type(*(array.dtype for array in arrays))
    arrays = [array if array.dtype == dtype else operate("copy", array, type=dtype) for array in arrays]
    lengths = _lengths(inputs, arrays)
    terms = [_diagonal(labels, array, lengths) for labels, array in zip(inputs, arrays)]
    current = terms[0]
    for number, term in enumerate(terms[1:], 1):
        wanted = set(output).union(*(labels for labels, _ in terms[number + 1:]))
        current = _product(_summed(current, wanted | set(term[0])), _summed(term, wanted | set(current[0])), wanted)
    labels, array = _summed(current, set(output))
    array = array.transpose([labels.index(label) for label in output]) if output else array
    array = broadcast_to(array, tuple(lengths[label] for label in output))
    return into(out, array)


def _parsed(operands):
    """(labels of each operand, labels of the result, operands). The axes of an ellipsis are labelled with negative numbers."""
    if not operands:
        raise TypeError("einsum: expected subscripts such as 'ij,jk->ik' and GPUArrays, or GPUArrays each with a list of axes")
    if not isinstance(operands[0], str):
        operands = _as_text(operands)
    subscripts, arrays = operands[0].replace(" ", ""), operands[1:]
    for array in arrays:
        if not is_array(array):
            raise TypeError(f"einsum: expected GPUArrays, given {type(array).__name__}; copy it with gpuarray.to_gpu()")
    left, arrow, right = subscripts.partition("->")
    texts = left.split(",")
    if len(texts) != len(arrays) or not arrays:
        raise ValueError(f"einsum: {subscripts!r} names {len(texts)} operands, given {len(arrays)}")
    inputs = [_labels(text, array.ndim) for text, array in zip(texts, arrays)]
    every = [label for labels in inputs for label in labels]
    numbered = sorted({label for label in every if isinstance(label, int)})
    if arrow:
        output = _labels(right, len(right.replace("...", "")) + len(numbered))
    else:
        output = numbered + sorted(label for label in set(every) if not isinstance(label, int) and every.count(label) == 1)
    if len(set(output)) != len(output) or not set(output) <= set(every):
        raise ValueError(f"einsum: expected each subscript of the result once, and in an operand, given {subscripts!r}")
    return inputs, output, arrays


def _as_text(operands):
    """Operands, each followed by a list of axes (numbers up to 51, and Ellipsis), and optionally the result's axes at the end."""
    if len(operands) < 2:
        raise TypeError("einsum: expected GPUArrays, each with a list of axes")
    lists = [_text_of(axes) for axes in operands[1::2]]
    result = "->" + _text_of(operands[-1]) if len(operands) % 2 else ""
    return ",".join(lists) + result, *operands[:len(lists) * 2:2]


def _text_of(axes):
    if isinstance(axes, (str, bytes)) or not isinstance(axes, Iterable):
        raise TypeError(f"einsum: expected a list of axes, given {axes!r}")
    text = ""
    for axis in axes:
        if axis is not Ellipsis and not 0 <= operator.index(axis) < len(string.ascii_letters):
            raise ValueError(f"einsum: expected axes from 0 to {len(string.ascii_letters) - 1}, given {axis}")
        text += "..." if axis is Ellipsis else (string.ascii_uppercase + string.ascii_lowercase)[axis]
    return text


def _labels(text, ndim):
    before, ellipsis, after = text.partition("...")
    if not all(letter.isascii() and letter.isalpha() for letter in before + after):
        raise ValueError(f"einsum: expected letters as subscripts, given {text!r}")
    more = ndim - len(before) - len(after)
    if more < 0 or more and not ellipsis:
        raise ValueError(f"einsum: the subscripts {text!r} do not match an operand of {ndim} axes")
    return [*before, *range(-more, 0), *after]


def _lengths(inputs, arrays):
    lengths = {}
    for labels, array in zip(inputs, arrays):
        for label, length in zip(labels, array.shape):
            if lengths.setdefault(label, length) == 1:
                lengths[label] = length
            elif length not in (1, lengths[label]):
                raise ValueError(f"einsum: expected axes of one length for subscript {label!r}, given {lengths[label]} and {length}")
    return lengths


def _diagonal(labels, array, lengths):
    """The array with distinct labels: axes with the same label are replaced by their diagonal."""
    full = broadcast_to(array, tuple(lengths[label] if labels.count(label) > 1 else length for label, length in zip(labels, array.shape)))
    once = list(dict.fromkeys(labels))
    shape = [full.shape[labels.index(label)] for label in once]
    strides = [sum(stride for other, stride in zip(labels, full.strides) if other == label) for label in once]
    return once, full if once == labels else _operations.strided(full, shape, strides, full.dtype)


def _summed(term, wanted):
    """The term, summed over the axes that no other term needs."""
    labels, array = term
    dropped = tuple(axis for axis, label in enumerate(labels) if label not in wanted)
    if not dropped:
        return term
    return [label for label in labels if label in wanted], _reductions.sum(array, dtype=array.dtype, axis=dropped)


def _product(first, second, wanted):
    """The product of two terms, summed over their common labels that are not wanted."""
    shared = [label for label in first[0] if label in second[0]]
    stacked, inner = [label for label in shared if label in wanted], [label for label in shared if label not in wanted]
    rows, columns = ([label for label in labels if label not in shared] for labels, _ in (first, second))
    shape = {label: length for labels, array in (first, second) for label, length in zip(labels, array.shape)}
    shape.update((label, max(first[1].shape[first[0].index(label)], second[1].shape[second[0].index(label)])
                  if 0 not in (first[1].shape[first[0].index(label)], second[1].shape[second[0].index(label)]) else 0) for label in shared)
    if not inner:
        left, right = _in_order(first, [*stacked, *rows], shape), _in_order(second, [*stacked, *columns], shape)
        left = _operations.index(left, (Ellipsis, *(None,) * len(columns)))
        right = _operations.index(right, (*(slice(None),) * len(stacked), *(None,) * len(rows), Ellipsis))
        return [*stacked, *rows, *columns], operate("mul", left, right)
    groups = [[math.prod(shape[label] for label in labels)] for labels in (rows, inner, columns)]
    stack = [shape[label] for label in stacked]
    left = _operations.reshape(_packed(_in_order(first, [*stacked, *rows, *inner], shape)), (*stack, *groups[0], *groups[1]), "C")
    right = _operations.reshape(_packed(_in_order(second, [*stacked, *inner, *columns], shape)), (*stack, *groups[1], *groups[2]), "C")
    labels = [*stacked, *rows, *columns]
    return labels, _operations.reshape(_ordering.matmul(left, right), tuple(shape[label] for label in labels), "C")


def _in_order(term, labels, shape):
    """The term with its axes in the order of the labels, broadcast."""
    return broadcast_to(term[1].transpose([term[0].index(label) for label in labels]) if labels else term[1], tuple(shape[label] for label in labels))


def _packed(a):
    return _operations.reshape(in_c_order(a), a.shape, "C")
