#include "platform/libraries.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

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
bool write_slot(void** slot, void* function) noexcept {
    const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto page = reinterpret_cast<std::uintptr_t>(slot) / page_bytes * page_bytes;
    if (mprotect(reinterpret_cast<void*>(page), page_bytes, PROT_READ | PROT_WRITE) != 0) return false;
    *slot = function;
    return true;
}

}  // namespace

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

bool replace_import(void* library, const char* name, void* function) noexcept {
    link_map* map = nullptr;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return false;
    const Imports imports(*map);
    for (std::size_t i = 0; i < imports.count; ++i) {
        const ElfW(Rela) & import = imports.slots[i];
        const ElfW(Sym) & symbol = imports.symbols[ELF64_R_SYM(import.r_info)];
        if (std::strcmp(imports.names + symbol.st_name, name) == 0)
            return write_slot(reinterpret_cast<void**>(map->l_addr + import.r_offset), function);
    }
    return false;
}

bool has_library(const char* name) {
    void* const library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (library) dlclose(library);
    return library != nullptr;
}

bool is_for_another_processor(const std::string& path) {
    ElfW(Ehdr) header;
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const bool complete = read(file, &header, sizeof header) == static_cast<ssize_t>(sizeof header);
    close(file);
    return complete && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_machine != own_machine;
}

std::string path_of_own_library() {
    Dl_info info;
    const bool is_known = dladdr(reinterpret_cast<const void*>(&path_of_own_library), &info) != 0 && info.dli_fname;
    return is_known ? info.dli_fname : "";
}

}  // namespace pycuda
