"""The Python side of Function: timed prepared calls, and the calls that version 2011.1 deprecated."""

import ctypes
import operator
import warnings

__all__ = ["FunctionMixin"]

def _warn_deprecated(name, instead):
    warnings.warn(f"Function.{name} is deprecated since PyCUDA 2011.1; use {instead}", DeprecationWarning, stacklevel=3)


class _StepwiseLaunch:
    """The state that the deprecated calls set step by step before a launch: parameter bytes, block shape, shared memory."""

    def __init__(self):
        self.parameters = bytearray()
        self.block = None
        self.shared = 0

    def resize(self, nbytes):
        from pycuda import _driver

        nbytes, limit = operator.index(nbytes), _driver._max_parameter_bytes()
        if not 0 <= nbytes <= limit:
            raise ValueError(f"a kernel has 0 to {limit} bytes of parameters, not {nbytes}")
        del self.parameters[nbytes:]
        self.parameters.extend(bytes(nbytes - len(self.parameters)))

    def write(self, offset, data):
        offset = operator.index(offset)
        if offset < 0:
            raise ValueError(f"the offset of a parameter must not be negative, given {offset}")
        self.resize(max(len(self.parameters), offset + len(data)))
        self.parameters[offset:offset + len(data)] = data


def _cluster_launch(block, cluster, grid, shared, attributes):
    """The options of a launch that is asked about. Its grid has one cluster if none is given."""
    options = {"block": block, "grid": grid or cluster or (1, 1, 1), "shared": shared}
    if cluster is not None:
        options["cluster"] = cluster
    if attributes:
        options["attributes"] = attributes
    return options


class FunctionMixin:
    def max_active_clusters(self, block, cluster=None, grid=None, shared=0, attributes=None):
        """Return how many clusters of a launch run on the device at a time.

        Parameters
        ----------
        block : tuple of int
            Threads per block along each axis.
        cluster : tuple of int, optional
            Blocks per cluster along each axis; None: those that the kernel was compiled for.
        grid : tuple of int, optional
            Blocks along each axis, a multiple of the cluster; None: one cluster.
        shared : int
            Bytes of dynamic shared memory per block.
        attributes : mapping, optional
            Further attributes of the launch, as for a call.

        Returns
        -------
        int
            Number of clusters.

        Raises
        ------
        LogicError
            The launch has no clusters, or the kernel cannot be launched so.
        RuntimeError
            The driver is older than CUDA 11.8's.

        Notes
        -----
        Driver call: cuOccupancyMaxActiveClusters.
        """
        from pycuda import _driver

        return _driver._max_active_clusters(self, _cluster_launch(block, cluster, grid, shared, attributes))

    def max_potential_cluster_size(self, block, shared=0, attributes=None):
        """Return the largest cluster that a launch can have.

        Parameters
        ----------
        block : tuple of int
            Threads per block along each axis.
        shared : int
            Bytes of dynamic shared memory per block.
        attributes : mapping, optional
            Further attributes of the launch, as for a call.

        Returns
        -------
        int
            Blocks per cluster.

        Raises
        ------
        LogicError
            The kernel cannot be launched so.
        RuntimeError
            The driver is older than CUDA 11.8's.

        Notes
        -----
        Driver call: cuOccupancyMaxPotentialClusterSize.
        """
        from pycuda import _driver

        return _driver._max_potential_cluster_size(self, _cluster_launch(block, None, None, shared, attributes))

    def prepared_timed_call(self, grid, block, *args, shared_size=0, attributes=None):
        """Launch with arguments of the types given to `prepare`, and measure the time.

        Parameters
        ----------
        grid : tuple of int
            Blocks along each axis.
        block : tuple of int
            Threads per block along each axis.
        args : object
            @kernel_arguments
        shared_size : int
            Bytes of dynamic shared memory per block.
        attributes : mapping, optional
            Attributes of the launch, as for a call.

        Returns
        -------
        callable
            A function that waits for the kernel and returns its time in seconds.

        Raises
        ------
        LogicError
            `prepare` was not called.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuLaunchKernel, cuEventElapsedTime.
        """
        from pycuda import _driver

        start, end = _driver.Event(), _driver.Event()
        start.record()
        self.prepared_call(grid, block, *args, shared_size=shared_size, attributes=attributes)
        end.record()

        def get_call_time():
            end.synchronize()
            return 1e-3 * end.time_since(start)

        return get_call_time

    def _repr_html_(self):
        from pycuda._html import function_html

        return function_html(self)

    # ---- deprecated since 2011.1

    @property
    def lmem(self):
        """Deprecated: use `local_size_bytes`."""
        _warn_deprecated("lmem", "local_size_bytes")
        return self.local_size_bytes

    @property
    def smem(self):
        """Deprecated: use `shared_size_bytes`."""
        _warn_deprecated("smem", "shared_size_bytes")
        return self.shared_size_bytes

    @property
    def registers(self):
        """Deprecated: use `num_regs`."""
        _warn_deprecated("registers", "num_regs")
        return self.num_regs

    @property
    def _stepwise(self):
        return self.__dict__.setdefault("_stepwise_launch", _StepwiseLaunch())

    def param_set(self, *args):
        """Set all arguments. Deprecated: pass them to the call.

        Parameters
        ----------
        args : _Argument
            @kernel_arguments
        """
        _warn_deprecated("param_set", "a call with arguments")
        self._stepwise.parameters[:] = self._pack(*args)

    def param_set_size(self, bytes):
        """Set the size of the parameter block. Deprecated: pass arguments to the call.

        Parameters
        ----------
        bytes : int
            Size in bytes.
        """
        _warn_deprecated("param_set_size", "a call with arguments")
        self._stepwise.resize(bytes)

    def param_seti(self, offset, value):
        """Set an integer argument. Deprecated: pass it to the call.

        Parameters
        ----------
        offset : int
            Offset in the parameter block, in bytes.
        value : int
            The value, 32 bits.
        """
        _warn_deprecated("param_seti", "a call with arguments")
        value = operator.index(value)
        self._stepwise.write(offset, value.to_bytes(4, "little", signed=value < 0))

    def param_setf(self, offset, value):
        """Set a float argument. Deprecated: pass it to the call.

        Parameters
        ----------
        offset : int
            Offset in the parameter block, in bytes.
        value : float
            The value, 32 bits.
        """
        _warn_deprecated("param_setf", "a call with arguments")
        self._stepwise.write(offset, bytes(ctypes.c_float(value)))

    def param_setv(self, offset, buffer):
        """Set the bytes of an argument. Deprecated: pass it to the call.

        Parameters
        ----------
        offset : int
            Offset in the parameter block, in bytes.
        buffer : buffer
            The bytes.
        """
        _warn_deprecated("param_setv", "a call with arguments")
        view = memoryview(buffer)
        if "O" in view.format:
            raise TypeError(f"the memory of this {type(buffer).__name__} holds Python objects, which a device cannot use")
        self._stepwise.write(offset, view.tobytes())

    def param_set_texref(self, texref):
        """Keep a texture reference of the module alive with the function.

        The kernel reads what is bound to it at the launch.

        Parameters
        ----------
        texref : TextureReference
            The texture reference.

        Raises
        ------
        LogicError
            The texture reference belongs to another module.
        """
        from pycuda import _driver

        _driver._check_module_of(self, texref)
        self.__dict__.setdefault("_texrefs", []).append(texref)

    def set_block_shape(self, x, y, z):
        """Set the block's shape. Deprecated: use ``block=``.

        Parameters
        ----------
        x : int
            Threads along x.
        y : int
            Threads along y.
        z : int
            Threads along z.
        """
        _warn_deprecated("set_block_shape", "the block= argument of a call")
        self._stepwise.block = tuple(map(operator.index, (x, y, z)))

    def set_shared_size(self, bytes):
        """Set the size of dynamic shared memory. Deprecated: use ``shared=``.

        Parameters
        ----------
        bytes : int
            Bytes per block.
        """
        _warn_deprecated("set_shared_size", "the shared= argument of a call")
        self._stepwise.shared = operator.index(bytes)

    def launch(self):
        """Launch one block. Deprecated: call the function.

        Raises
        ------
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuLaunchKernel.
        """
        _warn_deprecated("launch", "a call with block=")
        self._launch_stepwise((1, 1), None)

    def launch_grid(self, width, height):
        """Launch a grid. Deprecated: call the function with ``grid=``.

        Parameters
        ----------
        width : int
            Blocks along x.
        height : int
            Blocks along y.

        Raises
        ------
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuLaunchKernel.
        """
        _warn_deprecated("launch_grid", "a call with grid=")
        self._launch_stepwise((width, height), None)

    def launch_grid_async(self, width, height, stream):
        """Launch a grid on a stream. Deprecated: call the function with ``grid=`` and ``stream=``.

        Parameters
        ----------
        width : int
            Blocks along x.
        height : int
            Blocks along y.
        stream : Stream
            @stream

        Raises
        ------
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuLaunchKernel.
        """
        _warn_deprecated("launch_grid_async", "a call with grid= and stream=")
        self._launch_stepwise((width, height), stream)

    def _launch_stepwise(self, grid, stream):
        from pycuda import _driver

        state = self._stepwise
        if state.block is None:
            raise _driver.LogicError(f"kernel '{self.name}': set_block_shape was not called")
        self._launch_packed(grid, state.block, state.shared, stream, state.parameters)
