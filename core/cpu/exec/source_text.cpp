#include "exec/source_text.hpp"

#include "platform/process.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace cpu::exec {
namespace {

constexpr std::string_view marker = "\n//pycuda-source ";
/// The name of sources that the program gave none.
constexpr std::string_view default_name = "kernel.cu";
constexpr std::size_t longest_quote = 100, longest_file = 1 << 20;

std::string_view base_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

std::string_view take_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

std::string_view trimmed(std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

bool is_file(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored) && std::filesystem::file_size(path, ignored) <= longest_file;
}

std::vector<std::string> lines_of_file(const std::string& path) {
    std::vector<std::string> lines;
    std::ifstream in(platform::path_of(path));
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

}  // namespace

SourceText::SourceText(std::string_view ptx) {
    const std::size_t at = ptx.rfind(marker);
    if (at == std::string_view::npos || ptx.find(marker) != at) return;  // of linked texts, it is unknown whose it is
    std::string_view rest = ptx.substr(at + marker.size());
    own_name_ = take_line(rest);
    while (rest.starts_with("//")) own_lines_.emplace_back(take_line(rest).substr(2));
}

const SourceText::File& SourceText::file(const std::string& named) {
    const auto known = std::ranges::find(files_, named, &File::named);
    if (known != files_.end()) return *known;
    File made{named, std::string(base_name(named)), {}};
    const bool is_own = !own_lines_.empty() && base_name(named) == base_name(own_name_);
    if (is_own) {
        made.lines = own_lines_;
        made.shown = base_name(own_name_) == default_name ? "kernel source" : own_name_;
    } else if (is_file(named)) {
        made.shown = named;
        made.lines = lines_of_file(named);
    }
    return files_.emplace_back(std::move(made));
}

std::string SourceText::describe(const std::string& named, std::uint32_t line) {
    const File& from = file(named);
    std::string text = from.shown + ":" + std::to_string(line);
    if (line == 0 || line > from.lines.size()) return text;
    const std::string_view quote = trimmed(from.lines[line - 1]);
    if (quote.empty()) return text;
    return text + " `" + std::string(quote.substr(0, longest_quote)) + (quote.size() > longest_quote ? "…`" : "`");
}

}  // namespace cpu::exec
