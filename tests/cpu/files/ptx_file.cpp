#include "files/ptx_file.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

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
    else if (key == "in" && words >> rest)
        kernel.in.push_back(read_array(words, rest));
    else if (key == "out" && words >> rest)
        kernel.out.push_back(read_array(words, rest));
    else if (key == "tex" || key == "surf")
        kernel.images.push_back(read_image(line.substr(2)));
    else if (key == "left:" && !kernel.images.empty())
        read_left(kernel.images.back(), line);
}

void finish(Kernel& kernel, const std::string& line) {
    const std::size_t from = line.find(".entry") + 6;
    const std::size_t start = line.find_first_not_of(' ', from);
    kernel.name = line.substr(start, line.find_first_of("( ", start) - start);
    const bool checks_images =
        std::any_of(kernel.images.begin(), kernel.images.end(), [](const Image& i) { return i.left.count() > 0; });
    if (kernel.out.empty() && !checks_images)
        throw std::runtime_error("entry " + kernel.name + " has no expected values");
    kernel.value_a_thread = kernel.block == 0 && kernel.shared == 0 && kernel.images.empty();
    if (kernel.block == 0)
        kernel.block = static_cast<unsigned>((kernel.in.empty() ? kernel.out : kernel.in).at(0).count());
}

}  // namespace

File read(const std::filesystem::path& path) {
    File file;
    std::ifstream lines(path);
    if (!lines) throw std::runtime_error("cannot open " + path.string());
    Kernel kernel;
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        file.text += line + "\n";
        try {
            if (line.starts_with("//")) read_comment(kernel, line);
            if (line.find(".entry") == std::string::npos || line.starts_with("//")) continue;
            finish(kernel, line);
        } catch (const std::runtime_error& error) {
            throw std::runtime_error(path.string() + ":" + std::to_string(number) + ": " + error.what());
        }
        file.kernels.push_back(std::exchange(kernel, {}));
    }
    return file;
}

}  // namespace ptx_file
