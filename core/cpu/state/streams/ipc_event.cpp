#include "state/streams/ipc_event.hpp"

#include <cstring>

namespace cpu::state {

namespace {

constexpr const char* kind = "event";

SharedFile::Name name_in(const CUipcEventHandle& handle) {
    SharedFile::Name name;
    static_assert(sizeof name <= sizeof handle);
    std::memcpy(&name, &handle, sizeof name);
    return name;
}

}  // namespace

SharedPoint::SharedPoint() : file_(page_size()), block_(PageBlock::map_file(file_, page_size())) {}

SharedPoint::SharedPoint(const CUipcEventHandle& handle)
    : file_(SharedFile::open_foreign(name_in(handle), kind, CUDA_ERROR_MAP_FAILED)),
      block_(PageBlock::map_file(file_, page_size())) {}

CUipcEventHandle SharedPoint::handle() const {
    const auto name = file_.name(kind);
    CUipcEventHandle handle{};
    std::memcpy(&handle, &name, sizeof name);
    return handle;
}

void SharedPoint::complete(std::uint64_t recording) noexcept {
    std::uint64_t seen = counters().completed.load();
    while (seen < recording && !counters().completed.compare_exchange_weak(seen, recording)) {
    }
}

}  // namespace cpu::state
