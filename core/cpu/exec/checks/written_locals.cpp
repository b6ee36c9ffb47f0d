#include "exec/checks/written_locals.hpp"

#include <algorithm>
#include <new>

namespace cpu::exec {

WrittenLocals::WrittenLocals(std::size_t threads, std::uint32_t bytes_each)
    : bytes_each_(bytes_each),
      written_(static_cast<std::uint8_t*>(std::calloc(std::max<std::size_t>(threads * bytes_each, 1), 1))),
      ends_(threads) {
    if (!written_) throw std::bad_alloc();
}

void WrittenLocals::clear() {
    for (std::size_t thread = 0; thread < ends_.size(); ++thread) forget_from(thread, 0);
}

void WrittenLocals::set(std::size_t thread, std::uint32_t offset, std::uint32_t size) {
    std::fill_n(written_.get() + thread * bytes_each_ + offset, size, std::uint8_t{1});
    ends_[thread] = std::max(ends_[thread], offset + size);
}

void WrittenLocals::forget_from(std::size_t thread, std::uint32_t offset) {
    if (ends_[thread] <= offset) return;
    std::fill(written_.get() + thread * bytes_each_ + offset, written_.get() + thread * bytes_each_ + ends_[thread],
              std::uint8_t{0});
    ends_[thread] = offset;
}

std::optional<std::uint32_t> WrittenLocals::first_unwritten(std::size_t thread, std::uint32_t offset,
                                                            std::uint32_t size) const {
    const std::uint8_t* first = written_.get() + thread * bytes_each_ + offset;
    const std::uint8_t* missing = std::find(first, first + size, 0);
    if (missing == first + size) return std::nullopt;
    return offset + static_cast<std::uint32_t>(missing - first);
}

}  // namespace cpu::exec
