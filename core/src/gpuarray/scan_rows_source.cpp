#include <algorithm>
#include <string>

#include "gpuarray/scan_source.hpp"
#include "gpuarray/text.hpp"
#include "kernel_files.hpp"

namespace pycuda::gpuarray {
namespace {}  // namespace

bool is_for_blocks(std::uint64_t n, std::uint64_t rows) {
    return n * rows <= 1 << 22 && (n <= 8192 || rows >= 256);
}

unsigned scan_rows_of(ScanTeam team) {
    return team == ScanTeam::Thread ? 128 : team == ScanTeam::Block ? 1 : 32;
}

unsigned scan_threads(ScanTeam team, unsigned warps) {
    return team == ScanTeam::Thread ? 128 : team == ScanTeam::Block ? 512 : 32 * warps;
}

std::string scan_rows_text(ScanTeam team, const ScanPieces& pieces, unsigned warps) {
    return fill_in(kernel_files::scan_rows::scan_preface, {{"headers", pieces.headers},
                                                           {"preamble", pieces.preamble},
                                                           {"type", pieces.type},
                                                           {"expression", pieces.expression}}) +
           fill_in(team == ScanTeam::Thread  ? kernel_files::scan_rows::by_thread
                   : team == ScanTeam::Block ? kernel_files::scan_rows::by_block
                                             : kernel_files::scan_rows::by_columns,
                   {{"name", pieces.name},
                    {"warps", std::to_string(warps)},
                    {"ahead", std::to_string(std::max(1, 32 / std::max(4, static_cast<int>(pieces.itemsize))))},
                    {"parameters", pieces.parameters},
                    {"setup", pieces.setup},
                    {"neutral", pieces.neutral},
                    {"input", pieces.input},
                    {"output", pieces.output}});
}

}  // namespace pycuda::gpuarray
