"""Just-in-time compilation of CUDA C++: :func:`compile`, :class:`SourceModule`, and the linking :class:`DynamicModule`.

The compiler layer itself (nvcc, NVRTC, the disk cache) is the core's; the environment variables ``PYCUDA_COMPILER``,
``PYCUDA_DEFAULT_NVCC_FLAGS``, ``PYCUDA_CACHE_DIR``, ``PYCUDA_CACHE_SIZE`` and ``PYCUDA_DISABLE_CACHE`` steer it.
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

#: nvcc options used where a call is given none. Initially what ``PYCUDA_DEFAULT_NVCC_FLAGS`` holds. Shared by all
#: packages in the process.
DEFAULT_NVCC_FLAGS = list(_driver.default_nvcc_flags())


def _tell_core_where_things_are():
    """The interpreter knows best where pip put its toolkit, and the package where its own headers are."""
    for folder in _sys.path:
        if _os.path.basename(folder) in ("site-packages", "dist-packages"):
            _driver.add_toolkit_search_root(folder)
    headers = _os.path.join(_os.path.dirname(_os.path.abspath(__file__)), "include")
    if _os.path.isdir(headers):
        _driver.set_device_include_dir(headers)


_tell_core_where_things_are()


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
    """Shows `text` where the caller of this module is."""
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
    """The core's CompileResult, its warnings shown."""
    options = _as_list(DEFAULT_NVCC_FLAGS if options is None else options)
    if getattr(_sys.modules.get("pycuda.driver"), "CUDA_DEBUGGING", False):
        # A debugger needs the source files to stay where the compiler saw them.
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
    """Compiles CUDA C++ `source` and returns the binary as :class:`bytes`, without loading it.

    nvcc -- name or path of the compiler; anything but "nvcc" also keeps NVRTC out
    options -- list of nvcc options; None: :data:`DEFAULT_NVCC_FLAGS`
    keep -- leave the compiler's folder behind and print where it is
    no_extern_c -- do not wrap the source in ``extern "C" { ... }``
    arch, code -- values of nvcc's ``-arch`` and ``-code``; the default architecture is the current device's
    cache_dir -- folder of the disk cache; None: the default one, False: no caching
    include_dirs -- folders of headers
    target -- "cubin", "ptx" or "fatbin"; on the CPU device, which has no machine code, "cubin" without `arch` gives PTX

    What the compiler says of a source that it accepts becomes a UserWarning; one that it refuses, a
    :class:`pycuda.driver.CompileError`.
    """
    if target not in ("cubin", "ptx", "fatbin"):
        raise ValueError(f"target must be 'cubin', 'ptx' or 'fatbin', not {target!r}")
    return _run(source, target, nvcc, options, keep, no_extern_c, arch, code, cache_dir, include_dirs).image


def compile_plain(source, options, keep, nvcc, cache_dir, target="cubin"):
    """Compiles `source` as it is: :func:`compile` with `no_extern_c`."""
    return compile(source, nvcc, options, keep, no_extern_c=True, cache_dir=cache_dir, target=target)


def preprocess_source(source, options, nvcc):
    """Returns `source` after nvcc's preprocessor. `options`: list of nvcc options; `nvcc`: its name or path.

    OSError when there is no such compiler, :class:`pycuda.driver.CompileError` when it refuses the source.
    """
    import subprocess
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        filename = _os.path.join(folder, "kernel.cu")
        with open(filename, "w", encoding="utf-8") as file:
            file.write(_as_text(source))
        command = [_require_nvcc(nvcc), "--preprocess", *_as_list(options), filename]
        ran = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace")
    if ran.returncode != 0:
        raise CompileError(f"nvcc preprocessing of {filename} failed", command, ran.stdout, ran.stderr)
    return ran.stdout


class CudaModule:
    """The public interface of :class:`pycuda.driver.Module` over :attr:`module`, which subclasses set."""

    #: The loaded module.
    module = None

    def get_function(self, name):
        """The kernel `name`; see :meth:`pycuda.driver.Module.get_function`."""
        return self._loaded().get_function(name)

    def get_global(self, name):
        """(device pointer, size in bytes) of the variable `name`."""
        return self._loaded().get_global(name)

    def get_texref(self, name):
        """The :class:`pycuda.driver.TextureReference` `name`."""
        return self._loaded().get_texref(name)

    def get_surfref(self, name):
        """The :class:`pycuda.driver.SurfaceReference` `name`."""
        return self._loaded().get_surfref(name)

    def function_names(self):
        """Names of all kernels, as :meth:`get_function` takes them."""
        return list(self._loaded().function_names())

    def _loaded(self):
        if self.module is None:
            raise _driver.LogicError(f"{type(self).__name__} failed: the module is not linked yet; call link() first")
        return self.module


class SourceModule(CudaModule):
    """A module compiled from CUDA C++ source and loaded into the current context.

    The parameters are those of :func:`compile`. `name_expressions` lists C++ names to instantiate and keep, such as
    ``"scale<float>"``; :meth:`get_function` and :meth:`get_global` then take these names. It implies `no_extern_c`.
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
        """The kernel `name`: a C name, or one of the `name_expressions`."""
        return self.module.get_function(self._symbols.get(name, name))

    def get_global(self, name):
        """(device pointer, size in bytes) of the variable `name`."""
        return self.module.get_global(self._symbols.get(name, name))


class DynamicModule(CudaModule):
    """A module linked at run time from several pieces of relocatable device code.

    Add pieces, then call :meth:`link`, after which it is used like a :class:`pycuda.driver.Module`. Every method
    returns the object itself, so calls can be chained.
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
        """Compiles `source` to PTX (through the cache) and adds it. `nvcc_options` as `options` of :func:`compile`.

        With ``-dlto`` among them it is compiled to LTO-IR, and everything is linked by nvJitLink.
        """
        self.linker._unlinked()
        options = _as_list(DEFAULT_NVCC_FLAGS if nvcc_options is None else nvcc_options)
        lto = [option for option in options if option in ("-dlto", "--dlink-time-opt")]
        options = [option for option in options if option not in lto]
        result = _run(source, "ltoir" if lto else "ptx", options=options, **self._compile_arguments)
        input_type = _driver.jit_input_type.NVVM if lto else _driver.jit_input_type.PTX
        return self.add_data(result.image, input_type, name)

    def add_data(self, data, input_type, name="unknown"):
        """Adds code from memory. `input_type`: a :class:`pycuda.driver.jit_input_type`."""
        self.linker.add_data(data, input_type, name)
        return self

    def add_file(self, filename, input_type):
        """Adds a file. `input_type`: a :class:`pycuda.driver.jit_input_type`."""
        self.linker.add_file(filename, input_type)
        return self

    def add_stdlib(self, libname):
        """Adds a static library of the toolkit by its short name, such as "cudadevrt". OSError when there is none."""
        try:
            path = _driver.find_static_library(libname, self._libdir)
        except _driver.RuntimeError as error:
            raise OSError(str(error)) from None
        return self.add_file(path, _driver.jit_input_type.LIBRARY)

    def link(self):
        """Links all pieces and loads the result into the current context. Nothing can be added or linked after."""
        self.module = self.linker.link_module()
        return self


class DynamicSourceModule(DynamicModule):
    """A :class:`SourceModule` linked with the device runtime library, so that kernels can launch kernels."""

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


#: One compiled image of the cache. `last_used` is in seconds since 1970, `arch` as asked for.
CacheEntry = _namedtuple("CacheEntry", "key name kind arch compiler nbytes last_used")


class _Cache:
    """The disk cache of compiled images. `directory`: another folder than the default one."""

    def __init__(self, directory=None):
        self._directory = _os.fspath(directory) if directory else ""

    def _core(self):
        # Anew each time: the environment names the default folder.
        return _driver.CompilerCache(self._directory)

    @property
    def directory(self):
        """The folder; it need not exist."""
        return self._core().directory()

    def list(self):
        """A list of :class:`CacheEntry`, most recently used first."""
        return [CacheEntry(*(getattr(info, field) for field in CacheEntry._fields)) for info in self._core().list()]

    def size(self):
        """Bytes of all entries."""
        return self._core().size()

    def clear(self):
        """Removes all entries; returns their number."""
        return self._core().clear()

    def export_to(self, filename):
        """Writes all entries into a tar file, for a machine without a compiler; returns their number."""
        return self._core().export_to(_os.fspath(filename))

    def import_from(self, filename):
        """Adds the entries of such a file; returns the number of those that were new."""
        return self._core().import_from(_os.fspath(filename))

    def __call__(self, directory):
        """The cache in another folder: ``cache(path).list()``."""
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
    """What ``nvcc --version`` prints."""
    import subprocess

    return subprocess.run([_require_nvcc(nvcc), "--version"], check=True, capture_output=True, text=True).stdout
