#include "pycuda/toolchain/toolchain.hpp"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <mutex>

#include "platform/files.hpp"
#include "platform/forks.hpp"
#include "platform/host_platform.hpp"
#include "platform/libraries.hpp"
#include "pycuda/errors/advice.hpp"
#include "pycuda/errors/error.hpp"
#include "toolchain/toolchain_search.hpp"

namespace pycuda {

namespace {

struct Settings {
    std::mutex& mutex = *fork_safe(new std::mutex);
    std::vector<std::string> search_roots;
    std::vector<std::string> library_folders;
    std::string device_include_dir;
};

/// Leaked: finalizer threads may still compile while statics are destroyed.
Settings& settings() {
    static auto* instance = new Settings;
    return *instance;
}

/// One place to search; it may not exist.
struct SearchPlace {
    std::string found_by;
    std::string root;
};

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        if (end > begin) parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

std::string real_path(const std::string& path) {
    char* resolved = realpath(path.c_str(), nullptr);
    const std::string result = resolved ? resolved : path;
    std::free(resolved);
    return result;
}

std::string find_on_path(const std::string& program) {
    for (const std::string& folder : split(environment("PATH"), ':'))
        if (std::string path = join_path(folder, program); is_executable(path)) return absolute_path(path);
    return {};
}

/// The toolkit of a program in its bin folder; links (/usr/bin/nvcc) are followed.
std::string root_of_program(const std::string& program) {
    return parent_path(parent_path(real_path(program)));
}

/// "cu13" before "cu12"; then the folders of CUDA 12 and before, where each package has its own ("cuda_nvcc/bin/nvcc").
void add_pip_places(std::vector<SearchPlace>& places, const std::string& site_packages, const std::string& found_by) {
    const std::string nvidia = join_path(site_packages, "nvidia");
    if (!is_directory(nvidia)) {
        places.push_back({found_by, nvidia});
        return;
    }
    std::vector<std::pair<int, std::string>> versioned;
    for (const std::string& name : directory_entries(nvidia))
        if (name.starts_with("cu") && name.size() > 2 && std::all_of(name.begin() + 2, name.end(), ::isdigit))
            versioned.emplace_back(std::atoi(name.c_str() + 2), join_path(nvidia, name));
    std::sort(versioned.rbegin(), versioned.rend());
    for (const auto& [version, root] : versioned) places.push_back({found_by, root});
    places.push_back({found_by, nvidia});
}

/// The site-packages folders of a virtual or conda environment.
void add_environment_places(std::vector<SearchPlace>& places, const char* variable) {
    const std::string prefix = environment(variable);
    if (prefix.empty()) return;
    const std::string lib = join_path(prefix, "lib");
    for (const std::string& name : directory_entries(lib))
        if (name.starts_with("python3")) add_pip_places(places, join_path(lib, name + "/site-packages"), variable);
    places.push_back({variable, prefix});
}

/// pip's packages for the python3 on PATH, for this user, and for the system. Used if there is no running interpreter
/// to provide its own folders.
void add_python_places(std::vector<SearchPlace>& places) {
    const auto add_prefix = [&](const std::string& prefix, const std::string& found_by) {
        const std::string lib = join_path(prefix, "lib");
        for (const std::string& name : directory_entries(lib))
            for (const char* packages : {"site-packages", "dist-packages"})
                if (const std::string folder = join_path(join_path(lib, name), packages);
                    name.starts_with("python3") && is_directory(join_path(folder, "nvidia")))
                    add_pip_places(places, folder, found_by);
    };
    // Do not follow the links of a virtual environment.
    if (const std::string python = find_on_path("python3"); !python.empty())
        add_prefix(parent_path(parent_path(python)), "python3 on PATH");
    if (const std::string home = environment("HOME"); !home.empty()) add_prefix(join_path(home, ".local"), "~/.local");
    add_prefix("/usr/local", "system");
}

std::vector<SearchPlace> search_places() {
    std::vector<SearchPlace> places;
    const auto add_variable = [&](const char* variable) {
        if (std::string root = environment(variable); !root.empty()) places.push_back({variable, absolute_path(root)});
    };
    // PYCUDA_TOOLKIT is explicit: it excludes all other toolkits.
    if (add_variable("PYCUDA_TOOLKIT"); !places.empty()) return places;
    if (const std::string nvcc = find_on_path("nvcc"); !nvcc.empty()) places.push_back({"PATH", root_of_program(nvcc)});
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"}) add_variable(variable);
    std::vector<std::string> roots, library_folders;
    {
        std::lock_guard lock(settings().mutex);
        roots = settings().search_roots;
        library_folders = settings().library_folders;
    }
    for (const std::string& folder : library_folders) places.push_back({"library path", folder});
    // An activated environment takes precedence over the system.
    for (const std::string& root : roots) {
        add_pip_places(places, root, "pip");
        // <prefix>/lib/python3.x/site-packages: conda puts its toolkit into the prefix.
        const std::string prefix = parent_path(parent_path(parent_path(root)));
        if (prefix.size() > 1 && prefix != "/usr") places.push_back({"conda", prefix});
    }
    add_environment_places(places, "VIRTUAL_ENV");
    add_environment_places(places, "CONDA_PREFIX");
    add_python_places(places);
    places.push_back({"system", "/usr/local/cuda"});
    std::vector<std::string> names = directory_entries("/usr/local");
    for (std::string name; !(name = newest_version(names, "cuda-")).empty(); std::erase(names, name))
        places.push_back({"system", "/usr/local/" + name});
    for (const char* prefix : {"/opt/cuda", "/usr/lib/cuda", "/usr/lib/nvidia-cuda-toolkit", "/usr"})
        places.push_back({"system", prefix});
    return places;
}

void add_if_directory(std::vector<std::string>& folders, const std::string& folder) {
    if (is_directory(folder) && std::find(folders.begin(), folders.end(), folder) == folders.end())
        folders.push_back(folder);
}

/// The highest version of a library in a folder; empty if there is none, or if it is for another processor, as in a
/// toolkit to cross-compile with.
std::string find_in_folder(const std::string& folder, const std::string& prefix) {
    const std::string name = newest_version(directory_entries(folder), prefix);
    if (name.empty()) return name;
    std::string path = join_path(folder, name);
    return is_for_another_processor(path) ? std::string{} : path;
}

/// The toolkit at `place`; all fields are empty if there is none.
Toolkit inspect(const SearchPlace& place) {
    Toolkit toolkit;
    toolkit.root = place.root;
    toolkit.found_by = place.found_by;
    if (!is_directory(place.root)) return toolkit;
    const HostPlatform host = HostPlatform::of_this_machine();
    std::vector<std::string> parts = {place.root};
    for (const std::string& target : toolkit_targets(host)) parts.push_back(join_path(place.root, target));
    if (place.root.ends_with("/nvidia"))
        for (const char* package : {"cuda_nvcc", "cuda_runtime", "cuda_nvrtc", "cuda_cccl", "cuda_cupti", "cublas",
                                    "cufft", "curand", "cusolver", "nvjitlink"})
            parts.push_back(join_path(place.root, package));
    for (const std::string& part : parts) {
        if (std::string nvcc = part + "/bin/nvcc"; toolkit.nvcc.empty() && is_executable(nvcc)) toolkit.nvcc = nvcc;
        // /usr/include is a folder of the host compiler: passing it would change the search order.
        if (std::string include = part + "/include"; part != "/usr" && is_directory(include)) {
            add_if_directory(toolkit.include_dirs, include);
            add_if_directory(toolkit.include_dirs, include + "/cccl");
        }
        add_if_directory(toolkit.library_dirs, part + "/lib64");
        add_if_directory(toolkit.library_dirs, part + "/lib");
        add_if_directory(toolkit.library_dirs, part + "/lib/" + host.machine + "-linux-gnu");
    }
    for (const std::string& folder : toolkit.library_dirs)
        if (toolkit.nvrtc.empty()) toolkit.nvrtc = find_in_folder(folder, "libnvrtc.so");
    // A folder with only libraries.
    if (toolkit.nvrtc.empty() && !(toolkit.nvrtc = find_in_folder(place.root, "libnvrtc.so")).empty())
        add_if_directory(toolkit.library_dirs, place.root);
    return toolkit;
}

/// The same in the first of these folders that contains one.
std::string find_in_folders(const std::vector<std::string>& folders, const std::string& prefix) {
    for (const std::string& folder : folders)
        if (std::string path = find_in_folder(folder, prefix); !path.empty()) return path;
    return {};
}

bool is_toolkit(const Toolkit& toolkit) {
    return !toolkit.nvcc.empty() || !toolkit.nvrtc.empty();
}

}  // namespace

void add_toolkit_search_root(const std::string& directory) {
    const std::string root = absolute_path(directory);
    std::lock_guard lock(settings().mutex);
    auto& roots = settings().search_roots;
    if (std::find(roots.begin(), roots.end(), root) == roots.end()) roots.push_back(root);
}

void add_toolkit_library_folder(const std::string& directory) {
    const std::string folder = absolute_path(directory);
    std::lock_guard lock(settings().mutex);
    auto& folders = settings().library_folders;
    if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
}

void set_device_include_dir(const std::string& directory) {
    std::lock_guard lock(settings().mutex);
    settings().device_include_dir = absolute_path(directory);
}

std::string device_include_dir() {
    if (const std::string folder = environment("PYCUDA_DEVICE_INCLUDE_DIR"); !folder.empty())
        return absolute_path(folder);
    {
        std::lock_guard lock(settings().mutex);
        if (is_directory(settings().device_include_dir)) return settings().device_include_dir;
    }
    const std::string beside = join_path(own_folder(), "device/include");
    return is_directory(beside) ? beside : std::string{};
}

std::string find_library(const std::string& prefix) {
    for (const Toolkit& toolkit : find_toolkits())
        if (std::string path = find_in_folders(toolkit.library_dirs, prefix); !path.empty()) return path;
    return {};
}

std::string find_library_anywhere(const std::string& prefix) {
    if (std::string path = find_library(prefix); !path.empty()) return path;
    for (const SearchPlace& place : search_places()) {
        std::vector<std::string> folders = inspect(place).library_dirs;
        folders.push_back(join_path(place.root, "extras/CUPTI/lib64"));
        if (std::string path = find_in_folders(folders, prefix); !path.empty()) return path;
    }
    return {};
}

std::string newest_version(const std::vector<std::string>& names, const std::string& prefix) {
    std::string newest;
    std::vector<int> newest_numbers;
    for (const std::string& name : names) {
        if (!name.starts_with(prefix)) continue;
        std::vector<int> numbers;
        for (const std::string& part : split(name.substr(prefix.size()), '.'))
            numbers.push_back(std::atoi(part.c_str()));
        if (!newest.empty() && numbers <= newest_numbers) continue;
        newest = name;
        newest_numbers = std::move(numbers);
    }
    return newest;
}

std::vector<Toolkit> find_toolkits() {
    std::vector<Toolkit> toolkits;
    for (const SearchPlace& place : search_places()) {
        Toolkit toolkit = inspect(place);
        const bool known = std::any_of(toolkits.begin(), toolkits.end(), [&](const Toolkit& other) {
            return other.root == toolkit.root || (other.nvcc == toolkit.nvcc && other.nvrtc == toolkit.nvrtc);
        });
        if (is_toolkit(toolkit) && !known) toolkits.push_back(std::move(toolkit));
    }
    return toolkits;
}

std::string find_nvcc_in(const std::string& nvcc, const std::vector<Toolkit>& toolkits) {
    if (nvcc.find('/') != std::string::npos) return is_executable(nvcc) ? absolute_path(nvcc) : std::string{};
    if (nvcc != "nvcc") return find_on_path(nvcc);
    const bool look_on_path = environment("PYCUDA_TOOLKIT").empty();
    if (std::string path = look_on_path ? find_on_path(nvcc) : std::string{}; !path.empty()) return path;
    for (const Toolkit& toolkit : toolkits)
        if (!toolkit.nvcc.empty()) return toolkit.nvcc;
    return {};
}

std::string find_nvcc(const std::string& nvcc) {
    return find_nvcc_in(nvcc, find_toolkits());
}

std::string toolkit_search_state() {
    std::string state;
    for (const char* name :
         {"PYCUDA_TOOLKIT", "PATH", "CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "VIRTUAL_ENV", "CONDA_PREFIX", "HOME"})
        state += environment(name) + '\n';
    std::lock_guard lock(settings().mutex);
    for (const std::string& root : settings().search_roots) state += root + '\n';
    for (const std::string& folder : settings().library_folders) state += folder + '\n';
    return state;
}

std::string find_nvrtc() {
    for (const Toolkit& toolkit : find_toolkits())
        if (!toolkit.nvrtc.empty()) return toolkit.nvrtc;
    return {};
}

std::string find_static_library(const std::string& name, const std::string& library_dir) {
    std::vector<std::string> folders;
    if (!library_dir.empty()) folders.push_back(library_dir);
    if (const std::string root = environment("CUDA_ROOT"); !root.empty())
        for (const char* folder : {"lib64", "lib"}) folders.push_back(join_path(root, folder));
    for (std::string& folder : split(environment("LD_LIBRARY_PATH"), ':')) folders.push_back(std::move(folder));
    for (const Toolkit& toolkit : find_toolkits())
        folders.insert(folders.end(), toolkit.library_dirs.begin(), toolkit.library_dirs.end());
    for (const std::string& folder :
         {"/usr/lib/" + HostPlatform::of_this_machine().machine + "-linux-gnu", std::string("/usr/lib64")})
        folders.push_back(folder);
    for (const std::string& folder : folders)
        if (std::string path = join_path(folder, "lib" + name + ".a"); is_file(path)) return path;
    std::string looked;
    for (const std::string& folder : folders) looked += "\n  " + folder;
    throw RuntimeError("find_static_library", 0, "lib" + name + ".a was not found. Searched:" + looked);
}

std::string toolkit_search_report() {
    std::string text = "Searched for nvcc and libnvrtc in:\n";
    if (environment("PYCUDA_TOOLKIT").empty() && find_on_path("nvcc").empty()) text += "  PATH (no nvcc found)\n";
    for (const SearchPlace& place : search_places()) {
        const Toolkit toolkit = inspect(place);
        text += "  " + place.root + " (" + place.found_by + ")";
        if (!toolkit.nvcc.empty()) text += ": nvcc";
        if (!toolkit.nvrtc.empty()) text += ": libnvrtc";
        text += '\n';
    }
    return text + install_advice();
}

}  // namespace pycuda
