"""Functions of NumPy's namespaces that PyCUDA does not have, with NumPy's dtypes. Most are composed of the operations of the modules above."""

from pycuda._arrays.numpys import (  # noqa: F401 - each registers its functions
    bits, calculus, choosing, creation, diagonals, editing, fft, grids, histograms, joining, linalg, ordering, polynomials, predicates, products, quantiles, samples, sets, writing,
)
