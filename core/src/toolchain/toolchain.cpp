#include "pycuda/toolchain/toolchain.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>

#include "platform/environment.hpp"
#include "platform/files.hpp"
#include "platform/host_platform.hpp"
#include "platform/libraries.hpp"
#include "platform/process.hpp"
#include "platform/toolkit_folders.hpp"
#include "pycuda/errors/advice.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/platform/forks.hpp"
#include "text/versions.hpp"
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

using Places = std::vector<NamedFolder>;  ///< to be searched; they may not exist

/// The toolkit of a program in its bin folder; links (/usr/bin/nvcc) are followed.
std::string root_of_program(const std::string& program) {
    return parent_path(parent_path(real_path(program)));
}

/// "cu13" before "cu12"; then the folders of CUDA 12 and before, where each package has its own ("cuda_nvcc/bin/nvcc").
void add_pip_places(Places& places, const std::string& site_packages, const std::string& found_by) {
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
void add_environment_places(Places& places, const char* variable) {
    const std::string given = environment(variable);
    if (given.empty()) return;
    const std::string prefix = absolute_path(given);
    for (const std::string& folder : package_folders(prefix)) add_pip_places(places, folder, variable);
    places.push_back({variable, toolkit_of_environment(prefix)});
}

/// pip's packages for the Python on PATH, for this user, and for the system. Used if there is no running interpreter
/// to provide its own folders.
void add_python_places(Places& places) {
    for (const NamedFolder& python : python_installations())
        for (const std::string& folder : package_folders(python.path))
            if (is_directory(join_path(folder, "nvidia"))) add_pip_places(places, folder, python.found_by);
}

Places search_places() {
    Places places;
    const auto add_variable = [&](const char* variable) {
        if (std::string root = environment(variable); !root.empty()) places.push_back({variable, absolute_path(root)});
    };
    // PYCUDA_TOOLKIT is explicit: it excludes all other toolkits.
    if (add_variable("PYCUDA_TOOLKIT"); !places.empty()) return places;
    if (const std::string nvcc = find_program("nvcc"); !nvcc.empty()) places.push_back({"PATH", root_of_program(nvcc)});
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
        // conda puts its toolkit into the environment.
        if (const std::string prefix = environment_of_packages(root); !prefix.empty())
            places.push_back({"conda", toolkit_of_environment(prefix)});
    }
    add_environment_places(places, "VIRTUAL_ENV");
    add_environment_places(places, "CONDA_PREFIX");
    add_python_places(places);
    for (NamedFolder& toolkit : system_toolkits()) places.push_back(std::move(toolkit));
    return places;
}

void add_if_directory(std::vector<std::string>& folders, const std::string& folder) {
    if (is_directory(folder) && std::find(folders.begin(), folders.end(), folder) == folders.end())
        folders.push_back(folder);
}

/// The highest version of a library in a folder; empty if there is none, or if it is for another processor, as in a
/// toolkit to cross-compile with.
std::string find_in_folder(const std::string& folder, const std::string& library) {
    std::vector<std::string> names = directory_entries(folder);
    std::erase_if(names, [](const std::string& name) { return !is_library_file(name); });
    const std::string name = newest_version(names, library_prefix(library));
    if (name.empty()) return name;
    std::string path = join_path(folder, name);
    return is_for_another_processor(path) ? std::string{} : path;
}

/// The toolkit at `place`; all fields are empty if there is none.
Toolkit inspect(const NamedFolder& place) {
    Toolkit toolkit;
    toolkit.root = place.path;
    toolkit.found_by = place.found_by;
    if (!is_directory(place.path)) return toolkit;
    const HostPlatform host = HostPlatform::of_this_machine();
    std::vector<std::string> parts = {place.path};
    for (const std::string& target : toolkit_targets(host)) parts.push_back(join_path(place.path, target));
    if (place.path.ends_with("/nvidia"))
        for (const char* package : {"cuda_nvcc", "cuda_runtime", "cuda_nvrtc", "cuda_cccl", "cuda_cupti", "cublas",
                                    "cufft", "curand", "cusolver", "nvjitlink"})
            parts.push_back(join_path(place.path, package));
    for (const std::string& part : parts) {
        if (std::string nvcc = part + "/bin/" + program_file("nvcc"); toolkit.nvcc.empty() && is_executable(nvcc))
            toolkit.nvcc = nvcc;
        // /usr/include is a folder of the host compiler: passing it would change the search order.
        if (std::string include = part + "/include"; part != "/usr" && is_directory(include)) {
            add_if_directory(toolkit.include_dirs, include);
            add_if_directory(toolkit.include_dirs, include + "/cccl");
        }
        for (const std::string& folder : library_folders_of_toolkit(part, host))
            add_if_directory(toolkit.library_dirs, folder);
    }
    for (const std::string& folder : toolkit.library_dirs)
        if (toolkit.nvrtc.empty()) toolkit.nvrtc = find_in_folder(folder, "nvrtc");
    // A folder with only libraries.
    if (toolkit.nvrtc.empty() && !(toolkit.nvrtc = find_in_folder(place.path, "nvrtc")).empty())
        add_if_directory(toolkit.library_dirs, place.path);
    return toolkit;
}

/// The same in the first of these folders that contains one.
std::string find_in_folders(const std::vector<std::string>& folders, const std::string& library) {
    for (const std::string& folder : folders)
        if (std::string path = find_in_folder(folder, library); !path.empty()) return path;
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

std::string find_library(const std::string& library) {
    for (const Toolkit& toolkit : find_toolkits())
        if (std::string path = find_in_folders(toolkit.library_dirs, library); !path.empty()) return path;
    return {};
}

std::string find_library_anywhere(const std::string& library) {
    if (std::string path = find_library(library); !path.empty()) return path;
    for (const NamedFolder& place : search_places()) {
        std::vector<std::string> folders = inspect(place).library_dirs;
        folders.push_back(join_path(place.path, "extras/CUPTI/lib64"));
        if (std::string path = find_in_folders(folders, library); !path.empty()) return path;
    }
    return {};
}

std::vector<Toolkit> find_toolkits() {
    std::vector<Toolkit> toolkits;
    for (const NamedFolder& place : search_places()) {
        Toolkit toolkit = inspect(place);
        const bool known = std::any_of(toolkits.begin(), toolkits.end(), [&](const Toolkit& other) {
            return other.root == toolkit.root || (other.nvcc == toolkit.nvcc && other.nvrtc == toolkit.nvrtc);
        });
        if (is_toolkit(toolkit) && !known) toolkits.push_back(std::move(toolkit));
    }
    return toolkits;
}

std::string find_nvcc_in(const std::string& nvcc, const std::vector<Toolkit>& toolkits) {
    if (names_a_folder(nvcc)) return is_executable(nvcc) ? absolute_path(nvcc) : std::string{};
    if (nvcc != "nvcc") return find_program(nvcc);
    const bool look_on_path = environment("PYCUDA_TOOLKIT").empty();
    if (std::string path = look_on_path ? find_program(nvcc) : std::string{}; !path.empty()) return path;
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
    const HostPlatform host = HostPlatform::of_this_machine();
    std::vector<std::string> folders;
    if (!library_dir.empty()) folders.push_back(library_dir);
    if (const std::string root = environment("CUDA_ROOT"); !root.empty())
        for (std::string& folder : library_folders_of_toolkit(absolute_path(root), host))
            folders.push_back(std::move(folder));
    for (std::string& folder : environment_folders(library_path_variable)) folders.push_back(std::move(folder));
    for (const Toolkit& toolkit : find_toolkits())
        folders.insert(folders.end(), toolkit.library_dirs.begin(), toolkit.library_dirs.end());
    for (std::string& folder : static_library_folders(host)) folders.push_back(std::move(folder));
    const std::string file = static_library_file(name);
    for (const std::string& folder : folders)
        if (std::string path = join_path(folder, file); is_file(path)) return path;
    std::string looked;
    for (const std::string& folder : folders) looked += "\n  " + folder;
    throw RuntimeError("find_static_library", 0, file + " was not found. Searched:" + looked);
}

std::string toolkit_search_report() {
    std::string text = "Searched for nvcc and libnvrtc in:\n";
    if (environment("PYCUDA_TOOLKIT").empty() && find_program("nvcc").empty()) text += "  PATH (no nvcc found)\n";
    for (const NamedFolder& place : search_places()) {
        const Toolkit toolkit = inspect(place);
        text += "  " + place.path + " (" + place.found_by + ")";
        if (!toolkit.nvcc.empty()) text += ": nvcc";
        if (!toolkit.nvrtc.empty()) text += ": libnvrtc";
        text += '\n';
    }
    return text + install_advice();
}

}  // namespace pycuda
