#pragma once
#include <stddef.h>

#include "pycuda-host-only.h"
extern "C++" {
struct FILE {};
PYCUDA_HOST_FUNCTION(fclose)
PYCUDA_HOST_FUNCTION(fflush)
PYCUDA_HOST_FUNCTION(fgets)
PYCUDA_HOST_FUNCTION(fopen)
PYCUDA_HOST_FUNCTION(fprintf)
PYCUDA_HOST_FUNCTION(fputc)
PYCUDA_HOST_FUNCTION(fputs)
PYCUDA_HOST_FUNCTION(fread)
PYCUDA_HOST_FUNCTION(fscanf)
PYCUDA_HOST_FUNCTION(fwrite)
PYCUDA_HOST_FUNCTION(getchar)
PYCUDA_HOST_FUNCTION(perror)
PYCUDA_HOST_FUNCTION(putchar)
PYCUDA_HOST_FUNCTION(puts)
PYCUDA_HOST_FUNCTION(scanf)
PYCUDA_HOST_FUNCTION(snprintf)
PYCUDA_HOST_FUNCTION(sprintf)
PYCUDA_HOST_FUNCTION(sscanf)
namespace std {
using ::fclose;
using ::fflush;
using ::fgets;
using ::FILE;
using ::fopen;
using ::fprintf;
using ::fputc;
using ::fputs;
using ::fread;
using ::fscanf;
using ::fwrite;
using ::getchar;
using ::perror;
using ::printf;
using ::putchar;
using ::puts;
using ::scanf;
using ::snprintf;
using ::sprintf;
using ::sscanf;
}  // namespace std
}
#define EOF (-1)
#define BUFSIZ 8192
#define stdin (static_cast<FILE*>(nullptr))
#define stdout (static_cast<FILE*>(nullptr))
#define stderr (static_cast<FILE*>(nullptr))
