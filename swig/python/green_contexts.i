// Green contexts: one resource, or several, and lists of them.
%typemap(in) const std::vector<pycuda::SMResource>& (std::vector<pycuda::SMResource> resources) {
    void* one = nullptr;
    if (SWIG_IsOK(SWIG_ConvertPtr($input, &one, $descriptor(pycuda::SMResource*), 0)) && one) {
        resources.push_back(*static_cast<pycuda::SMResource*>(one));
    } else {
        const pycuda::python::Ref items(PySequence_Tuple($input));
        for (Py_ssize_t k = 0; items && k < PyTuple_GET_SIZE(items.get()); ++k) {
            PyObject* const item = PyTuple_GET_ITEM(items.get(), k);
            if (!SWIG_IsOK(SWIG_ConvertPtr(item, &one, $descriptor(pycuda::SMResource*), 0)) || !one) {
                PyErr_Format(PyExc_TypeError, "expected an SMResource, not %s", Py_TYPE(item)->tp_name);
                SWIG_fail;
            }
            resources.push_back(*static_cast<pycuda::SMResource*>(one));
        }
        if (!items) {
            if (PyErr_ExceptionMatches(PyExc_TypeError))
                PyErr_Format(PyExc_TypeError, "expected an SMResource or a list of them, not %s", Py_TYPE($input)->tp_name);
            SWIG_fail;
        }
    }
    $1 = &resources;
}
%typemap(typecheck, precedence=SWIG_TYPECHECK_POINTER) const std::vector<pycuda::SMResource>& "$1 = 1;"
%typemap(out) std::vector<pycuda::SMResource> {
    $result = PyList_New(0);
    for (const pycuda::SMResource& resource : static_cast<const std::vector<pycuda::SMResource>&>($1)) {
        const pycuda::python::Ref item(
            SWIG_NewPointerObj(new pycuda::SMResource(resource), $descriptor(pycuda::SMResource*), SWIG_POINTER_OWN));
        if (!$result || !item || PyList_Append($result, item.get()) < 0) SWIG_fail;
    }
}
