#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cpu::exec {

/// The lines of the sources that a module was compiled from, as far as they are known: those of the kernel's own source
/// from comments at the end of its PTX (`//pycuda-source NAME`, then a comment for each line), those of other files
/// from the files.
class SourceText {
public:
    explicit SourceText(std::string_view ptx);

    /// "kernel.cu:5: "x[i] *= f;"", for a file that line information names. A file that does not exist, as one that was
    /// compiled in another folder, is named without its folder.
    std::string describe(const std::string& file, std::uint32_t line);

private:
    struct File {
        std::string named;  ///< in line information
        std::string shown;
        std::vector<std::string> lines;
    };
    const File& file(const std::string& named);

    std::string own_name_;
    std::vector<std::string> own_lines_;
    std::vector<File> files_;
};

}  // namespace cpu::exec
