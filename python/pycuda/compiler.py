"""Just-in-time compilation of CUDA C++: :func:`compile`, :class:`SourceModule`, and the linking :class:`DynamicModule`.

The compiler layer itself (nvcc, NVRTC, the disk cache) is the core's; the environment variables ``PYCUDA_COMPILER``,
``PYCUDA_DEFAULT_NVCC_FLAGS``, ``PYCUDA_CACHE_DIR``, ``PYCUDA_CACHE_SIZE`` and ``PYCUDA_DISABLE_CACHE`` control it.
"""

import os as _os
import sys as _sys
import warnings as _warnings
from collections import namedtuple as _namedtuple

from pycuda import _driver
from pycuda._errors import CompileError
from pycuda._linker import Linker as _Linker

__all__ = [
    "DEFAULT_NVCC_FLAGS",
    "CompileError",
    "DynamicModule",
    "DynamicSourceModule",
    "SourceModule",
    "cache",
    "compile",
    "compile_plain",
    "get_nvcc_version",
    "preprocess_source",
]

#: nvcc's options for calls without `options`. Initially those in ``PYCUDA_DEFAULT_NVCC_FLAGS``. Shared by all
#: packages in the process.
DEFAULT_NVCC_FLAGS = list(_driver.default_nvcc_flags())


def _find_pycuda_include_path():
    """The folder of the package's own device headers (pycuda-complex.hpp, ...)."""
    return _driver.device_include_dir()


def _as_text(source):
    if isinstance(source, str):
        return source
    try:
        return str(memoryview(source), "utf-8")
    except TypeError:
        raise TypeError(f"expected the source as text or bytes, given {type(source).__name__}") from None


def _as_list(value):
    """A list of strings; one string or path counts as a list of one."""
    if value is None:
        return []
    if isinstance(value, (str, _os.PathLike)):
        value = [value]
    return [_os.fspath(item) for item in value]


def _warn(text):
    """Warn with `text` at the line that called this module."""
    level = 2
    frame = _sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__") == __name__:
        frame = frame.f_back
        level += 1
    _warnings.warn(text, UserWarning, stacklevel=level)


def _run(
    source, target, nvcc="nvcc", options=None, keep=False, no_extern_c=False, arch=None, code=None, cache_dir=None,
    include_dirs=None, name_expressions=(),
):
    """Return the core's CompileResult, after showing its warnings."""
    options = _as_list(DEFAULT_NVCC_FLAGS if options is None else options)
    if getattr(_sys.modules.get("pycuda.driver"), "CUDA_DEBUGGING", False):
        # A debugger needs the source files where the compiler read them.
        options, keep, cache_dir = [*options, "-g", "-G"], True, False
    request = _driver.CompileRequest()
    request.source = _as_text(source)
    request.nvcc = _os.fspath(nvcc)
    request.options = options
    request.include_dirs = _as_list(include_dirs)
    request.keep = bool(keep)
    request.no_extern_c = bool(no_extern_c)
    request.arch = arch or ""
    request.code = code or ""
    request.target = target
    request.use_cache = cache_dir is not False
    request.cache_dir = _os.fspath(cache_dir) if cache_dir else ""
    request.name_expressions = _as_list(name_expressions)
    result = _driver.compile(request)
    if result.build_dir:
        print(f"*** compiler output in {result.build_dir}")
    for text in result.warnings:
        _warn(text)
    return result


def compile(
    source, nvcc="nvcc", options=None, keep=False, no_extern_c=False, arch=None, code=None, cache_dir=None,
    include_dirs=[], target="cubin",
):
    """Compile CUDA C++ source and return the binary, without loading it.

    Compiler output about an accepted source becomes a UserWarning.

    Parameters
    ----------
    source : buffer
        @source
    nvcc : str or path, optional
        @nvcc
    options : list of str, optional
        @options
    keep : bool, optional
        @keep
    no_extern_c : bool, optional
        @no_extern_c
    arch : str, optional
        Architecture, such as "sm_90"; None: the current device's. Without a context, the compiler's default.
    code : str, optional
        @code
    cache_dir : _CacheDir, optional
        @cache_dir
    include_dirs : list of str, optional
        @include_dirs
    target : Literal['cubin', 'ptx', 'fatbin'], optional
        "cubin", "ptx" or "fatbin". On the CPU device, which has no machine code, "cubin" without `arch` gives PTX.

    Returns
    -------
    bytes
        The compiled image.

    Raises
    ------
    ValueError
        The target is unknown.
    CompileError
        The compiler rejects the source, or no compiler is installed.

    Examples
    --------
    >>> ptx = pycuda.compiler.compile("__global__ void f() {}", target="ptx")
    >>> b".version" in ptx
    True
    """
    if target not in ("cubin", "ptx", "fatbin"):
        raise ValueError(f"target must be 'cubin', 'ptx' or 'fatbin', not {target!r}")
    return _run(source, target, nvcc, options, keep, no_extern_c, arch, code, cache_dir, include_dirs).image


def compile_plain(source, options, keep, nvcc, cache_dir, target="cubin"):
    """Compile a source as it is: `compile` with ``no_extern_c=True``.

    Parameters
    ----------
    source : buffer
        @source
    options : list of str
        @options
    keep : bool
        @keep
    nvcc : str or path
        @nvcc
    cache_dir : _CacheDir
        @cache_dir
    target : Literal['cubin', 'ptx', 'fatbin'], optional
        "cubin", "ptx" or "fatbin".

    Returns
    -------
    bytes
        The compiled image.

    Raises
    ------
    CompileError
        The compiler rejects the source, or no compiler is installed.
    """
    return compile(source, nvcc, options, keep, no_extern_c=True, cache_dir=cache_dir, target=target)


def preprocess_source(source, options, nvcc):
    """Run nvcc's preprocessor on a source.

    Parameters
    ----------
    source : buffer
        @source
    options : list of str
        nvcc's options.
    nvcc : str or path
        Name or path of nvcc.

    Returns
    -------
    str
        The preprocessed source.

    Raises
    ------
    OSError
        nvcc was not found.
    CompileError
        nvcc rejects the source.
    """
    import subprocess
    import tempfile

    text, options, nvcc = _as_text(source), _as_list(options), _require_nvcc(nvcc)
    with tempfile.TemporaryDirectory() as folder:
        filename = _os.path.join(folder, "kernel.cu")
        with open(filename, "w", encoding="utf-8") as file:
            file.write(text)
        command = [nvcc, "--preprocess", *options, filename]
        ran = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace")
    if ran.returncode != 0:
        raise CompileError(f"nvcc preprocessing of {filename} failed", command, ran.stdout, ran.stderr)
    return ran.stdout


class CudaModule:
    """Base class of modules made from source. It has the methods of `pycuda.driver.Module`."""

    #: The loaded module.
    module = None

    def get_function(self, name):
        """Return a kernel of the module: see `pycuda.driver.Module.get_function`.

        Parameters
        ----------
        name : str
            @kernel_name

        Returns
        -------
        Function
            The kernel.

        Raises
        ------
        LogicError
            There is no such kernel, or the module is not linked yet.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuModuleGetFunction.
        """
        return self._loaded().get_function(name)

    def get_global(self, name):
        """Return a `__device__` or `__constant__` variable of the module.

        Parameters
        ----------
        name : str
            Name of the variable.

        Returns
        -------
        tuple[int, int]
            Device address and size in bytes.

        Raises
        ------
        LogicError
            There is no such variable, or the module is not linked yet.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuModuleGetGlobal.
        """
        return self._loaded().get_global(name)

    def get_texref(self, name):
        """Return a texture reference, declared as ``texture<...> name;``.

        Parameters
        ----------
        name : str
            Name of the reference.

        Returns
        -------
        object
            The texture reference.

        Raises
        ------
        LogicError
            There is no such reference, or the module is not linked yet.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuModuleGetTexRef.
        """
        return self._loaded().get_texref(name)

    def get_surfref(self, name):
        """Return a surface reference, declared as ``surface<void, ...> name;``.

        Parameters
        ----------
        name : str
            Name of the reference.

        Returns
        -------
        object
            The surface reference.

        Raises
        ------
        LogicError
            There is no such reference, or the module is not linked yet.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuModuleGetSurfRef.
        """
        return self._loaded().get_surfref(name)

    def function_names(self):
        """Return the names of all kernels of the module.

        Returns
        -------
        list[str]
            The names.

        Raises
        ------
        LogicError
            The module is not linked yet.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuModuleEnumerateFunctions.
        """
        return list(self._loaded().function_names())

    def _loaded(self):
        if self.module is None:
            raise _driver.LogicError(f"{type(self).__name__} failed: the module is not linked yet; call link() first")
        return self.module


class SourceModule(CudaModule):
    """A module compiled from CUDA C++ source and loaded into the current context.

    Parameters
    ----------
    source : buffer
        @source
    nvcc : str or path, optional
        @nvcc
    options : list of str, optional
        @options
    keep : bool, optional
        @keep
    no_extern_c : bool, optional
        @no_extern_c
    arch : str, optional
        @arch
    code : str, optional
        @code
    cache_dir : _CacheDir, optional
        @cache_dir
    include_dirs : list of str, optional
        @include_dirs
    name_expressions : list of str, optional
        C++ names to instantiate and keep, such as "scale<float>". `get_function` and `get_global` then accept them. Implies `no_extern_c`.

    Raises
    ------
    CompileError
        The compiler rejects the source, or no compiler is installed.
    LogicError
        No context is current.
    Error
        The driver refused the call; the subclass says why.

    Notes
    -----
    Driver call: cuModuleLoadDataEx.

    Examples
    --------
    >>> module = SourceModule("__global__ void twice(float *x) { x[threadIdx.x] *= 2; }")
    >>> twice = module.get_function("twice")
    >>> x = np.ones(4, np.float32)
    >>> twice(drv.InOut(x), block=(4, 1, 1))
    >>> x.tolist()
    [2.0, 2.0, 2.0, 2.0]
    """

    def __init__(
        self, source, nvcc="nvcc", options=None, keep=False, no_extern_c=False, arch=None, code=None, cache_dir=None,
        include_dirs=[], name_expressions=(),
    ):
        result = _run(
            source, "", nvcc, options, keep, no_extern_c, arch, code, cache_dir, include_dirs, name_expressions
        )
        self._symbols = dict(zip(_as_list(name_expressions), result.lowered_names))
        self.module = _driver.module_from_buffer(result.image)

    def get_function(self, name):
        """Return a kernel of the module.

        Parameters
        ----------
        name : str
            Name of the kernel, or one of the `name_expressions`.

        Returns
        -------
        Function
            The kernel.

        Raises
        ------
        LogicError
            There is no such kernel.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuModuleGetFunction.

        Examples
        --------
        >>> source = "template <class T> __global__ void clear(T *x) { *x = 0; }"
        >>> module = SourceModule(source, no_extern_c=True, name_expressions=["clear<int>"])
        >>> clear = module.get_function("clear<int>")
        """
        return self.module.get_function(self._symbols.get(name, name))

    def get_global(self, name):
        """Return a `__device__` or `__constant__` variable of the module.

        Parameters
        ----------
        name : str
            Name of the variable, or one of the `name_expressions`.

        Returns
        -------
        tuple[int, int]
            Device address and size in bytes.

        Raises
        ------
        LogicError
            There is no such variable.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuModuleGetGlobal.

        Examples
        --------
        >>> module = SourceModule("__constant__ float weights[8];")
        >>> module.get_global("weights")[1]
        32
        """
        return self.module.get_global(self._symbols.get(name, name))


class DynamicModule(CudaModule):
    """A module linked at run time from several pieces of relocatable device code.

    Add the pieces, then call `link`. Every method returns the object, so calls can be chained.

    Parameters
    ----------
    nvcc : str or path, optional
        @nvcc
    link_options : Sequence[tuple[int, int]], optional
        Pairs of `pycuda.driver.jit_option` and value.
    keep : bool, optional
        @keep
    no_extern_c : bool, optional
        @no_extern_c
    arch : str, optional
        @arch
    code : str, optional
        @code
    cache_dir : _CacheDir, optional
        @cache_dir
    include_dirs : list of str, optional
        @include_dirs
    message_handler : _MessageHandler, optional
        Called with (success, info, error): what the linker reported.
    log_verbose : bool, optional
        Whether to ask the linker for its full log.
    cuda_libdir : str or path, optional
        Folder of the toolkit's static libraries; None: searched for.

    Raises
    ------
    Error
        The driver refused the call; the subclass says why.

    Notes
    -----
    Driver call: cuLinkCreate.
    """

    def __init__(
        self, nvcc="nvcc", link_options=None, keep=False, no_extern_c=False, arch=None, code=None, cache_dir=None,
        include_dirs=None, message_handler=None, log_verbose=False, cuda_libdir=None,
    ):
        self._compile_arguments = dict(nvcc=nvcc, keep=keep, no_extern_c=no_extern_c, arch=arch, code=code,
                                       cache_dir=cache_dir, include_dirs=include_dirs)
        self._libdir = _os.fspath(cuda_libdir) if cuda_libdir else ""
        #: The :class:`pycuda.driver.Linker` that the pieces go to.
        self.linker = _Linker(message_handler, link_options, log_verbose)

    def add_source(self, source, nvcc_options=None, name="kernel.ptx"):
        """Compile a source to PTX, through the cache, and add it.

        Parameters
        ----------
        source : buffer
            @source
        nvcc_options : list of str, optional
            Compiler options. With "-dlto" it is compiled to LTO-IR, and nvJitLink links everything.
        name : str, optional
            Name for messages.

        Returns
        -------
        DynamicModule
            This object.

        Raises
        ------
        CompileError
            The compiler rejects the source, or no compiler is installed.
        """
        self.linker._unlinked()
        options = _as_list(DEFAULT_NVCC_FLAGS if nvcc_options is None else nvcc_options)
        lto = [option for option in options if option in ("-dlto", "--dlink-time-opt")]
        options = [option for option in options if option not in lto]
        result = _run(source, "ltoir" if lto else "ptx", options=options, **self._compile_arguments)
        input_type = _driver.jit_input_type.NVVM if lto else _driver.jit_input_type.PTX
        return self.add_data(result.image, input_type, name)

    def add_data(self, data, input_type, name="unknown"):
        """Add code from memory.

        Parameters
        ----------
        data : buffer
            PTX, cubin, fatbin, object or library.
        input_type : int
            A `pycuda.driver.jit_input_type`.
        name : str, optional
            Name for messages.

        Returns
        -------
        DynamicModule
            This object.

        Raises
        ------
        LogicError
            The module is linked already.
        """
        self.linker.add_data(data, input_type, name)
        return self

    def add_file(self, filename, input_type):
        """Add code from a file.

        Parameters
        ----------
        filename : str or path
            Path of the file.
        input_type : int
            A `pycuda.driver.jit_input_type`.

        Returns
        -------
        DynamicModule
            This object.

        Raises
        ------
        LogicError
            The module is linked already.
        """
        self.linker.add_file(filename, input_type)
        return self

    def add_stdlib(self, libname):
        """Add a static library of the toolkit.

        Parameters
        ----------
        libname : str
            Its short name, such as "cudadevrt".

        Returns
        -------
        DynamicModule
            This object.

        Raises
        ------
        OSError
            There is no such library.
        """
        try:
            path = _driver.find_static_library(libname, self._libdir)
        except _driver.RuntimeError as error:
            raise OSError(str(error)) from None
        return self.add_file(path, _driver.jit_input_type.LIBRARY)

    def link(self):
        """Link all pieces and load the result into the current context. Nothing can be added afterwards.

        Returns
        -------
        DynamicModule
            This object.

        Raises
        ------
        LogicError
            The linker rejects the code, or the module is linked already.
        Error
            The driver refused the call; the subclass says why.

        Notes
        -----
        Driver call: cuLinkComplete, cuModuleLoadDataEx.
        """
        self.module = self.linker.link_module()
        return self


class DynamicSourceModule(DynamicModule):
    """A `SourceModule` linked with the device runtime library, so that kernels can launch kernels.

    Parameters
    ----------
    source : buffer
        @source
    nvcc : str or path, optional
        @nvcc
    options : list of str, optional
        @options
    keep : bool, optional
        @keep
    no_extern_c : bool, optional
        @no_extern_c
    arch : str, optional
        @arch
    code : str, optional
        @code
    cache_dir : _CacheDir, optional
        @cache_dir
    include_dirs : list of str, optional
        @include_dirs
    cuda_libdir : str or path, optional
        Folder of the toolkit's static libraries; None: searched for.

    Raises
    ------
    CompileError
        The compiler rejects the source, or no compiler is installed.
    OSError
        The device runtime library was not found.
    Error
        The driver refused the call; the subclass says why.

    Notes
    -----
    Driver call: cuLinkCreate, cuModuleLoadDataEx.
    """

    def __init__(
        self, source, nvcc="nvcc", options=None, keep=False, no_extern_c=False, arch=None, code=None, cache_dir=None,
        include_dirs=None, cuda_libdir=None,
    ):
        super().__init__(nvcc=nvcc, keep=keep, no_extern_c=no_extern_c, arch=arch, code=code, cache_dir=cache_dir,
                         include_dirs=include_dirs, cuda_libdir=cuda_libdir)
        options = _as_list(DEFAULT_NVCC_FLAGS if options is None else options)
        if "-rdc=true" not in options:
            options.append("-rdc=true")
        self.add_source(source, nvcc_options=options).add_stdlib("cudadevrt").link()


#: One compiled image of the cache. `last_used` is in seconds since 1970, `arch` as requested.
CacheEntry = _namedtuple("CacheEntry", "key name kind arch compiler nbytes last_used")


class _Cache:
    """The disk cache of compiled images.

    ``cache(directory)`` is the cache in another folder.

    Parameters
    ----------
    directory : str or path, optional
        The folder; None: the default one.
    """

    def __init__(self, directory=None):
        self._directory = _os.fspath(directory) if directory else ""

    def _core(self):
        # Created each time, because the environment names the default folder.
        return _driver.CompilerCache(self._directory)

    @property
    def directory(self):
        """The cache's folder. It need not exist."""
        return self._core().directory()

    def list(self):
        """Return the cached images, most recently used first.

        Returns
        -------
        list of CacheEntry
            Entries of class `CacheEntry`.
        """
        return [CacheEntry(*(getattr(info, field) for field in CacheEntry._fields)) for info in self._core().list()]

    def size(self):
        """Return the size of all cached images.

        Returns
        -------
        int
            Bytes.
        """
        return self._core().size()

    def clear(self):
        """Remove all cached images.

        Returns
        -------
        int
            Number of removed images.
        """
        return self._core().clear()

    def export_to(self, filename):
        """Write all cached images to a tar file, for a machine without a compiler.

        Parameters
        ----------
        filename : str or path
            Path to write to.

        Returns
        -------
        int
            Number of written images.
        """
        return self._core().export_to(_os.fspath(filename))

    def import_from(self, filename):
        """Add the images of a file that `export_to` wrote.

        Parameters
        ----------
        filename : str or path
            Path to read.

        Returns
        -------
        int
            Number of new images.
        """
        return self._core().import_from(_os.fspath(filename))

    def __call__(self, directory):
        """Return the cache in another folder.

        Parameters
        ----------
        directory : str or path
            The folder.

        Returns
        -------
        _Cache
            The cache.
        """
        return _Cache(directory)

    def __repr__(self):
        return f"<pycuda.compiler.cache {self.directory!r}>"


cache = _Cache()


def _require_nvcc(nvcc):
    path = _driver.find_nvcc(_os.fspath(nvcc))
    if not path:
        raise OSError(f"{nvcc} was not found.\n{_driver.toolkit_search_report()}")
    return path


def get_nvcc_version(nvcc="nvcc"):
    """Return what ``nvcc --version`` prints.

    Parameters
    ----------
    nvcc : str or path, optional
        Name or path of nvcc.

    Returns
    -------
    str
        The output.

    Raises
    ------
    OSError
        nvcc was not found.
    """
    import subprocess

    return subprocess.run([_require_nvcc(nvcc), "--version"], check=True, capture_output=True, text=True).stdout
