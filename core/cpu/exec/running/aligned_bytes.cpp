#include "exec/running/aligned_bytes.hpp"

#include <array>
#include <new>

namespace cpu::exec {

namespace {

constexpr std::size_t piece_alignment = 256;
/// A thread keeps only a few buffers, and only small ones: filling a large one takes longer than allocating it.
constexpr std::size_t max_pieces = 8, largest_piece = 256 << 10;

struct Piece {
    std::byte* data = nullptr;
    std::size_t size = 0;
};

void free_piece(std::byte* data) noexcept {
    ::operator delete(data, std::align_val_t{piece_alignment});
}

struct Pieces {
    std::array<Piece, max_pieces> all{};
    bool ended = false;
    ~Pieces() {
        for (Piece& piece : all) {
            free_piece(piece.data);
            piece = {};
        }
        ended = true;
    }
};
thread_local Pieces spare;

}  // namespace

AlignedBytes::AlignedBytes(std::size_t size)
    : size_((size + 2 * piece_alignment - 1) / piece_alignment * piece_alignment) {
    for (Piece& piece : spare.all) {
        if (piece.size < size_ || piece.size / 2 > size_) continue;
        size_ = std::exchange(piece.size, 0);
        data_ = std::exchange(piece.data, nullptr);
        return;
    }
    data_ = static_cast<std::byte*>(::operator new(size_, std::align_val_t{piece_alignment}));
}

AlignedBytes::~AlignedBytes() {
    if (data_ && size_ <= largest_piece && !spare.ended)
        for (Piece& piece : spare.all) {
            if (piece.data) continue;
            piece = {data_, size_};
            return;
        }
    free_piece(data_);
}

}  // namespace cpu::exec
