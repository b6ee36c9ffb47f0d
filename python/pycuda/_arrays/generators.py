"""The base class of the random number generators."""

import numpy as np

import pycuda.driver as drv
from pycuda import _driver
from pycuda._arrays.seeds import (
    generate_direction_vectors, generate_scramble_constants32, generate_scramble_constants64, seed_getter_unique,
)
from pycuda.compiler import SourceModule
from pycuda.gpuarray import GPUArray

__all__ = ["RandomNumberGeneratorBase", "PseudoRandomNumberGeneratorBase", "SobolRandomNumberGeneratorBase",
           "ScrambledSobolRandomNumberGeneratorBase"]

_UNIFORM, _NORMAL, _LOG_NORMAL, _POISSON, _POISSON_IN_PLACE = range(5)  # as the core's Distribution


def _require_contiguous(data):
    if isinstance(data, GPUArray) and not data.flags.forc:
        raise RuntimeError("random number generators read and write contiguous arrays; pass a copy()")


class RandomNumberGeneratorBase:
    """One generator per thread: as many as the device has multiprocessors, times the threads of a block."""

    state_type = None
    generator_bits = 32
    has_box_muller = False
    _kind = None  # as the core's RandomKind
    _sequences = 0

    #: (name, C type) of the kernels without parameters, of the log-normal ones, and of the Poisson ones.
    gen_info = [("uniform_int", "unsigned int"), ("uniform_float", "float"), ("uniform_double", "double"), ("normal_float", "float"),
                ("normal_double", "double")]
    gen_log_info = [("normal_log_float", "float"), ("normal_log_double", "double")]
    gen_poisson_info = [("poisson_int", "unsigned int")]
    gen_poisson_inplace_info = [("poisson_inplace_float", "float"), ("poisson_inplace_double", "double"), ("poisson_inplace_int", "unsigned int")]

    def __init__(self):
        self.context = drv.Context.get_current()
        self.block_count = drv.Context.get_device().multiprocessor_count
        source, *fill_kernels = _driver._native.random_sources(self._kind)
        self.module = SourceModule(source, no_extern_c=True)
        self.generators = {}
        for name in fill_kernels:
            self._add_generator(name, f"PPN{self._parameters(name)}")
        skip = "I" if self._skip_dtype == np.uint32 else "Q"
        for name in self._skip_names():
            function = self.module.get_function(name)
            function.prepare("PP" if name.endswith("_array") else f"P{skip}")
            setattr(self, name, function)
        self.generators_per_block = min(function.max_threads_per_block for function in self._functions())
        self._state = None

    _skip_dtype = np.dtype(np.uint64)

    @staticmethod
    def _parameters(name):
        """A kernel's parameters besides states, data and their count."""
        if name.startswith("normal_log"):
            return "ff" if "float" in name else "dd"
        return "d" if name == "poisson_int" else ""

    def _skip_names(self):
        names = ["skip_ahead", *["skip_ahead_sequence"][:self._sequences], *["skip_ahead_subsequence"][:self._sequences - 1]]
        return [form for name in names for form in (name, f"{name}_array")]

    def _add_generator(self, name, types):
        function = self.module.get_function(name)
        function.prepare(types)
        self.generators[name] = function

    def _functions(self):
        return [*self.generators.values(), self.module.get_function("prepare"), *(getattr(self, name) for name in self._skip_names())]

    @property
    def _count(self):
        return self.block_count * self.generators_per_block

    @property
    def state(self):
        """Device memory with the states, created at first use."""
        if self._state is None:
            self._state = drv.mem_alloc(self._count * self.module.get_global("pycuda_state")[1])
        return self._state

    def _prepare(self, types, *args):
        """Initialises the states. cuRAND's kernels for that need more stack than the default."""
        for arg in args:
            _require_contiguous(arg)
        function = self.module.get_function("prepare")
        function.prepare(types)
        limit = drv.limit.STACK_SIZE
        stack = drv.Context.get_limit(limit)
        try:
            if stack < 16 << 10:
                drv.Context.set_limit(limit, 16 << 10)
            try:
                function.prepared_call((self.block_count, 1), (self.generators_per_block, 1, 1), self.state, *args)
                drv.Context.synchronize()
            except drv.LaunchError as error:
                raise ValueError(f"the generators could not be initialised: {error}") from error
        finally:
            if stack < 16 << 10:
                drv.Context.set_limit(limit, stack)

    # ---- launches

    def _fill(self, name, data, n, stream, *parameters):
        _require_contiguous(data)
        if n:
            stream = _driver._native.stream_of_operation(stream)
            self.generators[name].prepared_async_call((self.block_count, 1), (self.generators_per_block, 1, 1), stream, self.state, data, n,
                                                      *parameters)

    def _kernel(self, distribution, what, dtype):
        name = _driver._native.random_fill_kernel(self._kind, distribution, dtype.char)
        if not name:
            raise NotImplementedError(f"{type(self).__name__} cannot generate {what} numbers of dtype {dtype}")
        return name

    def fill_uniform(self, data, stream=None):
        """Fill an array with uniform random numbers.

        Parameters
        ----------
        data : GPUArray
            Array of float32 or float64 (above 0 to 1), int32 or uint32 (all bits); 64-bit generators also fill int64 and uint64.
        stream : Stream, optional
            @stream

        Raises
        ------
        NotImplementedError
            The dtype is another one.
        RuntimeError
            The array is not contiguous.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuLaunchKernel.
        """
        self._fill(self._kernel(_UNIFORM, "uniform", data.dtype), data, data.size, stream)

    def _fill_normal(self, distribution, data, stream, *parameters):
        name = self._kernel(distribution, "normal", data.dtype)
        if self.has_box_muller and data.size % 2 == 0 and data.size and data.ptr % (2 * data.dtype.itemsize) == 0:
            self._fill(f"{name}2", data, data.size // 2, stream, *parameters)
        else:
            self._fill(name, data, data.size, stream, *parameters)

    def fill_normal(self, data, stream=None):
        """Fill an array with standard normal random numbers.

        Parameters
        ----------
        data : GPUArray
            Array of float32 or float64.
        stream : Stream, optional
            @stream

        Raises
        ------
        NotImplementedError
            The dtype is another one.
        RuntimeError
            The array is not contiguous.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuLaunchKernel.
        """
        self._fill_normal(_NORMAL, data, stream)

    def fill_log_normal(self, data, mean, stddev, stream=None):
        """Fill an array with log-normal random numbers.

        Parameters
        ----------
        data : GPUArray
            Array of float32 or float64.
        mean : float
            Mean of the logarithm.
        stddev : float
            Standard deviation of the logarithm.
        stream : Stream, optional
            @stream

        Raises
        ------
        NotImplementedError
            The dtype is another one.
        RuntimeError
            The array is not contiguous.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuLaunchKernel.
        """
        self._fill_normal(_LOG_NORMAL, data, stream, mean, stddev)

    def fill_poisson(self, data, lambda_value=None, stream=None):
        """Fill an array with Poisson random numbers.

        Parameters
        ----------
        data : GPUArray
            Array of uint32; without `lambda_value`, of float32, float64 or uint32.
        lambda_value : float, optional
            The mean; None: each element is read as its own mean first.
        stream : Stream, optional
            @stream

        Raises
        ------
        NotImplementedError
            The dtype is another one.
        RuntimeError
            The array is not contiguous.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuLaunchKernel.
        """
        if lambda_value is not None:
            self._fill(self._kernel(_POISSON, "Poisson", data.dtype), data, data.size, stream, lambda_value)
        else:
            self._fill(self._kernel(_POISSON_IN_PLACE, "Poisson", data.dtype), data, data.size, stream)

    def gen_uniform(self, shape, dtype, stream=None):
        """Create an array of uniform random numbers: see `fill_uniform`.

        Parameters
        ----------
        shape : int or tuple of int
            @shape
        dtype : dtype
            @dtype_of_elements
        stream : Stream, optional
            @stream

        Returns
        -------
        GPUArray
            The new array.

        Raises
        ------
        NotImplementedError
            The dtype is not supported.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuLaunchKernel.
        """
        result = GPUArray(shape, dtype)
        self.fill_uniform(result, stream)
        return result

    def gen_normal(self, shape, dtype, stream=None):
        """Create an array of standard normal random numbers.

        Parameters
        ----------
        shape : int or tuple of int
            @shape
        dtype : dtype
            float32 or float64.
        stream : Stream, optional
            @stream

        Returns
        -------
        GPUArray
            The new array.

        Raises
        ------
        NotImplementedError
            The dtype is not supported.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuLaunchKernel.
        """
        result = GPUArray(shape, dtype)
        self.fill_normal(result, stream)
        return result

    def gen_log_normal(self, shape, dtype, mean, stddev, stream=None):
        """Create an array of log-normal random numbers.

        Parameters
        ----------
        shape : int or tuple of int
            @shape
        dtype : dtype
            float32 or float64.
        mean : float
            Mean of the logarithm.
        stddev : float
            Standard deviation of the logarithm.
        stream : Stream, optional
            @stream

        Returns
        -------
        GPUArray
            The new array.

        Raises
        ------
        NotImplementedError
            The dtype is not supported.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuLaunchKernel.
        """
        result = GPUArray(shape, dtype)
        self.fill_log_normal(result, mean, stddev, stream)
        return result

    def gen_poisson(self, shape, dtype, lambda_value, stream=None):
        """Create an array of Poisson random numbers.

        Parameters
        ----------
        shape : int or tuple of int
            @shape
        dtype : dtype
            uint32.
        lambda_value : float
            The mean.
        stream : Stream, optional
            @stream

        Returns
        -------
        GPUArray
            The new array.

        Raises
        ------
        NotImplementedError
            The dtype is not supported.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuLaunchKernel.
        """
        if lambda_value is None:
            raise TypeError("expected lambda_value: only fill_poisson can take it from the elements of an existing array")
        result = GPUArray(shape, dtype)
        self.fill_poisson(result, lambda_value, stream)
        return result

    # ---- skipping

    def _skip(self, name, amount, stream):
        stream = _driver._native.stream_of_operation(stream)
        getattr(self, name).prepared_async_call((self.block_count, 1), (self.generators_per_block, 1, 1), stream, self.state, amount)

    def _skip_array(self, name, amounts, stream):
        if amounts.dtype != self._skip_dtype or amounts.size != self._count:
            raise TypeError(f"expected {self._count} counts of dtype {self._skip_dtype}, one for each generator, given {amounts.size} of {amounts.dtype}")
        _require_contiguous(amounts)
        self._skip(f"{name}_array", amounts, stream)

    def call_skip_ahead(self, i, stream=None):
        """Skip numbers in every generator.

        Parameters
        ----------
        i : int
            Number to skip.
        stream : Stream, optional
            @stream

        Raises
        ------
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuLaunchKernel.
        """
        self._skip("skip_ahead", i, stream)

    def call_skip_ahead_array(self, i, stream=None):
        """Skip numbers: generator k skips ``i[k]``.

        Parameters
        ----------
        i : GPUArray
            Array on the device, one number per generator.
        stream : Stream, optional
            @stream

        Raises
        ------
        TypeError
            The array has another dtype or size.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuLaunchKernel.
        """
        self._skip_array("skip_ahead", i, stream)


class PseudoRandomNumberGeneratorBase(RandomNumberGeneratorBase):
    has_box_muller = True
    _sequences = 1

    def __init__(self, seed_getter=None, offset=0):
        super().__init__()
        if seed_getter is None:
            seeds = seed_getter_unique(self._count)
        else:
            seeds = seed_getter(self._count)
        if not (isinstance(seeds, GPUArray) and seeds.dtype == np.int32 and seeds.shape == (self._count,)):
            raise TypeError(f"seed_getter({self._count}) must return a GPUArray of {self._count} int32")
        self._prepare("PPQ", seeds, offset)

    def call_skip_ahead_sequence(self, i, stream=None):
        """Skip long subsequences in every generator.

        Parameters
        ----------
        i : int
            Number of subsequences.
        stream : Stream, optional
            @stream

        Raises
        ------
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuLaunchKernel.
        """
        self._skip("skip_ahead_sequence", i, stream)

    def call_skip_ahead_sequence_array(self, i, stream=None):
        """Skip long subsequences: generator k skips ``i[k]``.

        Parameters
        ----------
        i : GPUArray
            Array on the device, one number per generator.
        stream : Stream, optional
            @stream

        Raises
        ------
        TypeError
            The array has another dtype or size.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuLaunchKernel.
        """
        self._skip_array("skip_ahead_sequence", i, stream)


class SobolRandomNumberGeneratorBase(RandomNumberGeneratorBase):
    _direction = None

    def __init__(self, dir_vector=None, offset=0):
        super().__init__()
        self._prepare("PPPQ", self._checked_vectors(dir_vector), 0, offset)

    def _checked_vectors(self, dir_vector):
        if dir_vector is None:
            return generate_direction_vectors(self._count, self._direction)
        dtype = np.dtype(f"uint{self.generator_bits}")
        if not (isinstance(dir_vector, GPUArray) and dir_vector.dtype == dtype and dir_vector.shape == (self._count, self.generator_bits)):
            raise TypeError(f"dir_vector must be a GPUArray of shape {(self._count, self.generator_bits)} and dtype {dtype}")
        return dir_vector


class ScrambledSobolRandomNumberGeneratorBase(SobolRandomNumberGeneratorBase):
    def __init__(self, dir_vector=None, scramble_vector=None, offset=0):
        RandomNumberGeneratorBase.__init__(self)
        vectors = self._checked_vectors(dir_vector)
        dtype = np.dtype(f"uint{self.generator_bits}")
        if scramble_vector is None:
            generate = generate_scramble_constants32 if self.generator_bits == 32 else generate_scramble_constants64
            scramble_vector = generate(self._count)
        elif not (isinstance(scramble_vector, GPUArray) and scramble_vector.dtype == dtype and scramble_vector.shape == (self._count,)):
            raise TypeError(f"scramble_vector must be a GPUArray of shape {(self._count,)} and dtype {dtype}")
        self._prepare("PPPQ", vectors, scramble_vector, offset)
