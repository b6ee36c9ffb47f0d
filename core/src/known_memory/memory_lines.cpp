#include "known_memory/memory_lines.hpp"

#include <cstdint>
#include <cstdio>
#include <string>

#include "driver/cpu_device_table.hpp"
#include "known_memory/allocations.hpp"

namespace pycuda {
namespace {

struct LinesTable {
    /// The function writes what is known of the memory at the address: a clause that begins with ", ", or nothing.
    void (*set_memory_lines)(void (*describe)(std::uint64_t address, bool is_freed, char* text, std::size_t room));
};

/// Called on any thread, with locks of the CPU device held.
void describe(std::uint64_t address, bool is_freed, char* text, std::size_t room) noexcept try {
    const MemoryPlaces places = places_of_memory(address, is_freed);
    std::string clause;
    if (places.allocated) clause = ", allocated at " + text_of_place(places.allocated);
    if (places.freed) clause += (clause.empty() ? ", freed at " : " and freed at ") + text_of_place(places.freed);
    std::snprintf(text, room, "%s", clause.c_str());
} catch (const std::bad_alloc&) {
}

}  // namespace

void connect_memory_lines(const DriverLibrary& library) noexcept {
    if (const void* const table = cpu_device_table(library, "pycuda-mem-lines"))
        static_cast<const LinesTable*>(table)->set_memory_lines(describe);
}

}  // namespace pycuda
