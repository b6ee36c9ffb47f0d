#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pycuda {

/// Builds a POSIX ustar archive of regular files in memory. Names are at most 100 bytes.
class TarWriter {
public:
    void add(const std::string& name, std::string_view content, std::int64_t mtime_seconds);
    std::string finish();

private:
    std::string text_;
};

/// Reads the regular files of such an archive.
class TarReader {
public:
    struct Member {
        std::string name;
        std::string_view content;  ///< a view of the archive's text
    };
    explicit TarReader(std::string_view text) : rest_(text) {}
    /// Empty at the end, and after an error.
    std::optional<Member> next();
    /// True if the archive ended before its end marker, or if a header's checksum was wrong.
    bool failed() const noexcept { return failed_; }

private:
    std::string_view rest_;
    bool failed_ = false;
};

}  // namespace pycuda
