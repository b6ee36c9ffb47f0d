// Who owns what. Objects that others keep alive are shared; all the rest is owned by its proxy alone (move-only in C++).
%shared_ptr(pycuda::Context)
%shared_ptr(pycuda::Module)

// Returned by value and moved: no object is made first just to be assigned to.
%feature("valuewrapper") pycuda::Event;
