#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pycuda {

/// The #include lines of one source text. It is not preprocessed, so those in inactive branches count, too.
struct IncludeLines {
    struct Name {
        std::string text;
        bool quoted;            ///< "x" rather than <x>
        std::size_t begin = 0;  ///< its position in the text, with its quotes
        std::size_t end = 0;
    };
    std::vector<Name> names;
    bool has_computed = false;  ///< an #include whose name is a macro, so the header is unknown
};

IncludeLines scan_includes(std::string_view text);

/// Headers that a source may read: a superset of those that the preprocessor opens, so no change is missed.
struct IncludeClosure {
    std::vector<std::string> files;   ///< full paths of all headers found, each once
    std::vector<std::string> absent;  ///< places that were searched first: a file that appears there changes the result
    bool complete = true;             ///< false if a header outside `system_dirs` has a computed include
    std::unordered_map<std::string, std::string> targets;  ///< see target()

    /// The header that `name` refers to in a file in `folder`, or in the source (no folder); empty if there is none.
    std::string target(const IncludeLines::Name& name, const std::string& folder) const;
};

/// Follows the includes of `source`. Search order: for "x" the includer's own folder, then `include_dirs`, then
/// `system_dirs`. Computed includes there are assumed to stay inside; the toolkit's identity covers them.
IncludeClosure find_includes(std::string_view source, const std::vector<std::string>& pre_includes,
                             const std::vector<std::string>& include_dirs, const std::vector<std::string>& system_dirs);

/// `text` without the bytes EF BB BF at its start, by which some editors mark UTF-8 and which NVRTC rejects.
std::string without_byte_order_mark(const std::string& text);

/// A #line directive that makes messages and debuggers treat the following lines as lines 1, 2, ... of `file`.
std::string line_directive(const std::string& file);

}  // namespace pycuda
