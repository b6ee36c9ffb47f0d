#pragma once
#include "pycuda-host-only.h"
// va_list is NVRTC's own.
namespace std {
using ::va_list;
}
