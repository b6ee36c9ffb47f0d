// cp.async.bulk.tensor. op[0] is the tile in shared memory and op[1] the tensor map (generic addresses), op[2] the
// mbarrier to notify and op[3] the ranks of the receiving blocks; the last two are optional. The coordinates are in the
// "operands" before it; mode gives their number and the direction of the copy. The copy is done immediately, which is
// one of the permitted orders.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "exec/checks/check_init.hpp"
#include "exec/checks/checks.hpp"
#include "exec/copies/tensor_copy.hpp"
#include "exec/copies/tensor_map.hpp"
#include "exec/mbarrier.hpp"
#include "exec/operands.hpp"
#include "exec/running/cluster.hpp"

namespace cpu::exec {

namespace {

constexpr std::uint32_t tile_alignment = 128;
constexpr std::uint32_t chunk = 16;  ///< bytes that a swizzle moves as a unit

using Coordinates = std::array<std::int64_t, TensorMap::max_dimensions>;

/// One lane's copy.
class TensorCopy {
public:
    TensorCopy(Warp& w, const Insn& insn, int lane, std::uint64_t map, const Coordinates& at)
        : w_(w), insn_(insn), lane_(lane), at_(at), stores_(insn.mode & tensor_copy_stores) {
        check_range(w, insn, lane, map, sizeof(CUtensorMap), 64, false);
        std::memcpy(static_cast<void*>(&map_), reinterpret_cast<const void*>(map), sizeof map_);
        if (map_.mark != TensorMap::valid) fail("no tensor map", map);
        if (map_.dimensions != (insn.mode & ~tensor_copy_stores))
            fail("a tensor map of " + std::to_string(map_.dimensions) + " dimensions", map);
        if (const char* const what = not_supported()) fail(what, map);
        element_ = element_bits(static_cast<CUtensorMapDataType>(map_.type)) / 8;
        for (unsigned d = 0; d < map_.dimensions; ++d) count_[d] = (map_.box[d] + map_.steps[d] - 1) / map_.steps[d];
        row_ = count_[0] * element_;
        check_start(map);
        swizzled_ = map_.swizzle ? chunk << map_.swizzle : 0;
        if (swizzled_ && row_ != swizzled_) fail("a swizzled tensor map whose box is narrower than its swizzle", map);
    }

    std::uint32_t bytes() const {
        std::uint32_t all = element_;
        for (unsigned d = 0; d < map_.dimensions; ++d) all *= count_[d];
        return all;
    }

    /// `tile`: its address in shared memory.
    void run(std::uint64_t tile) {
        const Block* const block = w_.block->cluster.block_of(tile);
        tile_offset_ = block ? tile - reinterpret_cast<std::uint64_t>(block->shared) : tile;
        tile_ = tile;
        check_range(w_, insn_, lane_, tile, bytes(), 1, !stores_);
        if (tile_offset_ % tile_alignment)
            raise_fault(w_, insn_, CUDA_ERROR_MISALIGNED_ADDRESS, lane_, tile, "a tile that is not 128-aligned, at");
        if (enabled_checks().init) {
            w_.address[lane_] = tile;
            if (stores_)
                check_read(w_, insn_, {1u << lane_, w_.address, bytes()});
            else
                note_write(w_, {1u << lane_, w_.address, bytes()});
        }
        std::array<std::uint32_t, TensorMap::max_dimensions> index{};
        for (std::uint32_t offset = 0, d = 0; d < map_.dimensions; offset += row_) {
            copy_row(index, offset);
            for (d = 1; d < map_.dimensions && ++index[d] == count_[d]; ++d) index[d] = 0;
        }
    }

private:
    [[noreturn]] void fail(const std::string& what, std::uint64_t map) const {
        raise_fault(w_, insn_, CUDA_ERROR_LAUNCH_FAILED, lane_, map,
                    ("cp.async.bulk.tensor of " + what + ", at").c_str());
    }

    /// Reject what GPUs reject.
    void check_start(std::uint64_t map) const {
        std::string what;
        if (at_[0] * element_ % chunk != 0)
            what = "at element " + std::to_string(at_[0]) +
                   " of the innermost dimension, which is not at a multiple of 16 bytes, by the map at";
        for (unsigned d = 0; stores_ && d < map_.dimensions; ++d)
            if (at_[d] < 0)
                what = "that stores at the negative coordinate " + std::to_string(at_[d]) + ", by the map at";
        if (!what.empty())
            raise_fault(w_, insn_, CUDA_ERROR_ILLEGAL_INSTRUCTION, lane_, map,
                        ("cp.async.bulk.tensor " + what).c_str());
    }

    const char* not_supported() const {
        if (map_.kind != TensorMap::Kind::Tiled) return "an im2col tensor map by a copy of tiles";
        if (map_.interleave != CU_TENSOR_MAP_INTERLEAVE_NONE) return "an interleaved tensor map (not supported)";
        if (map_.swizzle > CU_TENSOR_MAP_SWIZZLE_128B) return "a tensor map with this swizzle (not supported)";
        if (map_.type > CU_TENSOR_MAP_DATA_TYPE_BFLOAT16) return "elements of this type (not supported)";
        return nullptr;
    }

    /// Copies the elements that are in bounds. The others are skipped in a tensor, and set to zero or NaN in a tile.
    void copy_row(const std::array<std::uint32_t, TensorMap::max_dimensions>& index, std::uint32_t offset) {
        std::uint64_t address = map_.address;
        bool inside = true;
        for (unsigned d = 1; d < map_.dimensions; ++d) {
            const std::int64_t at = at_[d] + std::int64_t{index[d]} * map_.steps[d];
            inside = inside && at >= 0 && at <= map_.last[d];
            address += static_cast<std::uint64_t>(at) * map_.strides[d - 1];
        }
        const std::int64_t size = std::int64_t{map_.last[0]} + 1, count = count_[0];
        const std::int64_t first = std::clamp<std::int64_t>(-at_[0], 0, count);
        const std::int64_t end = inside ? std::clamp<std::int64_t>(size - at_[0], first, count) : first;
        const auto begin_bytes = static_cast<std::uint32_t>(first) * element_;
        const auto end_bytes = static_cast<std::uint32_t>(end) * element_;
        if (!stores_) fill(offset, 0, begin_bytes);
        if (begin_bytes < end_bytes)
            move(address + static_cast<std::uint64_t>(at_[0] * element_), offset, begin_bytes, end_bytes);
        if (!stores_) fill(offset, end_bytes, row_);
    }

    void move(std::uint64_t row, std::uint32_t offset, std::uint32_t begin, std::uint32_t end) {
        const std::uint64_t address = row + begin;
        check_range(w_, insn_, lane_, address, end - begin, element_, stores_);
        if (enabled_checks().init) {
            w_.address[lane_] = address;
            if (stores_)
                note_write(w_, {1u << lane_, w_.address, end - begin});
            else
                check_read(w_, insn_, {1u << lane_, w_.address, end - begin});
        }
        for_each_piece(offset, begin, end, [&](std::byte* in_tile, std::uint32_t at, std::uint32_t bytes) {
            auto* const in_tensor = reinterpret_cast<std::byte*>(row + at);
            std::memmove(stores_ ? in_tensor : in_tile, stores_ ? in_tile : in_tensor, bytes);
        });
    }

    void fill(std::uint32_t offset, std::uint32_t begin, std::uint32_t end) {
        for_each_piece(offset, begin, end, [&](std::byte* in_tile, std::uint32_t, std::uint32_t bytes) {
            std::memset(in_tile, map_.fills_with_nan ? 0xff : 0, bytes);
            for (std::uint32_t n = 0; map_.fills_with_nan && n < bytes; n += element_) {
                in_tile[n + element_ - 1] = std::byte{0x7f};
                if (element_ == 2) in_tile[n] = std::byte{0xf7};  // the NaN that fma.oob treats as zero
            }
        });
    }

    /// For a row at `offset` of the tile: calls f with each piece's address, its first byte's position in the row, and
    /// its size.
    template <class F>
    void for_each_piece(std::uint32_t offset, std::uint32_t begin, std::uint32_t end, F f) {
        if (!swizzled_) {
            if (begin < end) f(reinterpret_cast<std::byte*>(tile_ + offset + begin), begin, end - begin);
            return;
        }
        for (std::uint32_t at = begin, next; at < end; at = next) {
            next = std::min(end, (at / chunk + 1) * chunk);
            // A swizzle XORs bits 4 and up of the offset in shared memory with bits 7 and up.
            const std::uint64_t plain = tile_offset_ + offset + at;
            const std::uint64_t swizzled = plain ^ (plain >> 3 & (swizzled_ - chunk));
            f(reinterpret_cast<std::byte*>(tile_ + (swizzled - tile_offset_)), at, next - at);
        }
    }

    Warp& w_;
    const Insn& insn_;
    const int lane_;
    const Coordinates at_;
    const bool stores_;
    TensorMap map_;
    std::uint32_t element_ = 0;  ///< bytes
    std::array<std::uint32_t, TensorMap::max_dimensions> count_{};
    std::uint32_t row_ = 0;       ///< bytes
    std::uint32_t swizzled_ = 0;  ///< bytes within which a swizzle exchanges pieces; 0: no swizzle
    std::uint64_t tile_ = 0, tile_offset_ = 0;
};

template <class T>
const T* operand_or_null(const Warp& w, std::uint32_t op) {
    return op == no_operand ? nullptr : lanes_of<T>(w, op);
}

}  // namespace

void run_tensor_copy(Warp& w, const Insn& insn) {
    const auto* tile = lanes_of<std::uint64_t>(w, insn.op[0]);
    const auto* map = lanes_of<std::uint64_t>(w, insn.op[1]);
    const auto* object = operand_or_null<std::uint64_t>(w, insn.op[2]);
    const auto* ranks = operand_or_null<std::uint32_t>(w, insn.op[3]);
    const Cluster& cluster = w.block->cluster;
    each_lane(w.mask, [&](int lane) {
        Coordinates at{};
        for (unsigned d = 0; d < (insn.mode & ~tensor_copy_stores); ++d)
            at[d] = lanes_of<std::int32_t>(w, (&insn)[-1].op[d])[lane];
        TensorCopy copy(w, insn, lane, map[lane], at);
        std::uint32_t targets = ranks ? ranks[lane] & 0xffff : 1;
        if (targets >> cluster.blocks.size())
            raise_fault(w, insn, CUDA_ERROR_LAUNCH_FAILED, lane, 0,
                        "cp.async.bulk.tensor to a block outside the cluster");
        for (; targets; targets &= targets - 1) {
            const std::uint64_t distance =
                ranks ? (static_cast<std::uint64_t>(std::countr_zero(targets)) - w.block->rank) * cluster.stride : 0;
            copy.run(tile[lane] + distance);
            if (object) complete_bytes(w, insn, lane, object[lane] + distance, copy.bytes());
        }
    });
}

}  // namespace cpu::exec
