#include "compiler/include_scanner.hpp"

#include <algorithm>
#include <cctype>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "platform/files.hpp"
#include "pycuda/platform/forks.hpp"

namespace pycuda {

namespace {

/// Reads C++ source line by line. Comments and literals are never taken for directives.
class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    IncludeLines run() {
        bool line_start = true;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '\n') {
                line_start = true;
                ++at_;
            } else if (c == '/' && peek(1) == '/') {
                skip_line();
            } else if (c == '/' && peek(1) == '*') {
                skip_comment();
            } else if (c == '"' || c == '\'') {
                skip_literal(c);
                line_start = false;
            } else if (c == '#' && line_start) {
                ++at_;
                directive();
            } else {
                if (c != ' ' && c != '\t' && c != '\r' && c != '\\') line_start = false;
                ++at_;
            }
        }
        return std::move(lines_);
    }

private:
    char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

    void skip_comment() {
        const std::size_t end = text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
    }

    /// Skip to the end of the line, including lines continued by a backslash.
    void skip_line() {
        while (at_ < text_.size() && text_[at_] != '\n') at_ += text_[at_] == '\\' ? 2 : 1;
    }

    /// A literal ends with its line at the latest, because an apostrophe may also be a digit separator, or part of an
    /// inactive branch.
    void skip_literal(char quote) {
        if (quote == '"' && at_ > 0 && text_[at_ - 1] == 'R') return skip_raw_string();
        for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
            if (text_[at_] == '\\') {
                ++at_;
            } else if (text_[at_] == quote) {
                ++at_;
                return;
            }
        }
    }

    void skip_raw_string() {
        const std::size_t open = text_.find('(', at_);
        if (open == std::string_view::npos || open - at_ > 17) {
            ++at_;
            return;
        }
        const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
        const std::size_t end = text_.find(close, open);
        at_ = end == std::string_view::npos ? text_.size() : end + close.size();
    }

    void skip_blanks() {
        for (;;) {
            const char c = peek(0);
            if (c == ' ' || c == '\t' || c == '\r')
                ++at_;
            else if (c == '\\' && peek(1) == '\n')
                at_ += 2;
            else if (c == '/' && peek(1) == '*')
                skip_comment();
            else
                return;
        }
    }

    std::string_view word() {
        const std::size_t begin = at_;
        while (std::isalnum(static_cast<unsigned char>(peek(0))) || peek(0) == '_') ++at_;
        return text_.substr(begin, at_ - begin);
    }

    void directive() {
        skip_blanks();
        const std::string_view name = word();
        if (name == "include" || name == "import") {
            skip_blanks();
            header_name();
        } else if (name == "include_next") {
            lines_.has_computed = true;  // the header depends on where this file was found
        } else if (name == "if" || name == "elif") {
            has_include();
        }
        skip_line();
    }

    void header_name() {
        const char open = peek(0);
        const char close = open == '<' ? '>' : open == '"' ? '"' : '\0';
        const std::size_t end = close ? text_.find_first_of(std::string{close, '\n'}, at_ + 1) : std::string_view::npos;
        if (end == std::string_view::npos || text_[end] != close) {
            lines_.has_computed = true;
            return;
        }
        lines_.names.push_back({std::string(text_.substr(at_ + 1, end - at_ - 1)), open == '"', at_, end + 1});
        at_ = end + 1;
    }

    /// __has_include(<x>) depends on x as #include does, whether or not x exists.
    void has_include() {
        const std::size_t end = std::min(text_.find('\n', at_), text_.size());
        for (std::size_t found; (found = text_.find("__has_include", at_)) < end;) {
            at_ = found + 13;
            skip_blanks();
            if (peek(0) != '(') continue;  // "#ifdef __has_include", "defined __has_include"
            ++at_;
            skip_blanks();
            if (peek(0) == '<' || peek(0) == '"') header_name();
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    IncludeLines lines_;
};

/// There are many toolkit headers, and they do not change: their lines are cached by stamp.
std::shared_ptr<const IncludeLines> includes_of_file(const std::string& path) {
    struct Known {
        FileStamp stamp;
        std::shared_ptr<const IncludeLines> lines;
    };
    static auto* mutex = fork_safe(new std::mutex);
    static auto* known = new std::unordered_map<std::string, Known>;
    const std::optional<FileStamp> stamp = file_stamp(path);
    if (!stamp) return std::make_shared<IncludeLines>();
    {
        std::lock_guard lock(*mutex);
        if (auto it = known->find(path); it != known->end() && it->second.stamp == *stamp) return it->second.lines;
    }
    auto lines = std::make_shared<const IncludeLines>(scan_includes(read_file(path).value_or("")));
    std::lock_guard lock(*mutex);
    (*known)[path] = {*stamp, lines};
    return lines;
}

/// Only the quoted form of #include depends on the includer's folder.
std::string key_of(const IncludeLines::Name& name, const std::string& folder) {
    return (name.quoted ? folder : "") + '\n' + name.text;
}

class ClosureSearch {
public:
    ClosureSearch(const std::vector<std::string>& include_dirs, const std::vector<std::string>& system_dirs)
        : include_dirs_(include_dirs), system_dirs_(system_dirs) {}

    IncludeClosure run(const IncludeLines& source) {
        follow(source, "", false);
        while (!queue_.empty()) {
            const auto [path, system] = queue_.front();
            queue_.pop_front();
            follow(*includes_of_file(path), parent_path(path), system);
        }
        return std::move(closure_);
    }

private:
    void follow(const IncludeLines& lines, const std::string& folder, bool system) {
        if (lines.has_computed && !system) closure_.complete = false;
        for (const auto& name : lines.names) resolve(name, folder);
    }

    void resolve(const IncludeLines::Name& name, const std::string& folder) {
        const auto [at, is_new] = closure_.targets.try_emplace(key_of(name, folder));
        if (is_new) at->second = search(name, folder);
    }

    std::string search(const IncludeLines::Name& name, const std::string& folder) {
        if (is_absolute_path(name.text)) return try_file(name.text, false, true);
        std::string found;
        if (name.quoted && !folder.empty())
            found = try_file(join_path(folder, name.text), is_system(folder), !is_system(folder));
        for (std::size_t i = 0; found.empty() && i < include_dirs_.size(); ++i)
            found = try_file(join_path(include_dirs_[i], name.text), false, true);
        for (std::size_t i = 0; found.empty() && i < system_dirs_.size(); ++i)
            found = try_file(join_path(system_dirs_[i], name.text), true, false);
        return found;
    }

    bool is_system(const std::string& folder) const {
        for (const std::string& dir : system_dirs_)
            if (folder.starts_with(dir)) return true;
        return false;
    }

    /// The file's full path; empty if it is not found.
    std::string try_file(const std::string& candidate, bool system, bool note_absence) {
        std::string path = absolute_path(candidate);
        if (!is_file(path)) {
            if (note_absence && absent_.insert(path).second) closure_.absent.push_back(path);
            return {};
        }
        if (found_.insert(path).second) {
            closure_.files.push_back(path);
            queue_.emplace_back(path, system);
        }
        return path;
    }

    const std::vector<std::string>& include_dirs_;
    const std::vector<std::string>& system_dirs_;
    std::deque<std::pair<std::string, bool>> queue_;
    std::unordered_set<std::string> found_, absent_;
    IncludeClosure closure_;
};

}  // namespace

IncludeLines scan_includes(std::string_view text) {
    return Scanner(text).run();
}

std::string IncludeClosure::target(const IncludeLines::Name& name, const std::string& folder) const {
    const auto at = targets.find(key_of(name, folder));
    return at == targets.end() ? std::string{} : at->second;
}

IncludeClosure find_includes(std::string_view source, const std::vector<std::string>& pre_includes,
                             const std::vector<std::string>& include_dirs,
                             const std::vector<std::string>& system_dirs) {
    IncludeLines lines = scan_includes(source);
    for (const std::string& name : pre_includes) lines.names.push_back({name, true});
    return ClosureSearch(include_dirs, system_dirs).run(lines);
}

std::string without_byte_order_mark(const std::string& text) {
    return text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text;
}

std::string line_directive(const std::string& file) {
    std::string text = "#line 1 \"";
    for (const char c : file) {
        if (c == '"' || c == '\\') text += '\\';
        text += c;
    }
    return text + "\"\n";
}

}  // namespace pycuda
