// The part of the core that both languages wrap. A language's module file sets its own typemaps first, defines PYCUDA_TRANSLATE_EXCEPTION
// (errors.i) and its macros of declare.i, and then includes this file.
%{
#include "pycuda/launching/kernel_args.hpp"
#include "pycuda/memory/staging.hpp"

#include "describe.hpp"
%}
%include <stdint.i>
%include <std_string.i>
%include <std_shared_ptr.i>
%include <std_unique_ptr.i>

%include "errors.i"
%include "hidden.i"
%include "classes.i"
%include "declare.i"
