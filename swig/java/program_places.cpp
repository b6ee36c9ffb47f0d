#include "program_places.hpp"

#include <jvmti.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pycuda/observing/places.hpp"

namespace pycuda_java {
namespace {

constexpr pycuda::Place in_package = ~pycuda::Place{0};
constexpr jint frames_at_once = 5, deepest = 100;
constexpr std::size_t max_known = 4096;

JavaVM* places_vm = nullptr;

/// The JVM's tool interface, which walks the stack in half the time of a StackWalker, without Java code; null if the
/// JVM has none. Created when the first place is requested.
jvmtiEnv* tools() noexcept {
    static jvmtiEnv* const instance = []() -> jvmtiEnv* {
        jvmtiEnv* made = nullptr;
        if (places_vm->GetEnv(reinterpret_cast<void**>(&made), JVMTI_VERSION_1_2) != JNI_OK) return nullptr;
        jvmtiCapabilities wanted{};
        wanted.can_get_line_numbers = wanted.can_get_source_file_name = 1;
        return made->AddCapabilities(&wanted) == JVMTI_ERROR_NONE ? made : nullptr;
    }();
    return instance;
}

/// Memory of the tool interface.
template <class T>
struct Allocated {
    T* value = nullptr;
    ~Allocated() {
        if (value) tools()->Deallocate(reinterpret_cast<unsigned char*>(value));
    }
};

/// -1 if the class was compiled without line numbers.
int line_of(const jvmtiFrameInfo& frame) noexcept {
    Allocated<jvmtiLineNumberEntry> table;
    jint count = 0;
    if (tools()->GetLineNumberTable(frame.method, &count, &table.value) != JVMTI_ERROR_NONE) return -1;
    const std::vector<jvmtiLineNumberEntry> lines(table.value, table.value + count);
    int line = -1;
    jlocation best = -1;
    for (const jvmtiLineNumberEntry& entry : lines)
        if (entry.start_location <= frame.location && entry.start_location > best) {
            best = entry.start_location;
            line = entry.line_number;
        }
    return line;
}

/// Returns "com.example.Program.main(Program.java:12)".
pycuda::Place place_of_frame(JNIEnv* env, const jvmtiFrameInfo& frame) {
    jclass type = nullptr;
    if (tools()->GetMethodDeclaringClass(frame.method, &type) != JVMTI_ERROR_NONE) return 0;
    Allocated<char> signature, method, file;
    const bool known = tools()->GetClassSignature(type, &signature.value, nullptr) == JVMTI_ERROR_NONE &&
                       tools()->GetMethodName(frame.method, &method.value, nullptr, nullptr) == JVMTI_ERROR_NONE;
    if (known) static_cast<void>(tools()->GetSourceFileName(type, &file.value));
    env->DeleteLocalRef(type);
    if (!known) return 0;
    std::string name(signature.value + 1);  // without the L and the semicolon
    name.pop_back();
    for (const std::string_view own : {"org/pycuda/", "java/", "jdk/", "sun/"})
        if (name.starts_with(own)) return in_package;
    std::ranges::replace(name, '/', '.');
    const int line = line_of(frame);
    const std::string where = file.value ? file.value + (line < 0 ? "" : ":" + std::to_string(line)) : "unknown source";
    return pycuda::number_of_place(name + "." + method.value + "(" + where + ")");
}

/// Leaked: threads may call the driver while statics are destroyed.
struct KnownPlaces {
    std::mutex mutex;
    std::map<std::pair<jmethodID, jlocation>, pycuda::Place> places;
};

pycuda::Place find_place(JNIEnv* env, const jvmtiFrameInfo& frame) noexcept try {
    static auto* const known = new KnownPlaces;
    const std::pair here(frame.method, frame.location);
    {
        const std::lock_guard lock(known->mutex);
        if (const auto found = known->places.find(here); found != known->places.end()) return found->second;
    }
    const pycuda::Place place = place_of_frame(env, frame);
    const std::lock_guard lock(known->mutex);
    if (known->places.size() < max_known) known->places.try_emplace(here, place);
    return place;
} catch (const std::bad_alloc&) {
    return 0;
}

pycuda::Place place_of_program() noexcept {
    JNIEnv* env = nullptr;
    if (places_vm->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_1_8) != JNI_OK || !tools()) return 0;
    jvmtiFrameInfo frames[frames_at_once];
    for (jint start = 0, count = 0; start < deepest; start += count) {
        if (tools()->GetStackTrace(nullptr, start, frames_at_once, frames, &count) != JVMTI_ERROR_NONE || count == 0)
            return 0;
        for (jint at = 0; at < count; ++at)
            if (const pycuda::Place place = find_place(env, frames[at]); place != in_package) return place;
    }
    return 0;
}

}  // namespace

void connect_places(JavaVM* vm) noexcept {
    places_vm = vm;
    pycuda::set_place_source(place_of_program);
}

}  // namespace pycuda_java
