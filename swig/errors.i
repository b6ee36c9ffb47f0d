// The only place where wrapped calls catch exceptions. A language defines PYCUDA_TRANSLATE_EXCEPTION, which turns the exception in flight
// into one of the language and leaves the wrapper, and PYCUDA_MAY_CALL, a condition: if it is false, a destructor does nothing. The
// language also defines its own counterparts of the classes in error.hpp.
%exception {
    try {
        if (PYCUDA_MAY_CALL) {
            $action
        }
    } catch (...) {
        PYCUDA_TRANSLATE_EXCEPTION
    }
}
