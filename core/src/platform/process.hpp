#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pycuda {

struct ProcessResult {
    int status = 0;  ///< exit status; 128 + signal number if a signal ended it
    std::string stdout_text;
    std::string stderr_text;
};

/// Runs a program to its end, without waiting for background processes that it leaves running. Without a shell, in
/// `folder` (empty: the current one) with an empty standard input. `arguments[0]` is its path. Leaves no zombie and no
/// descriptor behind; other threads may start programs at the same time. RuntimeError if it cannot be started.
ProcessResult run_process(const std::vector<std::string>& arguments, const std::string& folder = {});

/// The path of a program in the folders of PATH; empty if it is in none.
std::string find_program(const std::string& name);

/// This process's number.
std::uint64_t process_id() noexcept;

}  // namespace pycuda
