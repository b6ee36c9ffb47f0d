#include "compiler/identity.hpp"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "compiler/blake2b.hpp"
#include "platform/files.hpp"
#include "platform/forks.hpp"
#include "platform/process.hpp"
#include "pycuda/errors/error.hpp"

namespace pycuda {

namespace {

std::string to_hex(const unsigned char* bytes, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        text += "0123456789abcdef"[bytes[i] >> 4];
        text += "0123456789abcdef"[bytes[i] & 15];
    }
    return text;
}

/// The GNU build id in `notes`; empty if there is none.
std::string build_id_of_notes(const std::vector<unsigned char>& notes) {
    const auto padded = [](std::size_t n) { return (n + 3) & ~std::size_t{3}; };
    for (std::size_t at = 0; at + sizeof(Elf64_Nhdr) <= notes.size();) {
        Elf64_Nhdr note;
        std::memcpy(&note, notes.data() + at, sizeof note);
        const std::size_t name = at + sizeof note;
        const std::size_t content = name + padded(note.n_namesz);
        const std::size_t end = content + padded(note.n_descsz);
        if (end > notes.size() || end <= at) return {};
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes.data() + name, "GNU", 4) == 0)
            return to_hex(notes.data() + content, note.n_descsz);
        at = end;
    }
    return {};
}

std::string elf_build_id(int fd) {
    Elf64_Ehdr header;
    if (pread(fd, &header, sizeof header, 0) != static_cast<ssize_t>(sizeof header)) return {};
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return {};
    for (int i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr segment;
        const off_t at = static_cast<off_t>(header.e_phoff) + static_cast<off_t>(i) * header.e_phentsize;
        if (pread(fd, &segment, sizeof segment, at) != static_cast<ssize_t>(sizeof segment)) return {};
        if (segment.p_type != PT_NOTE || segment.p_filesz > 65536) continue;
        std::vector<unsigned char> notes(segment.p_filesz);
        if (pread(fd, notes.data(), notes.size(), static_cast<off_t>(segment.p_offset)) < 0) return {};
        if (std::string id = build_id_of_notes(notes); !id.empty()) return id;
    }
    return {};
}

/// "V13.0.88" in "..., release 13.0, V13.0.88"
std::string version_in(const std::string& text) {
    const std::size_t begin = text.find(", V");
    if (begin == std::string::npos) return "unknown";
    return text.substr(begin + 3, text.find_first_not_of("0123456789.", begin + 3) - begin - 3);
}

/// The programs that nvcc runs. In pip's layout they are separate packages with separate versions.
std::vector<std::string> programs_of(const std::string& nvcc) {
    const std::string root = parent_path(parent_path(nvcc));
    return {root + "/nvvm/bin/cicc", root + "/bin/ptxas"};
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
    char start[2] = {};
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    const bool script = read(fd, start, 2) == 2 && start[0] == '#' && start[1] == '!';
    close(fd);
    return script;
}

}  // namespace

std::string build_id(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return {};
    std::string id = elf_build_id(fd);
    close(fd);
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
    const std::size_t version = path.rfind(".so.");
    const int major = version == std::string::npos ? 0 : std::atoi(path.c_str() + version + 4);
    return id.empty() ? id : "nvrtc " + std::to_string(major) + " " + id;
}

}  // namespace pycuda
