#pragma once

#include "exec/matrix/fragment.hpp"

namespace cpu::exec {

/// The matrix in memory that wmma.load and wmma.store address.
struct FragmentInMemory {
    Fragment fragment;
    bool by_columns = false;
};

}  // namespace cpu::exec
