#pragma once

#include <string>

#include "pycuda/constants/constants.hpp"

namespace pycuda {

/// One JIT option and its value; only those with an integer value (the log buffers are this library's own).
struct JitSetting {
    JitOption option;
    unsigned value;
};

/// The JIT compiler's messages.
struct JitLog {
    bool success = false;
    std::string info;
    std::string error;
};

}  // namespace pycuda
