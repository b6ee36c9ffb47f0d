"""The Python side of Library and Kernel."""

__all__ = ["KernelMixin", "LibraryMixin"]


class LibraryMixin:
    @staticmethod
    def from_buffer(buffer, options=[], message_handler=None):
        """Load a library from memory. Needs no context.

        Parameters
        ----------
        buffer : buffer or str
            PTX, cubin or fatbin.
        options : iterable of pairs, optional
            Pairs of `jit_option` and int.
        message_handler : callable, optional
            Called with (success, info, error): what the compiler reported, also after a failure.

        Returns
        -------
        Library
            The library.

        Raises
        ------
        LogicError
            The driver rejects the code; the message has its log.
        RuntimeError
            The driver is older than CUDA 12.0's.

        Notes
        -----
        Driver call: cuLibraryLoadData.

        Examples
        --------
        >>> ptx = pycuda.compiler.compile('extern "C" __global__ void f() {}', target="ptx")
        >>> [kernel.name for kernel in drv.Library.from_buffer(ptx).kernels()]
        ['f']
        """
        from pycuda import _driver

        return _driver._load_library(buffer, options, message_handler)

    @staticmethod
    def from_file(filename, options=[], message_handler=None):
        """Load a library from a file. Needs no context.

        Parameters
        ----------
        filename : str or os.PathLike
            File with PTX, a cubin or a fatbin.
        options : iterable of pairs, optional
            Pairs of `jit_option` and int.
        message_handler : callable, optional
            Called with (success, info, error): what the compiler reported, also after a failure.

        Returns
        -------
        Library
            The library.

        Raises
        ------
        RuntimeError
            The file cannot be read, or the driver is older than CUDA 12.0's.
        LogicError
            The driver rejects the code; the message has its log.

        Notes
        -----
        Driver call: cuLibraryLoadData.
        """
        from pycuda import _driver

        return _driver._load_library_file(filename, options, message_handler)


class KernelMixin:
    def __call__(self, *args, **options):
        """Launch the kernel in the current context: a call of `function`. For many launches, ask for that once.

        Parameters
        ----------
        args : object
            @kernel_arguments
        options : dict
            The keyword arguments of `Function.__call__`, such as ``block``.

        Returns
        -------
        float or None
            The seconds that it took, with ``time_kernel=True``.

        Raises
        ------
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuKernelGetFunction, cuLaunchKernel.
        """
        return self.function()(*args, **options)
