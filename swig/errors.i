// The only place where wrapped calls catch exceptions. A language defines PYCUDA_TRANSLATE_EXCEPTION, which turns the exception in flight
// into one of the language and leaves the wrapper. The language also defines its own counterparts of the classes in error.hpp.
%exception {
    try {
        $action
    } catch (...) {
        PYCUDA_TRANSLATE_EXCEPTION
    }
}
