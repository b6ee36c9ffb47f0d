#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>

namespace cpu::platform {

int process_id() noexcept;
/// A number that no other thread of this process has while this one runs.
std::uint64_t thread_number() noexcept;
std::string host_name();

/// This library is not unloaded any more: its threads run until the process ends.
void stay_loaded() noexcept;

/// Calls `function` in each child that is forked from now on.
void call_in_forked_children(void (*function)()) noexcept;

/// Empty if it is not set.
std::string environment(const char* name);

std::tm local_time(std::time_t time) noexcept;

/// What streams open: programs give UTF-8.
std::filesystem::path path_of(std::string_view name);

}  // namespace cpu::platform
