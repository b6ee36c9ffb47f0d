// Every wrapped call is guarded here and nowhere else. PYCUDA_TRANSLATE_EXCEPTION is the language's: it turns the exception
// in flight into one of its own and leaves the wrapper. The classes of error.hpp are the language's own too.
%exception {
    try {
        $action
    } catch (...) {
        PYCUDA_TRANSLATE_EXCEPTION
    }
}
