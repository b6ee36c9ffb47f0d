"""Products of sparse matrices and vectors, and conjugate gradients. Deprecated: cuSPARSE, for example through CuPy, does more."""

import warnings

warnings.warn("pycuda.sparse is deprecated: use a binding of cuSPARSE, such as CuPy's cupyx.scipy.sparse", DeprecationWarning, stacklevel=2)
