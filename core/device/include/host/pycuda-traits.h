/// What several of the standard headers in this folder need of types.
#pragma once
extern "C++" {
namespace pycuda_traits {
template <class T, class Result>
struct if_integer {};
#define PYCUDA_INTEGER(name)          \
    template <class Result>           \
    struct if_integer<name, Result> { \
        typedef Result type;          \
    };
PYCUDA_INTEGER(bool)
PYCUDA_INTEGER(char)
PYCUDA_INTEGER(signed char)
PYCUDA_INTEGER(unsigned char)
PYCUDA_INTEGER(short)
PYCUDA_INTEGER(unsigned short)
PYCUDA_INTEGER(int)
PYCUDA_INTEGER(unsigned int)
PYCUDA_INTEGER(long)
PYCUDA_INTEGER(unsigned long)
PYCUDA_INTEGER(long long)
PYCUDA_INTEGER(unsigned long long)
#undef PYCUDA_INTEGER
}  // namespace pycuda_traits
}
