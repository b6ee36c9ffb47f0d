// How headers and classes are wrapped. There is one macro for each kind of class; a language adds to it by a macro PYCUDA_LANGUAGE_<KIND>.
//
// PYCUDA_HEADER(file)               the declarations in pycuda/<file>.hpp
// PYCUDA_VALUE(Class, file)         an object that owns nothing of the driver's
// PYCUDA_HANDLE(Class, file)        owns a driver object alone: handle() and close() (move-only)
// PYCUDA_MEMORY(Class, file)        owns device memory alone: a DeviceMemory, with pointer(), size() and close()
// PYCUDA_HOST_MEMORY(Class, file)   owns host memory alone: data(), size() and close()
// PYCUDA_HOST_READABLE(Class)       device memory that the host accesses by the same address: it has data()
// PYCUDA_POOL(Class, Block, file)   a PoolHandle, whose allocate returns Blocks
// PYCUDA_STRUCT(Class, file)        plain data with public fields, which languages read and write
// PYCUDA_BASE(Class, Base, file)    an abstract base of several classes; Base is another one, or Java's class for it (Proxy by default)
// PYCUDA_DERIVED(Class, Base, file) a struct derived from a PYCUDA_BASE
// PYCUDA_SHARED_HANDLE(Class, file) a handle that other objects keep alive: always held by std::shared_ptr
// PYCUDA_REGISTERED(Class, file)    a RegisteredObject, otherwise such a handle
// PYCUDA_RETURNS_SELF(Class, call)  a void call that returns its object in the languages
//
// Traits, scopes and contexts of handles are hidden from the languages by rules here; headers hide other code by #ifndef SWIG.
%rename("$ignore", regextarget=1) "(Traits|Scope)$";

// Calls may wait for a device, a disk, a compiler or another thread. So a language with a global lock releases it around every call
// that a header declares. It keeps the lock for calls that the language adds, which may use its objects, and for the following calls,
// which only read the object.
%feature("nothreadallow", "1");
%feature("nothreadallow", "1") *::handle;
%feature("nothreadallow", "1") *::pointer;
%feature("nothreadallow", "1") *::size;
%feature("nothreadallow", "1") *::name;

%define PYCUDA_DECLARE_CLASS(CLASS)
namespace pycuda {
class CLASS;
}
%ignore pycuda::CLASS::context;
%ignore pycuda::CLASS::handle_or_null;
%ignore pycuda::CLASS::use;
%ignore pycuda::CLASS::operator==;
%feature("nothreadallow", "0") pycuda::CLASS::~CLASS;
%enddef

%define PYCUDA_DECLARE_VALUE(CLASS)
PYCUDA_DECLARE_CLASS(CLASS)
PYCUDA_LANGUAGE_VALUE(CLASS)
%enddef

%define PYCUDA_DECLARE_HANDLE(CLASS)
PYCUDA_DECLARE_CLASS(CLASS)
%feature("valuewrapper") pycuda::CLASS;  // returned by value and moved: avoids creating an object that is then assigned to
PYCUDA_LANGUAGE_HANDLE(CLASS)
%enddef

%define PYCUDA_DECLARE_MEMORY(CLASS)
%unique_ptr(pycuda::CLASS)
PYCUDA_DECLARE_CLASS(CLASS)
%ignore pycuda::CLASS::what;
%ignore pycuda::CLASS::is_closed;
%ignore pycuda::CLASS::pointer_for;
%feature("valuewrapper") pycuda::CLASS;
PYCUDA_LANGUAGE_MEMORY(CLASS)
%enddef

%define PYCUDA_DECLARE_HOST_MEMORY(CLASS)
PYCUDA_DECLARE_CLASS(CLASS)
%ignore pycuda::CLASS::what;
%ignore pycuda::CLASS::is_closed;
PYCUDA_LANGUAGE_HOST_MEMORY(CLASS)
%enddef

%define PYCUDA_DECLARE_POOL(CLASS, BLOCK)
PYCUDA_DECLARE_CLASS(CLASS)
%unique_ptr(pycuda::BLOCK)
%ignore pycuda::CLASS::pool;
%feature("valuewrapper") pycuda::CLASS;
PYCUDA_LANGUAGE_POOL(CLASS)
%extend pycuda::CLASS {
    /// Blocks kept for reuse.
    std::size_t held_blocks() const { return $self->held_blocks(); }
    /// Blocks in use.
    std::size_t active_blocks() const { return $self->active_blocks(); }
    /// Bytes of all blocks, as allocated.
    std::size_t managed_bytes() const { return $self->managed_bytes(); }
    /// Bytes of the blocks in use, as requested.
    std::size_t active_bytes() const { return $self->active_bytes(); }
    /// The size class of a request.
    static unsigned bin_number(std::size_t size) { return pycuda::CLASS::bin_number(size); }
    /// The bytes allocated for a request of this size class.
    static std::size_t alloc_size(unsigned bin) { return pycuda::CLASS::alloc_size(bin); }
    /// Free all held blocks.
    void free_held() { $self->free_held(); }
    /// From now on free returned blocks at once, and the held ones now.
    void stop_holding() { $self->stop_holding(); }
}
%enddef

%define PYCUDA_DECLARE_BASE(CLASS, BASE)
namespace pycuda {
class CLASS;
}
PYCUDA_LANGUAGE_BASE(CLASS, BASE)
%enddef

%define PYCUDA_DECLARE_DERIVED(CLASS, BASE)
namespace pycuda {
class CLASS;
}
PYCUDA_LANGUAGE_DERIVED(CLASS, BASE)
%enddef

%define PYCUDA_DECLARE_STRUCT(CLASS)
namespace pycuda {
struct CLASS;
}
PYCUDA_LANGUAGE_STRUCT(CLASS)
%enddef

%define PYCUDA_DECLARE_SHARED_HANDLE(CLASS)
%shared_ptr(pycuda::CLASS)
PYCUDA_DECLARE_CLASS(CLASS)
// Languages do not need the base class: it is declared, and left empty, to avoid a warning.
%template() std::enable_shared_from_this<pycuda::CLASS>;
PYCUDA_LANGUAGE_SHARED_HANDLE(CLASS)
%enddef

%define PYCUDA_DECLARE_REGISTERED(CLASS)
PYCUDA_DECLARE_SHARED_HANDLE(CLASS)
%feature("nothreadallow", "0") pycuda::CLASS::map;
%feature("nothreadallow", "0") pycuda::CLASS::set_map_flags;
%feature("nothreadallow", "0") pycuda::CLASS::unregister;
%extend pycuda::CLASS {
    /// OpenGL's name of the object.
    unsigned gl_handle() const { return $self->gl_handle(); }
    /// Give it to CUDA until the mapping is unmapped: OpenGL must not use it meanwhile (cuGraphicsMapResources). Earlier
    /// OpenGL calls complete before work that is queued on `stream` from now on. LogicError if it is mapped already.
    std::shared_ptr<pycuda::RegisteredMapping> map(const pycuda::Stream* stream = nullptr) { return $self->map(stream); }
    /// Set how CUDA uses later mappings: graphics_map_flags (cuGraphicsResourceSetMapFlags). READ_ONLY: OpenGL may not see
    /// what CUDA writes. WRITE_DISCARD: CUDA does not read the old contents. LogicError while it is mapped.
    void set_map_flags(unsigned flags) { $self->set_map_flags(flags); }
    /// End CUDA's use of it (cuGraphicsUnregisterResource). LogicError while it is mapped, and if it is unregistered already.
    void unregister() { $self->unregister(); }
    CUgraphicsResource handle() const { return $self->handle(); }
}
%enddef
%ignore std::enable_shared_from_this;
namespace std {
template <class T>
class enable_shared_from_this {};
}

// First all classes are declared, so that every header knows the classes of the others; then the headers are read.
#define PYCUDA_HEADER(FILE)
#define PYCUDA_VALUE(CLASS, FILE) PYCUDA_DECLARE_VALUE(CLASS)
#define PYCUDA_HANDLE(CLASS, FILE) PYCUDA_DECLARE_HANDLE(CLASS)
#define PYCUDA_MEMORY(CLASS, FILE) PYCUDA_DECLARE_MEMORY(CLASS)
#define PYCUDA_HOST_MEMORY(CLASS, FILE) PYCUDA_DECLARE_HOST_MEMORY(CLASS)
#define PYCUDA_HOST_READABLE(CLASS) PYCUDA_LANGUAGE_HOST_READABLE(CLASS)
#define PYCUDA_POOL(CLASS, BLOCK, FILE) PYCUDA_DECLARE_POOL(CLASS, BLOCK)
#define PYCUDA_STRUCT(CLASS, FILE) PYCUDA_DECLARE_STRUCT(CLASS)
#define PYCUDA_BASE(CLASS, BASE, FILE) PYCUDA_DECLARE_BASE(CLASS, BASE)
#define PYCUDA_DERIVED(CLASS, BASE, FILE) PYCUDA_DECLARE_DERIVED(CLASS, BASE)
#define PYCUDA_SHARED_HANDLE(CLASS, FILE) PYCUDA_DECLARE_SHARED_HANDLE(CLASS)
#define PYCUDA_REGISTERED(CLASS, FILE) PYCUDA_DECLARE_REGISTERED(CLASS)
#define PYCUDA_RETURNS_SELF(CLASS, CALL) PYCUDA_LANGUAGE_RETURNS_SELF(CLASS, CALL)
PYCUDA_CLASSES
#undef PYCUDA_HEADER
#undef PYCUDA_VALUE
#undef PYCUDA_HANDLE
#undef PYCUDA_MEMORY
#undef PYCUDA_HOST_MEMORY
#undef PYCUDA_HOST_READABLE
#undef PYCUDA_POOL
#undef PYCUDA_STRUCT
#undef PYCUDA_BASE
#undef PYCUDA_DERIVED
#undef PYCUDA_SHARED_HANDLE
#undef PYCUDA_REGISTERED
#undef PYCUDA_RETURNS_SELF
PYCUDA_LANGUAGE_DECLARED
%define PYCUDA_HEADER(FILE)
%header { #include "pycuda/FILE.hpp" }
%feature("nothreadallow", "0");
%include "pycuda/FILE.hpp"
%feature("nothreadallow", "1");
%enddef

#define PYCUDA_VALUE(CLASS, FILE) PYCUDA_HEADER(FILE)
#define PYCUDA_HANDLE(CLASS, FILE) PYCUDA_HEADER(FILE)
#define PYCUDA_MEMORY(CLASS, FILE) PYCUDA_HEADER(FILE)
#define PYCUDA_HOST_MEMORY(CLASS, FILE) PYCUDA_HEADER(FILE)
#define PYCUDA_HOST_READABLE(CLASS)
#define PYCUDA_POOL(CLASS, BLOCK, FILE) PYCUDA_HEADER(FILE)
#define PYCUDA_STRUCT(CLASS, FILE) PYCUDA_HEADER(FILE)
#define PYCUDA_BASE(CLASS, BASE, FILE) PYCUDA_HEADER(FILE)
#define PYCUDA_DERIVED(CLASS, BASE, FILE) PYCUDA_HEADER(FILE)
#define PYCUDA_SHARED_HANDLE(CLASS, FILE) PYCUDA_HEADER(FILE)
#define PYCUDA_REGISTERED(CLASS, FILE) PYCUDA_HEADER(FILE)
#define PYCUDA_RETURNS_SELF(CLASS, CALL)
PYCUDA_CLASSES
