// The GIL, and objects that outlive a call.
%{
#include "interpreter/core_hooks.hpp"
#include "interpreter/program_places.hpp"
#include "pycuda/errors/advice.hpp"
#include "pycuda/observing/memory_report.hpp"
#include "lifetime.hpp"
// declare.i determines which calls release the GIL; this implements it.
#undef SWIG_PYTHON_THREAD_BEGIN_ALLOW
#undef SWIG_PYTHON_THREAD_END_ALLOW
#define SWIG_PYTHON_THREAD_BEGIN_ALLOW pycuda::python::GilRelease _swig_thread_allow
#define SWIG_PYTHON_THREAD_END_ALLOW _swig_thread_allow.end()
%}
%init %{
#ifdef Py_GIL_DISABLED
    PyUnstable_Module_SetGIL(m, Py_MOD_GIL_NOT_USED);  // interpreter/free_threading.hpp
#endif
    pycuda::python::connect_to_core();
    pycuda::set_advice({"import pycuda.autoinit, or call pycuda.driver.init() and make a context",
                        "import pycuda.autoinit, or make a context with Device.make_context(), or push one",
                        "call its push() in this thread before CUDA is used, and pop() after (pycuda.autoinit.context, "
                        "if autoinit made it)",
                        "start workers with multiprocessing.get_context('spawn'), or initialize CUDA only in them",
                        "To install CUDA 13.0's compilers and libraries from PyPI (684 MB), if the driver is of CUDA 13:\n"
                        "  pip install \"pycuda-swig[toolkit]\"\n"
                        "For an older driver, install a CUDA toolkit of the driver's major version and set CUDA_HOME to its "
                        "folder.",
                        "pass no_extern_c=True", "name its folder in include_dirs", "pip install"});
%}
