#include "known_memory/freed_memory.hpp"

#include <algorithm>
#include <iterator>
#include <new>

namespace pycuda {

namespace {
constexpr std::size_t max_known = 16'384;  // half a megabyte
}  // namespace

void FreedMemories::add(const FreedMemory& memory) noexcept try {
    if (freed_.size() == max_known) freed_.pop_front();
    freed_.push_back(memory);
} catch (const std::bad_alloc&) {
}

const FreedMemory* FreedMemories::containing(std::uint64_t address) const noexcept {
    const auto found = std::find_if(freed_.rbegin(), freed_.rend(),
                                    [&](const FreedMemory& memory) { return address - memory.address < memory.bytes; });
    return found == freed_.rend() ? nullptr : &*found;
}

}  // namespace pycuda
