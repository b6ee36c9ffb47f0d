"""Functions that delete, insert, cut, repeat, write and choose elements."""

import numpy as np
import pytest
from both import check, check_layouts

V, X = np.array([3, 0, -2, 0, 5, 0]), np.arange(12).reshape(3, 4) % 5
MASK = np.array([True, False, True, True, False, True])
DTYPES, SHAPES = "?bIlfD", [(), (0,), (5,), (3, 4), (2, 0, 3), (2, 3, 2)]


def written(function):
    """The array that a function writes to."""

    def call(A, x):
        x = x.copy()
        assert function(A, x) is None
        return x

    return call


#: Calls with an array of any dtype, shape and layout.
OF_ANY = {
    "delete one": lambda A, x: np.delete(x, 1), "delete several": lambda A, x: np.delete(x, [0, -1], axis=-1), "delete a slice": lambda A, x: np.delete(x, slice(0, 4, 2), axis=0),
    "delete nothing": lambda A, x: np.delete(x, []), "insert one": lambda A, x: np.insert(x, 1, 7), "insert at the end": lambda A, x: np.insert(x, -1, 3, axis=-1),
    "insert several": lambda A, x: np.insert(x, [0, 1], [1, 0]), "insert into an axis": lambda A, x: np.insert(x, [1, 0], 1, axis=0), "resize": lambda A, x: np.resize(x, (2, 7)),
    "resize to fewer": lambda A, x: np.resize(x, 3), "ediff1d": lambda A, x: np.ediff1d(x), "ediff1d with ends": lambda A, x: np.ediff1d(x, to_end=[1, 2], to_begin=0),
    "diag": lambda A, x: np.diag(x), "diag above": lambda A, x: np.diag(x, 1), "diag below": lambda A, x: np.diag(x, -2), "diagflat": lambda A, x: np.diagflat(x, 1),
    "fill_diagonal": written(lambda A, x: np.fill_diagonal(x, 1)), "fill_diagonal with several": written(lambda A, x: np.fill_diagonal(x, [1, 0, 1])),
    "vander": lambda A, x: np.vander(x), "vander of columns": lambda A, x: np.vander(x, 3, increasing=True), "extract": lambda A, x: np.extract(x, x), "compress": lambda A, x: np.compress([True, False, True], x, axis=-1),
    "compress all": lambda A, x: np.compress([True, False, True], x), "put": written(lambda A, x: np.put(x, [0, -1, 2], [1, 0])), "put by wrapping": written(lambda A, x: np.put(x, [1, 12, -7], 1, mode="wrap")),
    "put by clipping": written(lambda A, x: np.put(x, [1, 99, -7] if x.size > 1 else [99], [0, 1, 1], mode="clip")), "putmask": written(lambda A, x: np.putmask(x, x == x, [1, 0, 1])), "place": written(lambda A, x: np.place(x, x > 0 if x.dtype.kind != "c" else x == 1, x[...].ravel()[:2] if x.ndim == 1 else [True])),
    "copyto": written(lambda A, x: np.copyto(x, True)), "copyto where": written(lambda A, x: np.copyto(x, A(np.True_), where=x == x)), "select": lambda A, x: np.select([x == x, x != x], [x, x], 0), "isreal": lambda A, x: np.isreal(x),
    "iscomplex": lambda A, x: np.iscomplex(x), "real_if_close": lambda A, x: np.real_if_close(x), "fliplr": lambda A, x: np.fliplr(x), "flipud": lambda A, x: np.flipud(x),
    "rollaxis": lambda A, x: np.rollaxis(x, -1), "rollaxis to the end": lambda A, x: np.rollaxis(x, 0, x.ndim), "unstack": lambda A, x: np.unstack(x, axis=-1) if hasattr(np, "unstack") else None,
    "matrix_transpose": lambda A, x: np.matrix_transpose(x) if hasattr(np, "matrix_transpose") else None, "block": lambda A, x: np.block([[x, x], [x, x]]), "block of one": lambda A, x: np.block(x),
    "tril_indices_from": lambda A, x: np.tril_indices_from(x, 1), "triu_indices_from": lambda A, x: np.triu_indices_from(x), "array_equiv": lambda A, x: np.array_equiv(x, x[...]), "argwhere": lambda A, x: np.argwhere(x),
    "trim_zeros": lambda A, x: np.trim_zeros(x), "apply_over_axes": lambda A, x: np.apply_over_axes(lambda a, axis: np.sum(a, axis, dtype=a.dtype), x, [0, -1]) if x.ndim else None,
    "apply_along_axis": lambda A, x: np.apply_along_axis(lambda line: line[::-1], 0, x) if x.ndim else None, "piecewise": lambda A, x: np.piecewise(x, [x == 1, x == 0], [2, lambda part: part + part, 1]),
    "swapaxes": lambda A, x: x.swapaxes(0, -1), "take": lambda A, x: x.take([0, -1]), "diagonal": lambda A, x: x.diagonal(), "trace": lambda A, x: np.trace(x), "put_along_axis": written(lambda A, x: np.put_along_axis(x, A(np.zeros(x.shape, int)), 1, -1) if x.ndim else None),
}


@pytest.mark.parametrize("name", OF_ANY)
def test_dtypes_shapes_and_layouts(name):
    # NumPy's bool of an operation that is no function here, such as ediff1d of bool, is an error in both.
    check_layouts(OF_ANY[name], DTYPES if name not in ("put_along_axis",) else "lf", SHAPES, special=True)


CASES = {
    "delete beyond": lambda A: np.delete(A(V), 9), "delete by a mask": lambda A: np.delete(A(V), MASK), "delete by a device mask": lambda A: np.delete(A(V), A(MASK)), "delete by a device index": lambda A: np.delete(A(V), A([1, 3])),
    "delete by a short mask": lambda A: np.delete(A(V), [True]), "delete from no axis": lambda A: np.delete(A(X), 1, axis=5), "delete by floats": lambda A: np.delete(A(V), [0.5]), "insert beyond": lambda A: np.insert(A(V), 99, 1),
    "insert floats": lambda A: np.insert(A(V), [1, 1, 4], [1.5, 2.5, 3.5]), "insert rows": lambda A: np.insert(A(X), 1, [9, 8, 7, 6], axis=0), "insert columns": lambda A: np.insert(A(X), [1], A([[7], [8], [9]]), axis=1),
    "insert by a mask": lambda A: np.insert(A(V), MASK, -1), "insert at a matrix": lambda A: np.insert(A(V), [[0]], 1), "insert what does not fit": lambda A: np.insert(A(X), 1, [1, 2, 3], axis=0), "insert at one place": lambda A: np.insert(A(X), 1, A([[1, 2, 3, 4]]), axis=0),
    "resize to a negative": lambda A: np.resize(A(V), -1), "trim front": lambda A: np.trim_zeros(A(np.array([0, 0, 1, 2, 0])), "f"), "trim back": lambda A: np.trim_zeros(A(np.array([0, 0, 1, 2, 0])), "B"), "trim wrongly": lambda A: np.trim_zeros(A(V), "x"),
    "ediff1d to another kind": lambda A: np.ediff1d(A(V), to_end=[1.5]), "fill_diagonal, wrapped": lambda A: np.fill_diagonal(a := A(np.zeros((11, 3), int)), [1, 2, 3, 4], wrap=True) or a, "fill_diagonal, not wrapped": lambda A: np.fill_diagonal(a := A(np.zeros((9, 3), int)), 4) or a,
    "fill_diagonal of unequal": lambda A: np.fill_diagonal(A(np.zeros((2, 3, 2))), 1), "fill_diagonal of a cube": lambda A: np.fill_diagonal(a := A(np.zeros((3, 3, 3))), 2) or a, "fill_diagonal wide": lambda A: np.fill_diagonal(a := A(np.zeros((3, 7))), [1, 2, 3], wrap=True) or a,
    "copyto narrower": lambda A: np.copyto(A(V), 1.5), "copyto unsafe": lambda A: np.copyto(a := A(V), 1.5, casting="unsafe") or a, "copyto shapes": lambda A: np.copyto(A(V), A([1, 2])), "copyto rows": lambda A: np.copyto(a := A(X), A([1, 2, 3, 4])) or a,
    "copyto where mask": lambda A: np.copyto(a := A(V), A(np.full(6, 9)), where=A(MASK)) or a, "copyto where number": lambda A: np.copyto(A(V), 1, where=A([1, 0, 1, 0, 1, 0])), "copyto out of range": lambda A: np.copyto(A(np.zeros(2, np.uint8)), 300),
    "put beyond": lambda A: np.put(A(V), [6], 1), "put nothing": lambda A: np.put(a := A(V), [0], []) or a, "put wrongly": lambda A: np.put(A(V), [0], 1, mode="x"), "put floats": lambda A: np.put(a := A(V), A([0, 1]), [1.5, 2.5]) or a, "put by floats": lambda A: np.put(A(V), [0.5], 1),
    "put to a view": lambda A: np.put((a := A(X))[:, ::2], [0, 3], [70, 80]) or a, "put method": lambda A: A(V).put([0], [1]), "putmask of another size": lambda A: np.putmask(A(V), A([True]), 1), "putmask repeats": lambda A: np.putmask(a := A(V), A(MASK), A([10, 20, 30])) or a,
    "place repeats": lambda A: np.place(a := A(V), A(MASK), A([10, 20])) or a, "place nothing": lambda A: np.place(A(V), A(MASK), A(np.array([], int))), "place floats": lambda A: np.place(A(V), A(MASK), A([1.5])), "place of another size": lambda A: np.place(A(V), A([True]), A([1])),
    "put_along_axis": lambda A: np.put_along_axis(a := A(X), A([[0], [3], [1]]), 99, axis=1) or a, "put_along_axis of all": lambda A: np.put_along_axis(a := A(X), A([0, 5]), A([50, 60]), axis=None) or a, "put_along_axis by floats": lambda A: np.put_along_axis(A(X), A([[0.0]]), 1, 1),
    "put_along_axis of other axes": lambda A: np.put_along_axis(A(X), A([0]), 1, 1), "choose": lambda A: np.choose(A([0, 1, 1, 0]), [A([1, 2, 3, 4]), A([5.5, 6, 7, 8])]), "choose from an array": lambda A: np.choose(A([2, 1, 0, 1]), A(X)), "choose numbers": lambda A: np.choose(A([1, 0]), [5, 6]),
    "choose wrapped": lambda A: np.choose(A([4, -1]), [5, 6, 7], mode="wrap"), "choose clipped": lambda A: np.choose(A([4, -1]), [5, 6, 7], mode="clip"), "choose broadcast": lambda A: np.choose(A([[0], [1]]), [A([1, 2, 3]), -1]), "choose out": lambda A: np.choose(A([1, 0]), [A([1, 2]), A([3, 4])], out=A(np.zeros(2, int))),
    "choose nothing": lambda A: np.choose(A([0]), []), "choose method": lambda A: A([1, 0]).choose([A([1, 2]), A([3, 4])]), "select by numbers": lambda A: np.select([A([1, 0])], [A([1, 2])]), "select nothing": lambda A: np.select([], []), "select unequal": lambda A: np.select([A(MASK)], [A(V), A(V)]),
    "select first": lambda A: np.select([A(V) > 0, A(V) > -3], [A(V) * 10, A(V)], 7), "select types": lambda A: np.select([A(MASK)], [A(V.astype(np.int8))], 2.5), "select broadcast": lambda A: np.select([A(MASK)], [A(X[:, :1])], A(np.float32(1))),
    "piecewise by numbers": lambda A: np.piecewise(A(V.astype(float)), [A(V) < 0, A(V) >= 0], [-1, 1]), "piecewise functions": lambda A: np.piecewise(A(V.astype(float)), [A(V) < 0], [lambda x, k: x * k, lambda x, k: x + k], 3.0), "piecewise unequal": lambda A: np.piecewise(A(V), [A(V) < 0], [1, 2, 3]),
    "piecewise of one condition": lambda A: np.piecewise(A(V), A(V) > 0, [5, 6]), "piecewise without axes": lambda A: np.piecewise(A(3.0), [A(np.True_), A(np.False_)], [lambda x: x + 1, 0]), "compress beyond": lambda A: np.compress([False] * 6 + [True], A(V)), "compress by a matrix": lambda A: np.compress([[True]], A(V)),
    "compress on the device": lambda A: np.compress(A(MASK[:3]), A(X), axis=0), "compress out": lambda A: np.compress(A(MASK), A(V), out=A(np.zeros(4, int))), "extract by another shape": lambda A: np.extract(A(MASK.reshape(2, 3)), A(V)), "unravel_index": lambda A: np.unravel_index(A([0, 5, 11]), (3, 4)),
    "unravel_index in F": lambda A: np.unravel_index(A([[0, 5], [11, 3]]), (3, 4), order="F"), "unravel_index of floats": lambda A: np.unravel_index(A([0.5]), (3, 4)), "unravel wrongly": lambda A: np.unravel_index(A([1]), (3, 4), order="K"), "ravel_multi_index": lambda A: np.ravel_multi_index((A([0, 2]), A([1, 3])), (3, 4)),
    "ravel_multi_index in F": lambda A: np.ravel_multi_index((A([0, 2]), A([1, 3])), (3, 4), order="F"), "ravel wrapped": lambda A: np.ravel_multi_index((A([4, -1]), A([1, 9])), (3, 4), mode=("wrap", "clip")), "ravel of three": lambda A: np.ravel_multi_index((A([0]), A([0])), (1, 2, 3)),
    "diag_indices_from": lambda A: np.diag_indices_from(A(np.eye(3))), "diag_indices of unequal": lambda A: np.diag_indices_from(A(X)), "array_equiv broadcast": lambda A: np.array_equiv(A([1, 1]), A([[1, 1], [1, 1]])), "array_equiv of unequal": lambda A: np.array_equiv(A([1, 2]), A([1, 2, 3])),
    "array_equiv of a number": lambda A: np.array_equiv(A([2, 2]), 2), "block of rows": lambda A: np.block([[A(X), A(X[:, :1])], [np.float32(1) * A(np.ones((1, 5), np.float32))]]), "block of tuples": lambda A: np.block((A(V), A(V))), "block of numbers": lambda A: np.block([1, A(V), 2.5]), "block unequal": lambda A: np.block([A(V), [A(V)]]),
    "block of nothing": lambda A: np.block([[], A(V)]), "row by row": lambda A: np.apply_along_axis(np.sort, 1, A(X)), "matrices by lines": lambda A: np.apply_along_axis(np.diag, -1, A(X[:2])), "numbers by lines": lambda A: np.apply_along_axis(lambda line, k: np.max(line) + k, 0, A(X), 3), "no lines": lambda A: np.apply_along_axis(np.sort, 0, A(np.zeros((3, 0)))),
    "ix_": lambda A: np.ix_(A([1, 2]), A([True, False, True]), [0]), "ix_ of a matrix": lambda A: np.ix_(A(X)), "meshgrid": lambda A: np.meshgrid(A([1, 2, 3]), A([0.5, 1.5])), "meshgrid ij": lambda A: np.meshgrid(A([1, 2, 3]), A([4, 5]), A([6, 7]), indexing="ij"), "meshgrid sparse": lambda A: np.meshgrid(A([1, 2]), A([3, 4]), sparse=True, copy=False),
    "meshgrid wrongly": lambda A: np.meshgrid(A([1]), indexing="yx"), "vander of a matrix": lambda A: np.vander(A(X)), "isposinf": lambda A: np.isposinf(A([np.inf, -np.inf, np.nan, 1])), "isneginf": lambda A: np.isneginf(A(np.array([np.inf, -np.inf, np.nan, 1], np.float32))), "isposinf of complex": lambda A: np.isposinf(A([1j])),
    "isneginf of integers": lambda A: np.isneginf(A(V)), "isposinf out": lambda A: np.isposinf(A([np.inf, 1.0]), A(np.zeros(2, bool))), "fix": lambda A: np.fix(A([1.7, -1.7, -0.2, np.inf])), "fix of integers": lambda A: np.fix(A(V)), "fix out": lambda A: np.fix(A([1.7]), A([0.0])), "sinc": lambda A: np.sinc(A([0.0, 0.5, -1.0, 3.25, np.inf])),
    "sinc of float32": lambda A: np.sinc(A(np.array([0.0, 0.5, 2.5], np.float32))), "sinc of integers": lambda A: np.sinc(A(V)), "sinc of complex": lambda A: np.sinc(A([0.5 + 1j, 0])), "spacing": lambda A: np.spacing(A([1.0, -1.0, 1e300, np.inf, np.nan, 0.0])), "spacing of float32": lambda A: np.spacing(A(np.array([1.0, -3.0], np.float32))),
    **{f"bitwise_count of {code}": (lambda A, code=code: np.bitwise_count(A(np.array([0, 1, 5, 127, -128, -1]).astype(code)))) for code in "bBhHiIlL" if hasattr(np, "bitwise_count")}, "bitwise_count of floats": lambda A: np.bitwise_count(A([1.0])) if hasattr(np, "bitwise_count") else None,
    "shares_memory": lambda A: [np.shares_memory((x := A(X))[a], x[b]) for a, b in ((0, 0), (0, 1), (slice(None), 2), ((slice(None), slice(0, None, 2)), (slice(None), slice(1, None, 2))))], "may_share_memory": lambda A: np.may_share_memory((x := A(X))[:, ::2], x[:, 1::2]), "memory of others": lambda A: np.shares_memory(A(X), A(X)),
    "packbits": lambda A: np.packbits(A(MASK)), "packbits little": lambda A: np.packbits(A(X), axis=1, bitorder="little"), "packbits of rows": lambda A: np.packbits(A(np.arange(54).reshape(2, 27) % 3), axis=-1), "packbits of floats": lambda A: np.packbits(A([1.0])), "packbits wrongly": lambda A: np.packbits(A(MASK), bitorder="x"), "packbits of nothing": lambda A: np.packbits(A(np.zeros((0, 3), bool)), axis=0),
    "unpackbits": lambda A: np.unpackbits(A(np.array([1, 200, 7], np.uint8))), "unpackbits of columns": lambda A: np.unpackbits(A(np.array([[1, 200], [7, 9]], np.uint8)), axis=0, bitorder="little"), "unpackbits, a few": lambda A: np.unpackbits(A(np.array([1, 200], np.uint8)), count=5), "unpackbits, more": lambda A: np.unpackbits(A(np.array([[255]], np.uint8)), axis=1, count=12),
    "unpackbits, but the last": lambda A: np.unpackbits(A(np.array([1, 200], np.uint8)), count=-3), "unpackbits of int": lambda A: np.unpackbits(A([1])), "i0": lambda A: np.i0(A([0.0, 0.5, -3.0, 8.0, 9.5, 30.0])), "i0 of integers": lambda A: np.i0(A([0, 7, -12])), "i0 of complex": lambda A: np.i0(A([1j])),
    **{f"pad by no elements: {mode} {lengths}": (lambda A, mode=mode, lengths=lengths: np.pad(A([[1.0, 2.0], [3.0, 5.0]]), (1, 2), mode, stat_length=lengths)) for mode in ("mean", "median", "minimum", "maximum") for lengths in (0, (0, 1), ((1, 1), (2, 0)))},
    **{f"pad by odd reflection: {mode} {widths} {code}": (lambda A, mode=mode, widths=widths, code=code: [np.pad(A((np.array([[0, 1, 4], [9, 16, 25]]) + shift).astype(code)), widths, mode, reflect_type="odd") for shift in (0, 3)])
       for mode in ("reflect", "symmetric") for widths in (1, (2, 1), ((5, 9), (11, 4)), ((0, 2), (30, 0))) for code in "BiefD"}, "pad a row by odd reflection": lambda A: np.pad(A([[1.0, 5.0]]), 3, "reflect", reflect_type="odd"), "pad nothing by odd reflection": lambda A: np.pad(A(np.zeros((0, 2))), 1, "reflect", reflect_type="odd"),
    "pad by numbers on the device": lambda A: np.pad(A(X), 1, constant_values=A([[1, 2], [3, 4]])), "pad by a number on the device": lambda A: np.pad(A(X), 1, constant_values=np.min(A(X))), "pad by widths on the device": lambda A: np.pad(A(X), A([[1, 2], [3, 0]])), "pad in F": lambda A: [np.pad(A(np.asfortranarray(X)), 1, mode).flags.f_contiguous for mode in ("constant", "edge", "mean", "reflect", "linear_ramp")], "pad one axis": lambda A: np.pad(A(X), {1: 5}),
    "insert into a list": lambda A: np.insert([0, 1, 2], A([1, 1, 1]), [3, 4, 5]), "insert at floats": lambda A: np.insert(A(V), A([1.0, 2.0]), [3]), "delete a bool": lambda A: np.delete(A(V), True), "delete columns in F": lambda A: np.delete(A(np.asfortranarray(X)), [0], axis=1).flags.f_contiguous,
    "roll far": lambda A: np.roll(A(V), 2**70), "roll far along axes": lambda A: np.roll(A(X), (2**70, 1), axis=(0, 1)), "roll along several axes": lambda A: np.roll(A(X), 1, axis=(0, 1)), "roll twice along an axis": lambda A: np.roll(A(X), (1, 2), axis=1), "roll wrongly": lambda A: np.roll(A(X), (1, 2, 3), axis=(0, 1)),
    "moveaxis beyond": lambda A: np.moveaxis(A(X), 5, 0), "moveaxis of a range": lambda A: np.moveaxis(A(X), range(2), [1, 0]), "moveaxis twice": lambda A: np.moveaxis(A(X), [0, 0], [1, 0]), "moveaxis of too few": lambda A: np.moveaxis(A(X), [0, 1], [1]), "stack a number": lambda A: np.stack([A(V), 3]), "stack numbers": lambda A: np.stack([A(1), 3]), "concatenate a number": lambda A: np.concatenate([A(V), 3]),
    "piecewise of a list": lambda A: np.piecewise([0, 0], A(MASK[:2]), [1]), "diff of nothing": lambda A: np.diff(A(V), n=0), "digitize by complex bins": lambda A: np.digitize(A([1.0]), A([1j, 2])), "place an empty list": lambda A: np.place(a := A(V), A(MASK & False), []) or a, "convolve in no mode": lambda A: np.convolve(A(V), A(V), None), "digitize complex": lambda A: np.digitize(A([1j]), A([1.0, 2])), "packbits in an order of 10": lambda A: np.packbits(A(MASK), bitorder=10),
    "take_along_axis by bool": lambda A: np.take_along_axis(A(V), A(MASK), 0), "take_along_axis of all by a matrix": lambda A: np.take_along_axis(A(X), A([[1]]), None), "put_along_axis of all by a matrix": lambda A: np.put_along_axis(A(X), A([[1]]), 3, None), "fix a number": lambda A: np.fix(3.7, out=A(0.0)),
    "sliding_window_view": lambda A: np.lib.stride_tricks.sliding_window_view(A(X), (2, 3)), "windows along an axis": lambda A: np.lib.stride_tricks.sliding_window_view(A(X), 2, axis=-1), "windows twice": lambda A: np.lib.stride_tricks.sliding_window_view(A(V), (2, 2), axis=(0, 0)),
    "windows too long": lambda A: np.lib.stride_tricks.sliding_window_view(A(V), 99), "windows of negative length": lambda A: np.lib.stride_tricks.sliding_window_view(A(V), -1), "windows of too few lengths": lambda A: np.lib.stride_tricks.sliding_window_view(A(X), 2),
    "ravel_multi_index of a large shape": lambda A: np.ravel_multi_index((A([0]), A([0])), (2**62, 2)), "ravel_multi_index in no elements": lambda A: np.ravel_multi_index(A(np.zeros((2, 1), int)), (2, 0), mode="clip"), "ravel_multi_index of floats": lambda A: np.ravel_multi_index((A([0.5]), A([0])), (2, 2)),
    "unravel_index in no elements": lambda A: np.unravel_index(A([1]), (2, 0)), "unravel_index without axes": lambda A: np.unravel_index(A([1]), ()), "unravel_index of a large shape": lambda A: np.unravel_index(A([1]), (2**32 - 1, 2**31 + 1)), "tuples by lines": lambda A: np.apply_along_axis(lambda x: (x[1], x[0]), 1, A(X)),
    "apply_over_axes": lambda A: np.apply_over_axes(np.max, A(np.arange(24.0).reshape(2, 3, 4)), (0, 2)), "apply_over_axes, wrongly": lambda A: np.apply_over_axes(lambda a, axis: a[0, 0, 0], A(np.arange(24.0).reshape(2, 3, 4)), (0, 2)),
}


@pytest.mark.parametrize("name", CASES)
def test_parameters_and_exceptions(name):
    check(CASES[name], name, ulps=64 if "i0" in name or "sinc" in name else 8)
