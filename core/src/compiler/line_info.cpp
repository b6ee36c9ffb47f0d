// What reports of the CPU device need: line information, and the source.
#include <algorithm>
#include <string_view>

#include "compiler/backend.hpp"

namespace pycuda {
namespace {

bool has_any(const std::vector<std::string>& options, std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(options, [&](std::string_view option) {
        option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
        return std::ranges::find(names, option) != names.end();
    });
}

/// PTX is ASCII, also in comments: another character of UTF-8 becomes one question mark.
void append_ascii(std::string& text, std::string_view line) {
    for (const char c : line) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80)
            text += c;
        else if (byte >= 0xc0)
            text += '?';
    }
}

}  // namespace

void add_line_info(CompileJob& job, const CompileRequest& request, bool is_for_cpu_device) {
    if (!is_for_cpu_device || job.minimal || job.target.kind != "ptx" || request.target == "ptx") return;
    job.is_quotable = true;
    if (has_any(request.options, {"lineinfo", "generate-line-info", "G", "device-debug"})) return;
    job.options.nvcc.push_back("-lineinfo");
    job.options.nvrtc.push_back("--generate-line-info");
}

void make_quotable(std::string& image, const std::string& name, const std::string& source) {
    std::string text;
    append_ascii(text, image);  // paths of headers
    text += "\n//pycuda-source ";
    append_ascii(text, name);
    text += '\n';
    for (std::size_t begin = 0; begin < source.size();) {
        const std::size_t end = std::min(source.find('\n', begin), source.size());
        std::string_view line(source.data() + begin, end - begin);
        // It would continue the comment on the next line.
        while (!line.empty() && (line.back() == '\\' || line.back() == '\r' || line.back() == ' '))
            line.remove_suffix(1);
        text += "//";
        append_ascii(text, line);
        text += '\n';
        begin = end + 1;
    }
    image.swap(text);
}

}  // namespace pycuda
