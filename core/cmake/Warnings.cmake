# Warnings are errors in everything written by hand; generated wrappers do not link this.
add_library(pycuda_warnings INTERFACE)
add_library(pycuda::warnings ALIAS pycuda_warnings)
target_compile_options(pycuda_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Werror
  # GCC 12 sees overlapping copies in "text" + std::string (its bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  # GCC's pragmas for its vectoriser; attributes of lambdas, which C++20 has no place for but every compiler accepts; what libstdc++ itself uses.
  "$<$<CXX_COMPILER_ID:Clang>:-Wno-unknown-pragmas;-Wno-c++23-lambda-attributes;-Wno-deprecated-declarations>")
if(PYCUDA_SANITIZE)
  # GCC reports false warnings in instrumented code.
  target_compile_options(pycuda_warnings INTERFACE -Wno-error)
  # Without the check of enumerations: programs may pass any number through the driver's C ABI.
  add_compile_options(-fsanitize=${PYCUDA_SANITIZE} -fno-sanitize=enum -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PYCUDA_SANITIZE})
endif()
