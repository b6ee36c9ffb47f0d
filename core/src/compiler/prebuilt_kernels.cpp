#include "compiler/prebuilt_kernels.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "compiler/blake2b.hpp"
#include "platform/files.hpp"
#include "pycuda/platform/forks.hpp"
#include "text/words.hpp"

namespace pycuda {

namespace {

constexpr const char* file_name = "pycuda-kernels.fatbins";
constexpr std::string_view first_line = "pycuda prebuilt kernels 1\n";
constexpr std::size_t length_digits = 10, header_bytes = first_line.size() + length_digits + 1;

struct ImageRange {
    std::uint64_t begin;
    std::size_t nbytes;
};

struct Index {
    std::string path;
    std::vector<std::string> archs;
    std::unordered_map<std::string, ImageRange> images;  ///< by digest
};

/// An index without images for a file that is missing, of another version, or incomplete: its kernels are compiled.
Index read_index(const std::string& path) {
    const std::optional<std::string> header = read_part(path, 0, header_bytes);
    if (!header || !header->starts_with(first_line)) return {};
    const std::size_t nbytes = std::strtoull(header->c_str() + first_line.size(), nullptr, 10);
    const std::uint64_t first = header_bytes + nbytes, end = file_stamp(path).value_or(FileStamp{}).nbytes;
    if (first > end) return {};
    const std::optional<std::string> text = read_part(path, header_bytes, nbytes);
    if (!text) return {};

    const std::size_t line = std::min(text->find('\n'), text->size());
    Index index{path, words_of(text->substr(0, line)), {}};
    const std::vector<std::string> words = words_of(text->substr(line));
    for (std::size_t k = 0; k + 3 <= words.size(); k += 3) {
        const ImageRange range{first + std::strtoull(words[k + 1].c_str(), nullptr, 10),
                               std::strtoull(words[k + 2].c_str(), nullptr, 10)};
        if (range.begin > end || range.nbytes > end - range.begin) return {};
        index.images.emplace(words[k], range);
    }
    return index;
}

/// Each file is read once.
const Index& index_in(const std::string& device_dir) {
    static auto* mutex = fork_safe(new std::mutex);
    static auto* known = new std::map<std::string, Index>;
    const std::lock_guard lock(*mutex);
    auto found = known->find(device_dir);
    if (found == known->end()) found = known->emplace(device_dir, read_index(join_path(device_dir, file_name))).first;
    return found->second;
}

std::string digest_of(const std::string& source, const std::vector<std::string>& options) {
    std::string text;
    for (const std::string& option : options) text += option + ' ';
    return blake2b_hex(text + '\n' + source);
}

/// Machine code is for one architecture; PTX for a virtual one and all that are newer.
bool has_code_for(const Index& index, const CompileTarget& target) {
    return std::ranges::any_of(index.archs, [&](const std::string& arch) {
        return arch == target.arch ||
               (is_virtual_arch(arch) && is_virtual_arch(target.arch) && arch_number(arch) <= arch_number(target.arch));
    });
}

}  // namespace

std::optional<std::string> prebuilt_image(const std::string& source, const std::vector<std::string>& options,
                                          const CompileTarget& target, const std::string& device_dir) {
    if (!target.from_device || device_dir.empty()) return {};
    const Index& index = index_in(device_dir);
    if (!has_code_for(index, target)) return {};
    const auto found = index.images.find(digest_of(source, options));
    if (found == index.images.end()) return {};
    return read_part(index.path, found->second.begin, found->second.nbytes);
}

std::size_t prebuilt_count(const std::string& device_dir) {
    return device_dir.empty() ? 0 : index_in(device_dir).images.size();
}

}  // namespace pycuda
