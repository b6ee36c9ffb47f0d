#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/files.hpp"

namespace pycuda {

/// The present locations on this machine of headers that are not the user's.
struct HeaderRoots {
    std::string device_dir;                ///< this library's own
    std::vector<std::string> system_dirs;  ///< the toolkit's
    bool has_compiler = true;  ///< false: toolkit and host headers may be missing, because nothing can be recompiled
};

/// One header that a compiled image depends on.
struct Dependency {
    enum class Kind : std::uint8_t {
        User,    ///< `path` is absolute
        Device,  ///< `path` is relative to HeaderRoots::device_dir
        System,  ///< `path` is relative to one of HeaderRoots::system_dirs
        Host,    ///< `path` is absolute; the host compiler's
    };
    Kind kind = Kind::User;
    std::string path;
    std::string hash;  ///< of the content
    FileStamp stamp;   ///< the last time at which the content had that hash; zero: unreliable
};

/// Every header that an image depends on, and the places where a header must not appear, because it would be found
/// first.
struct Dependencies {
    std::vector<Dependency> files;
    std::vector<std::string> absent;
};

/// Hashes `files` (full paths). Those in `user_dirs` are the user's. Headers that change meanwhile get no stamp. Empty
/// if one cannot be read: changes to it would go unnoticed.
std::optional<Dependencies> record_dependencies(const std::vector<std::string>& files, std::vector<std::string> absent,
                                                const std::vector<std::string>& user_dirs, const HeaderRoots& roots);

/// True if every header has the recorded contents. Reads files only if their stamps differ; it then stores the new
/// stamps in `dependencies`, and sets `refreshed`.
bool up_to_date(Dependencies& dependencies, const HeaderRoots& roots, bool& refreshed);

/// The time of the newest change to a user header, in ns since 1970; 0 if there is none.
std::int64_t newest_user_change(const Dependencies& dependencies);

/// The places where a file would shadow one of `files`: the same relative name in a user folder that is searched
/// earlier.
std::vector<std::string> shadowing_places(const std::vector<std::string>& files,
                                          const std::vector<std::string>& user_dirs, const HeaderRoots& roots);

}  // namespace pycuda
