#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/files.hpp"

namespace pycuda {

/// Where headers that do not belong to the user are, on this machine and now.
struct HeaderRoots {
    std::string device_dir;                ///< this library's own
    std::vector<std::string> system_dirs;  ///< the toolkit's
    bool has_compiler = true;  ///< false: toolkit and host headers need not be there, as nothing can be recompiled
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

/// Every header an image depends on, and places where a header must not appear because it would be found first.
struct Dependencies {
    std::vector<Dependency> files;
    std::vector<std::string> absent;
};

/// Hashes `files` (full paths). `user_dirs` says which are the user's. Headers changed while this runs get no stamp.
/// Nothing when one cannot be read: a change of it would go unnoticed.
std::optional<Dependencies> record_dependencies(const std::vector<std::string>& files, std::vector<std::string> absent,
                                                const std::vector<std::string>& user_dirs, const HeaderRoots& roots);

/// True when every header has the recorded content. Reads files only if their stamp differs, stores new stamps in
/// `dependencies`, and then sets `refreshed`.
bool up_to_date(Dependencies& dependencies, const HeaderRoots& roots, bool& refreshed);

/// The newest modification of a user header, in ns since 1970; 0 without any.
std::int64_t newest_user_change(const Dependencies& dependencies);

/// Where files would shadow one of `files`: the same relative name in a user folder searched before the one it was
/// found in.
std::vector<std::string> shadowing_places(const std::vector<std::string>& files,
                                          const std::vector<std::string>& user_dirs, const HeaderRoots& roots);

}  // namespace pycuda
