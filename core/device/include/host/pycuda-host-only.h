/// For the standard headers in this folder, which NVRTC finds where the toolkit has no other: names that exist on the
/// host only.
#pragma once

/// A function that device code may name but not call.
#define PYCUDA_HOST_FUNCTION(name)                                                                                 \
    template <class... Arguments>                                                                                  \
    __device__ int name(Arguments...) {                                                                            \
        static_assert(sizeof...(Arguments) > 127, #name " is a function of the host: device code cannot call it"); \
        return 0;                                                                                                  \
    }

/// A class template of namespace std whose instances cannot be used.
#define PYCUDA_HOST_TEMPLATE(name)                                                                              \
    template <class... Arguments>                                                                               \
    class name {                                                                                                \
        static_assert(sizeof...(Arguments) > 127, "std::" #name " is for the host: device code cannot use it"); \
    };

/// A class of namespace std that cannot be used.
#define PYCUDA_HOST_CLASS(name)                                                                          \
    template <class Never>                                                                               \
    class pycuda_##name {                                                                                \
        static_assert(sizeof(Never) > 127, "std::" #name " is for the host: device code cannot use it"); \
    };                                                                                                   \
    using name = pycuda_##name<char>;
