#include "platform/files.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

#include "platform/libraries.hpp"
#include "platform/process.hpp"
#include "pycuda/errors/error.hpp"

namespace pycuda {
namespace {

constexpr std::string_view temporary_mark = ".tmp.";

}  // namespace

std::int64_t now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

bool is_file(const std::string& path) {
    return file_stamp(path).has_value();
}

bool is_temporary_name(std::string_view name) {
    return name.find(temporary_mark) != std::string_view::npos;
}

bool write_file_atomically(const std::string& path, std::string_view content) {
    static std::atomic<unsigned> serial{0};
    if (!make_private_folder(parent_path(path))) return false;
    const std::string temporary =
        path + std::string(temporary_mark) + std::to_string(process_id()) + "." + std::to_string(serial++);
    if (write_new_file(temporary, content) && rename_file(temporary, path)) return true;
    const int why = errno;
    if (why != EEXIST) remove_file(temporary);
    errno = why;
    return false;
}

FileLock::FileLock(const std::string& path, std::chrono::nanoseconds patience) {
    make_private_folder(parent_path(path));
    file_ = open_file(path);
    if (file_ < 0) return;
    const auto deadline = std::chrono::steady_clock::now() + patience;
    constexpr std::chrono::milliseconds longest_pause(20);
    std::chrono::milliseconds pause(1);
    for (Attempt attempt; (attempt = try_lock()) != Attempt::Locked;) {
        if (attempt == Attempt::Failed || std::chrono::steady_clock::now() >= deadline) return;
        waited_ = true;
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, longest_pause);
    }
}

FileLock::~FileLock() {
    if (file_ >= 0) unlock();
}

std::string join_path(const std::string& folder, const std::string& name) {
    return folder.empty() || folder.back() == '/' ? folder + name : folder + '/' + name;
}

std::string own_folder() {
    const std::string path = path_of_own_library();
    return path.empty() ? path : parent_path(absolute_path(path));
}

TemporaryDirectory::TemporaryDirectory() {
    const std::string base = temporary_folder();
    path_ = join_path(base, "pycuda-");
    if (!make_unique_folder(path_))
        throw RuntimeError("compile", 0, "no temporary folder could be made in " + base + ": " + std::strerror(errno));
}

TemporaryDirectory::~TemporaryDirectory() {
    if (!kept_) remove_tree(path_);
}

}  // namespace pycuda
