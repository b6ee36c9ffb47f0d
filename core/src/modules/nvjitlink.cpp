#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>

#include "platform/files.hpp"
#include "platform/libraries.hpp"
#include "pycuda/errors/advice.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/modules/linker.hpp"
#include "pycuda/platform/forks.hpp"
#include "pycuda/toolchain/toolchain.hpp"
#include "toolchain/toolchain_search.hpp"

namespace pycuda {

namespace {

using Handle = struct NvJitLinkState*;
constexpr int success = 0;

/// The functions of libnvJitLink, declared here because nvJitLink.h may be missing when this is built.
struct NvJitLink {
    int (*create)(Handle*, std::uint32_t, const char**) = nullptr;
    int (*destroy)(Handle*) = nullptr;
    int (*add)(Handle, int, const void*, std::size_t, const char*) = nullptr;
    int (*complete)(Handle) = nullptr;
    int (*cubin_size)(Handle, std::size_t*) = nullptr;
    int (*cubin)(Handle, void*) = nullptr;
    int (*ptx_size)(Handle, std::size_t*) = nullptr;
    int (*ptx)(Handle, char*) = nullptr;
    int (*log_size)(Handle, std::size_t*) = nullptr;
    int (*log)(Handle, char*) = nullptr;
};

NvJitLink open_nvjitlink(const std::string& path) {
    std::string why;
    void* const library = load_library(path, &why);
    if (!library) throw RuntimeError("link_lto", 0, "cannot load " + path + ": " + why);
    const auto resolve = [&](const char* name) {
        void* function = library_symbol(library, name);
        if (!function) throw RuntimeError("link_lto", 0, path + " does not have the function " + name);
        return function;
    };
    NvJitLink link;
    link.create = reinterpret_cast<decltype(link.create)>(resolve("nvJitLinkCreate"));
    link.destroy = reinterpret_cast<decltype(link.destroy)>(resolve("nvJitLinkDestroy"));
    link.add = reinterpret_cast<decltype(link.add)>(resolve("nvJitLinkAddData"));
    link.complete = reinterpret_cast<decltype(link.complete)>(resolve("nvJitLinkComplete"));
    link.cubin_size = reinterpret_cast<decltype(link.cubin_size)>(resolve("nvJitLinkGetLinkedCubinSize"));
    link.cubin = reinterpret_cast<decltype(link.cubin)>(resolve("nvJitLinkGetLinkedCubin"));
    link.ptx_size = reinterpret_cast<decltype(link.ptx_size)>(resolve("nvJitLinkGetLinkedPtxSize"));
    link.ptx = reinterpret_cast<decltype(link.ptx)>(resolve("nvJitLinkGetLinkedPtx"));
    link.log_size = reinterpret_cast<decltype(link.log_size)>(resolve("nvJitLinkGetErrorLogSize"));
    link.log = reinterpret_cast<decltype(link.log)>(resolve("nvJitLinkGetErrorLog"));
    return link;
}

/// Loaded once for each path and never unloaded.
const NvJitLink& load_nvjitlink() {
    static auto* mutex = fork_safe(new std::mutex);
    static auto* loaded = new std::map<std::string, NvJitLink>;
    const std::string path = find_library("nvJitLink");
    if (path.empty())
        throw RuntimeError("link_lto", 0, "libnvJitLink was not found in any CUDA toolkit. " + install_advice());
    std::lock_guard lock(*mutex);
    auto it = loaded->find(path);
    if (it == loaded->end()) it = loaded->emplace(path, open_nvjitlink(path)).first;
    return it->second;
}

int input_type(const std::string& kind) {
    constexpr const char* kinds[] = {"", "cubin", "ptx", "ltoir", "fatbin", "object", "library"};
    const auto found = std::find(std::begin(kinds) + 1, std::end(kinds), kind);
    if (found == std::end(kinds))
        throw std::invalid_argument("kind of linker input must be cubin, ptx, ltoir, fatbin, object or library, not '" +
                                    kind + "'");
    return static_cast<int>(found - std::begin(kinds));
}

class Link {
public:
    Link(const NvJitLink& functions, std::vector<std::string> options)
        : functions_(functions), options_(std::move(options)) {
        std::vector<const char*> texts;
        for (const std::string& option : options_) texts.push_back(option.c_str());
        check(functions_.create(&handle_, static_cast<std::uint32_t>(texts.size()), texts.data()), "nvJitLinkCreate");
    }
    ~Link() {
        if (handle_) functions_.destroy(&handle_);
    }
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    void add(const LtoInput& input) {
        check(
            functions_.add(handle_, input_type(input.kind), input.image.data(), input.image.size(), input.name.c_str()),
            "nvJitLinkAddData");
    }
    Bytes complete() {
        check(functions_.complete(handle_), "nvJitLinkComplete");
        const bool wants_ptx = std::find(options_.begin(), options_.end(), "-ptx") != options_.end();
        return wants_ptx ? linked_ptx() : linked_cubin();
    }

private:
    Bytes linked_cubin() {
        std::size_t nbytes = 0;
        check(functions_.cubin_size(handle_, &nbytes), "nvJitLinkGetLinkedCubinSize");
        Bytes image(nbytes);
        check(functions_.cubin(handle_, image.data()), "nvJitLinkGetLinkedCubin");
        return image;
    }
    Bytes linked_ptx() {
        std::size_t nbytes = 0;
        check(functions_.ptx_size(handle_, &nbytes), "nvJitLinkGetLinkedPtxSize");
        Bytes text(nbytes);
        check(functions_.ptx(handle_, reinterpret_cast<char*>(text.data())), "nvJitLinkGetLinkedPtx");
        return text;
    }
    void check(int status, const char* routine) {
        if (status == success) return;
        std::size_t nbytes = 0;
        std::string log;
        if (handle_ && functions_.log_size(handle_, &nbytes) == success && nbytes > 0) {
            log.resize(nbytes);
            functions_.log(handle_, log.data());
            log.resize(std::min(log.size(), log.find('\0')));
        }
        std::vector<std::string> command = {"nvJitLink"};
        command.insert(command.end(), options_.begin(), options_.end());
        throw CompileError(std::string(routine) + " failed with code " + std::to_string(status), "", log, command);
    }

    const NvJitLink& functions_;
    std::vector<std::string> options_;
    Handle handle_ = nullptr;
};

}  // namespace

bool has_nvjitlink() {
    return !find_library("nvJitLink").empty();
}

Bytes link_lto(const std::vector<LtoInput>& inputs, const std::string& arch, const std::vector<std::string>& options) {
    std::vector<std::string> all = {"-arch=" + arch, "-lto"};
    all.insert(all.end(), options.begin(), options.end());
    Link link(load_nvjitlink(), std::move(all));
    for (const LtoInput& input : inputs) link.add(input);
    return link.complete();
}

}  // namespace pycuda
