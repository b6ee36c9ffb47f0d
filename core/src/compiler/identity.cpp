#include "compiler/identity.hpp"

#include <cstdlib>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "compiler/blake2b.hpp"
#include "platform/files.hpp"
#include "platform/libraries.hpp"
#include "platform/process.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/platform/forks.hpp"

namespace pycuda {

namespace {

/// "V13.0.88" in "..., release 13.0, V13.0.88"
std::string version_in(const std::string& text) {
    const std::size_t begin = text.find(", V");
    if (begin == std::string::npos) return "unknown";
    return text.substr(begin + 3, text.find_first_not_of("0123456789.", begin + 3) - begin - 3);
}

/// The programs that nvcc runs. In pip's layout they are separate packages with separate versions.
std::vector<std::string> programs_of(const std::string& nvcc) {
    const std::string root = parent_path(parent_path(nvcc));
    return {root + "/nvvm/bin/" + program_file("cicc"), root + "/bin/" + program_file("ptxas")};
}

std::string read_nvcc_identity(const std::string& path) {
    std::string text;
    try {
        text = run_process({path, "--version"}).stdout_text;
    } catch (const RuntimeError&) {
        return {};
    }
    Blake2b hash;
    hash.field(text);
    for (const std::string& program : programs_of(path)) hash.field(build_id(program));
    return "nvcc " + version_in(text) + " " + hash.hex().substr(0, 16);
}

/// Stamps of nvcc and the programs it runs, as one line; empty if there is no such nvcc.
std::string toolchain_stamp(const std::string& nvcc) {
    if (!is_file(nvcc)) return {};
    std::vector<std::string> files = programs_of(nvcc);
    files.push_back(nvcc);
    std::string text;
    for (const std::string& file : files) {
        const FileStamp stamp = file_stamp(file).value_or(FileStamp{});
        for (const auto number : {stamp.nbytes, static_cast<std::uint64_t>(stamp.mtime_ns), stamp.inode})
            text += std::to_string(number) + ' ';
    }
    return text + '\n';
}

/// A script's stamp does not identify the compiler that it starts.
bool is_script(const std::string& path) {
    return read_part(path, 0, 2) == "#!";
}

}  // namespace

std::string build_id(const std::string& path) {
    std::string id = linked_build_id(path);
    if (id.empty()) id = blake2b_hex(read_file(path).value_or("")).substr(0, 40);
    return id;
}

std::string nvcc_identity(const std::string& path, const std::string& memo_folder) {
    static auto* mutex = fork_safe(new std::mutex);
    static auto* known = new std::unordered_map<std::string, std::pair<std::string, std::string>>;
    const std::string stamp = toolchain_stamp(path);
    if (stamp.empty()) return {};
    std::lock_guard lock(*mutex);
    if (auto it = known->find(path); it != known->end() && it->second.first == stamp) return it->second.second;

    const bool on_disk = !memo_folder.empty() && !is_script(path);
    const std::string memo = join_path(memo_folder, blake2b_hex(path).substr(0, 16));
    std::string identity;
    if (const auto text = on_disk ? read_file(memo) : std::nullopt; text && text->starts_with(stamp))
        identity = text->substr(stamp.size());
    if (identity.empty()) {
        identity = read_nvcc_identity(path);
        if (on_disk && !identity.empty()) write_file_atomically(memo, stamp + identity);
    }
    if (!identity.empty()) (*known)[path] = {stamp, identity};
    return identity;
}

std::string nvrtc_identity(const std::string& path) {
    const std::string id = build_id(path);
    return id.empty() ? id : "nvrtc " + std::to_string(library_major_version(path)) + " " + id;
}

}  // namespace pycuda
