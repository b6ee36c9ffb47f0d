#include "state/memory/copy.hpp"

#include "exec/checks/written_bytes.hpp"
#include "platform/pages.hpp"
#include "state/context.hpp"
#include "state/graphs/capture.hpp"
#include "state/graphs/graph_memory.hpp"
#include "state/memory/memory.hpp"
#include "state/memory/size_math.hpp"

#include <algorithm>
#include <cstring>

namespace cpu::state::copy {

namespace {

// Up to this size, copying costs the caller no more than queuing the copy.
constexpr std::size_t inline_bytes = 64 * 1024;

void move(std::byte* out, const std::byte* in, std::size_t bytes) noexcept {
    std::memmove(out, in, bytes);
    exec::written_bytes::copy(reinterpret_cast<std::uintptr_t>(out), reinterpret_cast<std::uintptr_t>(in), bytes);
}

Place known(const std::shared_ptr<Allocation>& allocation, std::uintptr_t address, std::size_t bytes) {
    Place place;
    place.bytes = bytes;
    place.data = reinterpret_cast<std::byte*>(address);
    place.host = allocation->on_host();
    place.held = allocation;
    return place;
}

template <class T>
void fill_rows(std::byte* data, std::size_t pitch, T value, std::size_t width, std::size_t height) noexcept {
    for (std::size_t y = 0; y < height; ++y, data += pitch) {
        T* const row = reinterpret_cast<T*>(data);
        if constexpr (sizeof(T) == 1)
            std::memset(row, value, width);
        else
            std::fill_n(row, width, value);
        exec::written_bytes::set(reinterpret_cast<std::uintptr_t>(data), width * sizeof(T));
    }
}

}  // namespace

void run(const Place& to, const Place& from, const Extent& extent) noexcept {
    const bool rows_touch = to.row_pitch == extent.width && from.row_pitch == extent.width;
    for (std::size_t z = 0; z < extent.depth; ++z) {
        std::byte* out = to.data + z * to.slice_pitch;
        const std::byte* in = from.data + z * from.slice_pitch;
        if (rows_touch) {
            move(out, in, extent.width * extent.height);
            continue;
        }
        for (std::size_t y = 0; y < extent.height; ++y, out += to.row_pitch, in += from.row_pitch)
            move(out, in, extent.width);
    }
}

void run(const Fill& fill) noexcept {
    std::byte* const data = fill.to.data;
    if (fill.element_size == 1)
        fill_rows(data, fill.pitch, static_cast<std::uint8_t>(fill.value), fill.width, fill.height);
    else if (fill.element_size == 2)
        fill_rows(data, fill.pitch, static_cast<std::uint16_t>(fill.value), fill.width, fill.height);
    else
        fill_rows(data, fill.pitch, fill.value, fill.width, fill.height);
}

namespace {

void run_now(Stream& stream, const Place& to, const Place& from, const Extent& extent) {
    stream.run_here([&] { run(to, from, extent); });
    stream.context()->check_fault();
}

/// Reads pageable memory before returning, so that the caller may reuse it.
void submit_staged(Stream& stream, Place to, const Place& from, const Extent& extent) {
    const std::size_t bytes = extent.width * extent.height * extent.depth;
    std::shared_ptr<std::byte[]> staging(new std::byte[bytes]);
    Place middle;
    middle.data = staging.get();
    middle.row_pitch = extent.width;
    middle.slice_pitch = extent.width * extent.height;
    run(middle, from, extent);
    middle.held = staging;
    const auto copy = [to = std::move(to), middle = std::move(middle), extent] { run(to, middle, extent); };
    stream.enqueue(make_task(TaskKind::Work, copy));
}

}  // namespace

Place device(CUdeviceptr pointer, std::size_t bytes) {
    if (const auto found = AddressSpace::instance().find(pointer, bytes)) return known(found, pointer, bytes);
    const auto of_graph = graphs::find_graph_memory(pointer, bytes);
    require(of_graph != nullptr);
    Place place = known(of_graph, pointer, bytes);
    place.dormant = true;
    return place;
}

Place host(const void* pointer, std::size_t bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    if (const auto allocation = AddressSpace::instance().find(address, bytes)) return known(allocation, address, bytes);
    require(pointer != nullptr);
    sum(address, bytes);
    Place place;
    place.data = reinterpret_cast<std::byte*>(address);
    place.bytes = bytes;
    place.pageable = true;
    place.host = true;
    return place;
}

Place unified(CUdeviceptr pointer, std::size_t bytes) {
    if (AddressSpace::instance().find(pointer)) return device(pointer, bytes);
    const Place place = host(reinterpret_cast<const void*>(pointer), bytes);
    require(!place.pageable || platform::is_mapped(place.data, bytes));  // not so where memory was freed
    return place;
}

void submit(Stream& stream, Place to, Place from, const Extent& extent, Mode mode) {
    if (extent.empty()) return;
    if (stream.is_captured()) return graphs::capture_copy(stream, std::move(to), std::move(from), extent);
    require(!to.dormant && !from.dormant);
    const std::size_t bytes = extent.width * extent.height * extent.depth;
    const bool within_device = !to.host && !from.host;
    if (mode == Mode::Synchronous && !within_device) return run_now(stream, to, from, extent);
    if (bytes <= inline_bytes || from.pageable || to.pageable) {
        if (stream.run_here_if_idle([&] { run(to, from, extent); })) return;
    }
    if (to.pageable || (from.pageable && bytes > inline_bytes)) return run_now(stream, to, from, extent);
    if (from.pageable) return submit_staged(stream, std::move(to), from, extent);
    stream.enqueue(
        make_task(TaskKind::Work, [to = std::move(to), from = std::move(from), extent] { run(to, from, extent); }));
}

Fill fill(CUdeviceptr to, std::size_t pitch, std::uint32_t value, std::size_t element_size, std::size_t width,
          std::size_t height) {
    Fill made{{}, pitch, value, element_size, width, height};
    if (made.empty()) return made;
    require(to % element_size == 0 && (height <= 1 || pitch % element_size == 0));
    const std::size_t row = product(width, element_size);
    require(height <= 1 || pitch >= row);
    made.to = device(to, sum(product(height - 1, pitch), row));
    return made;
}

void submit(Stream& stream, Fill fill, Mode mode) {
    if (fill.empty()) return;
    if (stream.is_captured()) return graphs::capture_fill(stream, std::move(fill));
    require(!fill.to.dormant);
    // Even the synchronous form waits only for host memory, not for device memory.
    const bool wait = mode == Mode::Synchronous && fill.to.host;
    const bool here = fill.to.bytes <= inline_bytes;
    const auto work = [fill = std::move(fill)]() noexcept { run(fill); };
    if (wait) {
        stream.run_here(work);
        stream.context()->check_fault();
    } else if (!here || !stream.run_here_if_idle(work)) {
        stream.enqueue(make_task(TaskKind::Work, work));
    }
}

}  // namespace cpu::state::copy
