"""pycuda.array_api: for each element type that it supports, every function returns what NumPy's function of that name returns."""

import inspect

import numpy as np
import pycuda.array_api as xp
import pytest

REAL = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
SIGNED = ("int8", "int16", "int32", "int64")
INTEGRAL = (*SIGNED, "uint8", "uint16", "uint32", "uint64")
NUMERIC = (*INTEGRAL, *REAL, *COMPLEX)
ALL = ("bool", *NUMERIC)
ORDERED = (*INTEGRAL, *REAL)


pytestmark = pytest.mark.usefixtures("module_context")

def numbers(dtype, shape=(3, 4), seed=0):
    """Numbers of any dtype in [-3, 3], with repetitions."""
    random = np.random.default_rng(seed)
    drawn = random.integers(-3, 4, shape)
    if dtype == "bool":
        return drawn > 0
    if dtype.startswith("uint"):
        return np.abs(drawn).astype(dtype)
    if dtype in REAL:
        return (drawn + random.random(shape).round(2) * 0.5).astype(dtype)
    if dtype in COMPLEX:
        return (drawn + 1j * random.integers(-3, 4, shape)).astype(dtype)
    return drawn.astype(dtype)


# name: (dtypes, calls), each call a function of the namespace and an array maker, `a(seed, shape)`
CASES = {}


def case(name, dtypes, *calls):
    CASES[name] = dtypes, calls


def unary(names, dtypes, low=None, high=None):
    """A case with elements in [low, high], for functions that are not defined everywhere."""
    for name in names.split():
        if low is None:
            case(name, dtypes, lambda xp, a, name=name: getattr(xp, name)(a()), lambda xp, a, name=name: getattr(xp, name)(a(shape=())))
        else:
            case(name, dtypes, lambda xp, a, name=name: getattr(xp, name)(a() / 8 * (high - low) + (high + low) / 2))


def binary(names, dtypes, **shift):
    """Cases with two arrays, broadcast arrays, and a number on either side."""
    for name in names.split():
        case(name, dtypes, *(lambda xp, a, name=name, call=call: call(getattr(xp, name), a) for call in (
            lambda f, a: f(a(), a(1) + a(1) * 0 + shift.get("by", 0)) if shift else f(a(), a(1)),
            lambda f, a: f(a(), a(2, (4,)) + shift.get("by", 0)) if shift else f(a(), a(2, (4,))),
            lambda f, a: f(a(), a(2, ()) + shift.get("by", 0)) if shift else f(a(), a(2, ())))))


unary("abs positive square", NUMERIC)
unary("negative sign", (*SIGNED, *REAL, *COMPLEX))
unary("ceil floor trunc round", (*INTEGRAL, *REAL))
unary("real conj isfinite isinf isnan", (*REAL, *COMPLEX))
unary("imag", COMPLEX)
unary("signbit", REAL)
unary("logical_not", ("bool",))
unary("bitwise_invert", ("bool", *INTEGRAL))
unary("exp expm1 sin cos tan sinh cosh tanh atan asinh", (*REAL, *COMPLEX))
unary("log log2 log10 log1p sqrt reciprocal", (*REAL, *COMPLEX), 0.5, 4.5)
unary("acos asin atanh", (*REAL, *COMPLEX), -0.9, 0.9)
unary("acosh", (*REAL, *COMPLEX), 1.5, 5)
binary("add multiply", NUMERIC)
binary("subtract", NUMERIC)
binary("divide", NUMERIC, by=7)
binary("pow", REAL, by=4)
binary("floor_divide remainder", ORDERED, by=5)
binary("maximum minimum", ORDERED)
binary("atan2 hypot copysign nextafter logaddexp", REAL)
binary("bitwise_and bitwise_or bitwise_xor", ("bool", *INTEGRAL))
binary("bitwise_left_shift bitwise_right_shift", INTEGRAL, by=3)
binary("equal not_equal", ALL)
binary("less less_equal greater greater_equal", ORDERED)
binary("logical_and logical_or logical_xor", ("bool",))
case("clip", ORDERED, lambda xp, a: xp.clip(a(), 0, 2), lambda xp, a: xp.clip(a(), a(1), None), lambda xp, a: xp.clip(a(), max=1))

SHAPES = ((), (3,), (2, 3), (0, 2))
for name in ("zeros", "ones"):
    case(name, ALL, *(lambda xp, a, name=name, shape=shape: getattr(xp, name)(shape, dtype=a().dtype) for shape in SHAPES))
    case(f"{name}_like", ALL, lambda xp, a, name=name: getattr(xp, f"{name}_like")(a()))
case("full", ALL, *(lambda xp, a, shape=shape: xp.full(shape, 1, dtype=a().dtype) for shape in SHAPES))
case("full_like", ALL, lambda xp, a: xp.full_like(a(), 1))
case("empty", ALL, lambda xp, a: (xp.empty((2, 3), dtype=a().dtype).dtype == a().dtype, xp.empty(4).shape[0]))
case("empty_like", NUMERIC, lambda xp, a: xp.empty_like(a()).shape == a().shape)
case("asarray", ALL, lambda xp, a: xp.asarray(a()), lambda xp, a: xp.asarray([[1, 0], [0, 1]], dtype=a().dtype), lambda xp, a: xp.asarray(True))
case("from_dlpack", ALL, lambda xp, a: xp.from_dlpack(a()))
case("arange", (*SIGNED, *REAL), lambda xp, a: xp.arange(5, dtype=a().dtype), lambda xp, a: xp.arange(5, -3, -2, dtype=a().dtype), lambda xp, a: xp.arange(0, 1, 0.25),
     lambda xp, a: xp.arange(3, 1))
case("linspace", (*REAL, *COMPLEX), lambda xp, a: xp.linspace(-1, 2, 7, dtype=a().dtype), lambda xp, a: xp.linspace(0, 1, 4, endpoint=False, dtype=a().dtype),
     lambda xp, a: xp.linspace(3, 3, 1), lambda xp, a: xp.linspace(0, 1, 0))
case("eye", ALL, lambda xp, a: xp.eye(3, dtype=a().dtype), *(lambda xp, a, k=k: xp.eye(3, 5, k=k) for k in (-4, -2, 0, 3, 7)))
case("meshgrid", NUMERIC, lambda xp, a: xp.meshgrid(a(0, (3,)), a(1, (4,))), lambda xp, a: xp.meshgrid(a(0, (3,)), a(1, (2,)), a(2, (4,)), indexing="ij"))
for name in ("tril", "triu"):
    case(name, ALL, *(lambda xp, a, name=name, k=k: getattr(xp, name)(a(shape=(2, 3, 4)), k=k) for k in (-3, -1, 0, 2, 5)))

case("astype", ALL, *(lambda xp, a, to=to: xp.astype(a(), getattr(xp, to)) for to in ("bool", "complex128")))
case("broadcast_to", ALL, lambda xp, a: xp.broadcast_to(a(0, (3, 1)), (2, 3, 4)))
case("broadcast_arrays", ALL, lambda xp, a: xp.broadcast_arrays(a(0, (3, 1)), a(1, (4,))))
case("broadcast_shapes", ("bool",), lambda xp, a: xp.broadcast_shapes((3, 1), (4,)))
case("concat", ALL, lambda xp, a: xp.concat([a(), a(1)], axis=1), lambda xp, a: xp.concat([a(), a(1, (2,))], axis=None))
case("stack", ALL, *(lambda xp, a, axis=axis: xp.stack([a(), a(1)], axis=axis) for axis in (0, 1, -1)))
case("unstack", ALL, lambda xp, a: xp.unstack(a()), lambda xp, a: xp.unstack(a(), axis=1))
case("expand_dims", ALL, *(lambda xp, a, axis=axis: xp.expand_dims(a(), axis=axis) for axis in (0, -1, (0, 2))))
case("squeeze", ALL, lambda xp, a: xp.squeeze(a(0, (1, 3, 1)), axis=0), lambda xp, a: xp.squeeze(a(0, (1, 3, 1)), axis=(0, 2)))
case("flip", ALL, *(lambda xp, a, axis=axis: xp.flip(a(), axis=axis) for axis in (None, 0, -1, (0, 1))))
case("moveaxis", ALL, lambda xp, a: xp.moveaxis(a(0, (2, 3, 4)), 0, -1), lambda xp, a: xp.moveaxis(a(0, (2, 3, 4)), (0, 1), (2, 0)))
case("permute_dims", ALL, lambda xp, a: xp.permute_dims(a(0, (2, 3, 4)), (2, 0, 1)))
case("reshape", ALL, lambda xp, a: xp.reshape(a(), (4, 3)), lambda xp, a: xp.reshape(a(), (-1,)), lambda xp, a: xp.reshape(xp.permute_dims(a(), (1, 0)), (2, 6)),
     lambda xp, a: xp.reshape(a()[:, 1:3], (6,)))
case("roll", ALL, *(lambda xp, a, given=given: xp.roll(a(), given[0], axis=given[1]) for given in ((1, None), (-2, 0), (7, 1), ((1, 2), (0, 1)))))
case("tile", ALL, *(lambda xp, a, times=times: xp.tile(a(), times) for times in ((2,), (2, 3), (2, 1, 2), (0, 1))))
case("repeat", ALL, lambda xp, a: xp.repeat(a(), 2), lambda xp, a: xp.repeat(a(), 3, axis=1), lambda xp, a: xp.repeat(a(), xp.asarray([1, 0, 2]), axis=0))

case("take", ALL, lambda xp, a: xp.take(a(), xp.asarray([2, 0, -1]), axis=1), lambda xp, a: xp.take(a(0, (5,)), xp.asarray([4, 4])))
case("take_along_axis", ALL, lambda xp, a: xp.take_along_axis(a(), xp.asarray([[1], [0], [-1]]), axis=1),
     lambda xp, a: xp.take_along_axis(a(), xp.asarray([[1, 0, 2, 1], [0, 0, 0, 1]]), axis=0), lambda xp, a: xp.take_along_axis(a(0, (6,)), xp.asarray([5, -6])))
for name in ("argmax", "argmin"):
    case(name, ORDERED, *(lambda xp, a, name=name, given=given: getattr(xp, name)(a(), **given) for given in ({}, {"axis": 0}, {"axis": -1, "keepdims": True})))
case("count_nonzero", ALL, *(lambda xp, a, axis=axis: xp.count_nonzero(a(), axis=axis) for axis in (0, 1, (0, 1))))
case("nonzero", ALL, lambda xp, a: xp.nonzero(a()))
case("where", ALL, lambda xp, a: xp.where(a() == a(1), a(), a(1)), lambda xp, a: xp.where(a(1) == a(), a(2, (4,)), a()))
case("searchsorted", ORDERED, *(lambda xp, a, side=side: xp.searchsorted(xp.sort(a(0, (20,))), a(1), side=side) for side in ("left", "right")),
     lambda xp, a: xp.searchsorted(a(0, (20,)), a(1), sorter=xp.argsort(a(0, (20,)), stable=True)))
case("sort", ORDERED, lambda xp, a: xp.sort(a()), lambda xp, a: xp.sort(a(), axis=0))
case("argsort", ORDERED, lambda xp, a: xp.argsort(a(), stable=True), lambda xp, a: xp.argsort(a(), axis=0, stable=True))
case("isin", ORDERED, lambda xp, a: xp.isin(a(), a(1, (3,))), lambda xp, a: xp.isin(a(), a(1, (3,)), invert=True))
case("unique_values", (*ORDERED, *COMPLEX), lambda xp, a: np.sort(xp.unique_values(a())) if xp is np else xp.unique_values(a()))
for name in ("unique_all", "unique_counts", "unique_inverse"):
    case(name, (*ORDERED, *COMPLEX), lambda xp, a, name=name: tuple(getattr(xp, name)(a())))

REDUCED = ({}, {"axis": 0}, {"axis": (0, 1)}, {"axis": -1, "keepdims": True})
for name, dtypes in (("sum", NUMERIC), ("prod", NUMERIC), ("max", ORDERED), ("min", ORDERED), ("mean", (*REAL, *COMPLEX)), ("all", ALL), ("any", ALL)):
    case(name, dtypes, *(lambda xp, a, name=name, given=given: getattr(xp, name)(a(), **given) for given in REDUCED))
for name in ("std", "var"):
    case(name, (*REAL, *COMPLEX), *(lambda xp, a, name=name, given=given: getattr(xp, name)(a(), **given) for given in (*REDUCED, {"correction": 1.0})))
for name in ("cumulative_sum", "cumulative_prod"):
    case(name, NUMERIC, *(lambda xp, a, name=name, given=given: getattr(xp, name)(a(), **given) for given in ({"axis": 0}, {"axis": 1, "include_initial": True})))
case("diff", NUMERIC, lambda xp, a: xp.diff(a()), lambda xp, a: xp.diff(a(), axis=0, n=2), lambda xp, a: xp.diff(a(), append=a(1, (3, 1)), prepend=a(2, (3, 2))))

case("matmul", NUMERIC, lambda xp, a: xp.matmul(a(), a(1, (4, 2))), lambda xp, a: xp.matmul(a(0, (5, 3, 4)), a(1, (4, 2))), lambda xp, a: a(0, (4,)) @ a(1, (4,)),
     lambda xp, a: xp.matmul(a(0, (4,)), a(1, (2, 4, 3))), lambda xp, a: xp.matmul(a(0, (2, 1, 3, 4)), a(1, (5, 4, 2))))
case("matrix_transpose", ALL, lambda xp, a: xp.matrix_transpose(a(0, (2, 3, 4))), lambda xp, a: a().mT)
case("tensordot", NUMERIC, lambda xp, a: xp.tensordot(a(), a(1, (3, 4))), lambda xp, a: xp.tensordot(a(0, (2, 3, 4)), a(1, (4, 3, 5)), axes=((1, 2), (1, 0))),
     lambda xp, a: xp.tensordot(a(), a(1), axes=0))
case("vecdot", NUMERIC, lambda xp, a: xp.vecdot(a(), a(1)), lambda xp, a: xp.vecdot(a(), a(1, (3, 1)), axis=-2) if False else xp.vecdot(a(), a(2, (4,))))

NO_VALUES = {"Array", "__array_api_version__", "__array_namespace_info__", "e", "inf", "nan", "newaxis", "pi", "can_cast", "finfo", "iinfo", "isdtype",
             "result_type"}


def of(namespace, dtype):
    """The array maker of a namespace."""
    if namespace is np:
        return lambda seed=0, shape=(3, 4): numbers(dtype, shape, seed)
    return lambda seed=0, shape=(3, 4): xp.asarray(numbers(dtype, shape, seed))


def on_host(result):
    """All results of a call as a list of NumPy arrays."""
    if isinstance(result, (tuple, list)):
        return [array for each in result for array in on_host(each)]
    return [result.get() if isinstance(result, xp.Array) else np.asarray(result)]


PAIRS = [(name, dtype) for name, (dtypes, _) in CASES.items() for dtype in dtypes]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("name", "dtype"), PAIRS, ids=[f"{name}-{dtype}" for name, dtype in PAIRS])
def test_results_match_numpy(name, dtype):
    for number, call in enumerate(CASES[name][1]):
        found, expected = on_host(call(xp, of(xp, dtype))), on_host(call(np, of(np, dtype)))
        assert len(found) == len(expected), f"call {number}"
        for ours, numpys in zip(found, expected):
            assert (ours.dtype, ours.shape) == (numpys.dtype, numpys.shape), f"call {number}"
            tolerance = 5e-6 if numpys.dtype in (np.float32, np.complex64) else 1e-14
            np.testing.assert_allclose(ours, numpys, rtol=tolerance, atol=tolerance, err_msg=f"call {number}")


def test_every_function_has_cases():
    public = {name for name in xp.__all__ if name not in NO_VALUES and not isinstance(getattr(xp, name), type)}
    assert public == set(CASES)


def test_every_function_is_documented():
    functions = [value for value in vars(xp).values() if inspect.isfunction(value)]
    assert [function.__name__ for function in functions if not (function.__doc__ or "").startswith(("Return", "Limit"))] == []


@pytest.mark.parametrize("k", (2**63, -2**63 - 1, 2**100))
def test_diagonals_beyond_64_bits(k):
    host = np.arange(6.0).reshape(2, 3)
    assert not xp.eye(2, 3, k=k).get().any()
    assert xp.tril(xp.asarray(host), k=k).get().tolist() == (host if k > 0 else 0 * host).tolist()
    assert xp.triu(xp.asarray(host), k=k).get().tolist() == (host if k < 0 else 0 * host).tolist()
