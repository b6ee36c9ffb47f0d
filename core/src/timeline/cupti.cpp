#include "timeline/cupti.hpp"

#include <map>
#include <mutex>

#include "platform/libraries.hpp"
#include "toolchain/toolchain_search.hpp"

namespace pycuda {
namespace {

/// The version as people know it; empty if the layouts of its records are unknown. Versions before 13.0 are numbered
/// one by one: 11.8, 12.0 and 12.1 all call themselves 18, although NVIDIA's header lists 12.0 as 19.
std::string known_cupti_version(std::uint32_t number) {
    if (number == 18) return "11.8 to 12.1";
    if (number >= 19 && number <= 28) return "12";
    if (number >= 130000 && number < 130600)
        return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100);
    return {};
}

void* load_cupti(const std::string& path, std::string& why) {
    if (!path.empty()) return load_library(path, &why);
    if (const std::string found = find_library_anywhere("cupti"); !found.empty()) return load_library(found, &why);
    for (const int version : {13, 12})
        if (void* const library = load_library(library_file("cupti", version))) return library;
    why = "not found";
    return nullptr;
}

bool resolve_cupti(void* library, Cupti& cupti, std::string& why) {
    const auto find = [&]<class Pointer>(const char* name, Pointer& function) {
        function = reinterpret_cast<Pointer>(library_symbol(library, name));
        if (!function) why = std::string("it does not have the function ") + name;
    };
    find("cuptiGetVersion", cupti.get_version);
    find("cuptiSubscribe", cupti.subscribe);
    find("cuptiUnsubscribe", cupti.unsubscribe);
    find("cuptiActivityRegisterCallbacks", cupti.register_callbacks);
    find("cuptiActivityEnable", cupti.enable);
    find("cuptiActivityDisable", cupti.disable);
    find("cuptiActivityFlushAll", cupti.flush);
    find("cuptiActivityGetNextRecord", cupti.next_record);
    find("cuptiActivityGetNumDroppedRecords", cupti.dropped_records);
    find("cuptiGetTimestamp", cupti.timestamp);
    find("cuptiGetContextId", cupti.context_id);
    find("cuptiGetStreamIdEx", cupti.stream_id);
    return why.empty();
}

const Cupti* load_and_check_cupti(const std::string& path, std::string& why) {
    void* const library = load_cupti(path, why);
    Cupti cupti;
    if (!library || !resolve_cupti(library, cupti, why)) return nullptr;
    std::uint32_t number = 0;
    if (const int status = cupti.get_version(&number); status != cupti::success) {
        why = "cuptiGetVersion returned status " + std::to_string(status);
        return nullptr;
    }
    cupti.version = known_cupti_version(number);
    if (!cupti.version.empty()) return new Cupti(cupti);
    why = "unknown version " + std::to_string(number);
    return nullptr;
}

}  // namespace

const Cupti* open_cupti(const std::string& path, std::string& why) {
    static auto* mutex = new std::mutex;
    static auto* opened = new std::map<std::string, const Cupti*>;
    const std::lock_guard lock(*mutex);
    const auto known = opened->find(path);
    if (known != opened->end()) return known->second;
    const Cupti* const cupti = load_and_check_cupti(path, why);
    if (cupti) opened->emplace(path, cupti);
    return cupti;
}

}  // namespace pycuda
