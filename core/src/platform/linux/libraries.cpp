#include "platform/libraries.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace pycuda {
namespace {

/// What a loaded library imports to call: the tables of its dynamic section.
struct Imports {
    explicit Imports(const link_map& library) noexcept {
        for (const ElfW(Dyn)* entry = library.l_ld; entry->d_tag != DT_NULL; ++entry) {
            // Some loaders write the table's address over its offset, others do not.
            const auto value = entry->d_un.d_ptr;
            const auto address = value < library.l_addr ? library.l_addr + value : value;
            if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(address);
            if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(address);
            if (entry->d_tag == DT_JMPREL) slots = reinterpret_cast<const ElfW(Rela)*>(address);
            if (entry->d_tag == DT_PLTRELSZ) count = value / sizeof *slots;
        }
        if (!symbols || !names || !slots) count = 0;
    }
    const ElfW(Sym) * symbols = nullptr;
    const char* names = nullptr;
    const ElfW(Rela) * slots = nullptr;
    std::size_t count = 0;
};

#if defined(__x86_64__)
constexpr auto own_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr auto own_machine = EM_AARCH64;
#endif

/// The table of imports may be protected from changes.
void write_slot(void** slot, void* function) noexcept {
    const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto page = reinterpret_cast<std::uintptr_t>(slot) / page_bytes * page_bytes;
    if (mprotect(reinterpret_cast<void*>(page), page_bytes, PROT_READ | PROT_WRITE) == 0) *slot = function;
}

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

/// Makes this library, and no other, call `function` where it calls the imported function `name`.
void replace_import(void* library, const char* name, void* function) noexcept {
    link_map* map = nullptr;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return;
    const Imports imports(*map);
    for (std::size_t i = 0; i < imports.count; ++i) {
        const ElfW(Rela) & import = imports.slots[i];
        const ElfW(Sym) & symbol = imports.symbols[ELF64_R_SYM(import.r_info)];
        if (std::strcmp(imports.names + symbol.st_name, name) == 0)
            write_slot(reinterpret_cast<void**>(map->l_addr + import.r_offset), function);
    }
}

using SignalHandler = void (*)(int);

SignalHandler leave_signal(int, SignalHandler) noexcept {
    return SIG_IGN;
}

}  // namespace

std::string library_prefix(const std::string& name) {
    return "lib" + name + ".so";
}

std::string library_file(const std::string& name, int version) {
    return library_prefix(name) + "." + std::to_string(version);
}

std::string library_file(const std::string& name) {
    return library_prefix(name);
}

bool is_library_file(const std::string&) noexcept {
    return true;
}

int library_major_version(const std::string& path) {
    const std::size_t version = path.rfind(".so.");
    return version == std::string::npos ? 0 : std::atoi(path.c_str() + version + 4);
}

std::string program_file(const std::string& name) {
    return name;
}

std::string linked_build_id(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    std::string id = elf_build_id(file);
    close(file);
    return id;
}

void* load_library(const std::string& path, std::string* why) {
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library || !why) return library;
    const char* const reason = dlerror();
    *why = reason ? reason : path + " cannot be opened";
    return nullptr;
}

void* library_symbol(void* library, const char* name) noexcept {
    return dlsym(library, name);
}

void forbid_signal_handlers(void* library) noexcept {
    replace_import(library, "signal", reinterpret_cast<void*>(leave_signal));
}

bool has_opengl() {
    for (const char* name : {"libEGL.so.1", "libGLX.so.0", "libGL.so.1"})
        if (void* const library = dlopen(name, RTLD_LAZY | RTLD_LOCAL)) {
            dlclose(library);
            return true;
        }
    return false;
}

bool is_for_another_processor(const std::string& path) {
    ElfW(Ehdr) header;
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const bool complete = read(file, &header, sizeof header) == static_cast<ssize_t>(sizeof header);
    close(file);
    return complete && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_machine != own_machine;
}

/// It is linked with -z nodelete.
void stay_loaded() noexcept {}

std::string path_of_own_library() {
    Dl_info info;
    const bool is_known = dladdr(reinterpret_cast<const void*>(&path_of_own_library), &info) != 0 && info.dli_fname;
    return is_known ? info.dli_fname : "";
}

}  // namespace pycuda
