#include "files/ptx_file.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "files/short_text.hpp"

namespace ptx_file {
namespace {

void read_comment(Kernel& kernel, const std::string& line) {
    std::istringstream words(line.substr(2));
    std::string key, rest;
    words >> key;
    if (key == "block:")
        words >> kernel.block;
    else if (key == "shared:")
        words >> kernel.shared;
    else if (key == "entry:")
        std::getline(words, kernel.directives);
    else if (key == "in" && words >> rest)
        kernel.in.push_back(read_array(words, rest));
    else if (key == "out" && words >> rest)
        kernel.out.push_back(read_array(words, rest));
    else if (key == "tex" || key == "surf")
        kernel.images.push_back(read_image(line.substr(2)));
    else if (key == "left:" && !kernel.images.empty())
        read_left(kernel.images.back(), line);
}

/// Takes what a kernel lacks from the one above it.
void complete(Kernel& kernel, const Kernel& above) {
    if (kernel.in.empty()) kernel.in = above.in;
    if (kernel.out.empty()) kernel.out = above.out;
    if (kernel.images.empty()) kernel.images = above.images;
    if (kernel.block == 0) kernel.block = above.block;
    if (kernel.shared == 0) kernel.shared = above.shared;
    if (kernel.directives.empty()) kernel.directives = above.directives;
}

void finish(Kernel& kernel) {
    const bool checks_images =
        std::any_of(kernel.images.begin(), kernel.images.end(), [](const Image& i) { return i.left.count() > 0; });
    if (kernel.out.empty() && !checks_images) throw std::runtime_error(kernel.name + " has no expected values");
    kernel.value_a_thread = kernel.block == 0 && kernel.shared == 0 && kernel.images.empty();
    if (kernel.block == 0) {
        const Array& first = (kernel.in.empty() ? kernel.out : kernel.in).at(0);
        kernel.block = static_cast<unsigned>(first.count() / first.width);
    }
}

/// Whether the text has this word: not "%in1" where it has "%in10".
bool names(const std::string& text, const std::string& word) {
    for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; at += word.size())
        if (at + word.size() == text.size() || !std::isdigit(static_cast<unsigned char>(text[at + word.size()])))
            return true;
    return false;
}

std::string register_type(const Array& array) {
    if (array.type[0] == 'f') return array.type;
    return "b" + std::to_string(std::max<std::size_t>(8 * array.element_bytes, 16));
}

std::string kernel_text(const Kernel& kernel, const std::string& text) {
    std::ostringstream parameters, before, after;
    const auto add_parameter = [&](const std::string& name) {
        parameters << (parameters.tellp() > 0 ? ", " : "") << ".param .u64 " << name;
        before << ".reg .b64 %" << name << "; ld.param.u64 %" << name << ", [" << name << "];\n";
    };
    std::vector<short_text::Operand> results, operands;
    const auto add_array = [&](const Array& array, const std::string& name, bool is_result) {
        add_parameter(name);
        before << "mad.wide.u32 %" << name << ", %i, " << array.width * array.element_bytes << ", %" << name << ";\n";
        const std::size_t number = is_result ? results.size() : kernel.out.size() + operands.size();
        const auto& operand =
            (is_result ? results : operands)
                .emplace_back(array.type + (array.width > 1 ? "*" + std::to_string(array.width) : ""), number);
        const bool by_text = names(text, "%" + name) || names(text, "[" + name);
        for (std::size_t k = 0; k < array.width; ++k) {
            const std::string& own = operand.registers[k];
            const std::string address = "[%" + name + "+" + std::to_string(k * array.element_bytes) + "]";
            before << ".reg ." << register_type(array) << " " << own << ";\n";
            if (by_text) continue;
            if (is_result)
                after << "st.global." << array.type << " " << address << ", " << own << ";\n";
            else
                before << "ld.global." << array.type << " " << own << ", " << address << ";\n";
        }
    };
    for (const Array& array : kernel.in) add_array(array, "in" + std::to_string(operands.size()), false);
    for (const Array& array : kernel.out) add_array(array, "out" + std::to_string(results.size()), true);
    for (std::size_t n = 0; n < kernel.images.size(); ++n) add_parameter("t" + std::to_string(n));
    results.insert(results.end(), operands.begin(), operands.end());
    return ".visible .entry " + kernel.name + "(" + parameters.str() + ")" + kernel.directives + "\n{\n" +
           short_text::scratch + ".reg .b32 %i; mov.u32 %i, %tid.x;\n" + before.str() +
           short_text::filled_in(text, results) + after.str() + "ret;\n}\n";
}

/// The name in a line "name: text", or nothing.
std::string name_of(const std::string& line) {
    const std::size_t end =
        std::find_if(line.begin(), line.end(), [](unsigned char c) { return !std::isalnum(c) && c != '_'; }) -
        line.begin();
    return end < line.size() && line[end] == ':' ? line.substr(0, end) : "";
}

}  // namespace

File read(const std::filesystem::path& path) {
    std::ifstream lines(path);
    if (!lines) throw std::runtime_error("cannot open " + path.string());
    File file;
    Kernel kernel, above;
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        try {
            if (line.starts_with("//")) {
                read_comment(kernel, line);
                continue;
            }
            if (line.empty()) above = {};
            kernel.name = name_of(line);
            const bool has_data = !kernel.in.empty() || !kernel.out.empty();
            if (kernel.name.empty() && has_data) throw std::runtime_error("expected \"name: text\" below the data");
            if (kernel.name.empty() || (!has_data && above.name.empty())) {
                file.text += line + "\n";
                continue;
            }
            std::string text = line.substr(kernel.name.size() + 1) + "\n";
            for (; lines.peek() == ' ' && std::getline(lines, line); ++number) text += line + "\n";
            complete(kernel, above);
            above = kernel;
            finish(kernel);
            file.text += kernel_text(kernel, text);
        } catch (const std::runtime_error& error) {
            throw std::runtime_error(path.string() + ":" + std::to_string(number) + ": " + error.what());
        }
        file.kernels.push_back(std::exchange(kernel, {}));
    }
    if (!file.text.starts_with(".version")) file.text = ".version 8.4\n" + file.text;
    if (file.text.find(".target") == file.text.npos)
        file.text.insert(file.text.find('\n'), "\n.target sm_90\n.address_size 64");
    return file;
}

}  // namespace ptx_file
