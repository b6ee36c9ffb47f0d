#pragma once

#include <cstddef>

namespace cpu::state {

class Function;

/// How many blocks of `threads` threads one multiprocessor holds at once, by threads, blocks, registers and shared
/// memory; 0 when a single one does not fit.
int resident_blocks(const Function& function, unsigned threads, std::size_t dynamic_shared_bytes);

}  // namespace cpu::state
