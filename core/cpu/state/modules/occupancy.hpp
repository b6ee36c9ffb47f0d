#pragma once

#include <cstddef>

namespace cpu::state {

class Function;

/// How many blocks of `threads` threads fit on one multiprocessor at once, limited by threads, blocks, registers and
/// shared memory; 0 if not even one fits.
int resident_blocks(const Function& function, unsigned threads, std::size_t dynamic_shared_bytes);

}  // namespace cpu::state
