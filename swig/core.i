// What of the core both languages wrap, in dependency order. A language's module file sets its own typemaps first, defines
// PYCUDA_TRANSLATE_EXCEPTION (errors.i), and then includes this file.
%{
#include "pycuda/context.hpp"
#include "pycuda/device.hpp"
#include "pycuda/device_memory.hpp"
#include "pycuda/driver.hpp"
#include "pycuda/error.hpp"
#include "pycuda/event.hpp"
#include "pycuda/function.hpp"
#include "pycuda/kernel_args.hpp"
#include "pycuda/memcpy.hpp"
#include "pycuda/module.hpp"
#include "pycuda/staging.hpp"
#include "pycuda/stream.hpp"
%}

%include <stdint.i>
%include <std_string.i>
%include <std_shared_ptr.i>

%include "errors.i"
%include "ownership.i"
%include "hidden.i"
%include "blocking.i"

%include "pycuda/driver.hpp"
%include "pycuda/device.hpp"
%include "pycuda/context.hpp"
%include "pycuda/stream.hpp"
%include "pycuda/event.hpp"
%include "pycuda/device_memory.hpp"
%include "pycuda/memcpy.hpp"
%include "pycuda/module.hpp"
%include "pycuda/function.hpp"
