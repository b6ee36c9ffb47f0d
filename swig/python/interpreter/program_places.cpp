#include "interpreter/program_places.hpp"

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "lifetime.hpp"
#include "pycuda/observing/memory_report.hpp"

namespace pycuda::python {
namespace {

struct ReleasedAt {
    bool is_released = false;
    Place place = 0;
};
thread_local ReleasedAt released_at;

/// An instruction of the program. The code object is kept alive, so that no other one gets its address.
struct Instruction {
    PyObject* code;
    int at;
    bool operator==(const Instruction&) const = default;
};
struct HashInstruction {
    std::size_t operator()(const Instruction& of) const noexcept {
        return std::hash<PyObject*>()(of.code) + static_cast<std::size_t>(of.at) * 31;
    }
};

constexpr Place in_package = ~Place{0};
constexpr std::size_t max_known = 4096;

/// Leaked: threads may call the driver while statics are destroyed.
struct KnownPlaces {
    std::mutex mutex;
    std::unordered_map<Instruction, Place, HashInstruction> places;
};
KnownPlaces& known_places() {
    static auto* const instance = new KnownPlaces;
    return *instance;
}

/// New frame objects must not start a garbage collection, which would run code of the program under locks of the core.
/// Later versions collect between bytecodes.
class NoCollection {
public:
    NoCollection() noexcept : was_on_(collects_in_allocations && PyGC_Disable()) {}
    ~NoCollection() {
        if (was_on_) PyGC_Enable();
    }
    NoCollection(const NoCollection&) = delete;
    NoCollection& operator=(const NoCollection&) = delete;

private:
    static constexpr bool collects_in_allocations = PY_VERSION_HEX < 0x030C0000;
    const bool was_on_;
};

int instruction_of(PyFrameObject* frame) noexcept {
#if PY_VERSION_HEX >= 0x030B0000
    return PyFrame_GetLasti(frame);
#else
    return PyFrame_GetLineNumber(frame);
#endif
}

/// Where the package's modules are, with a separator at the end; empty before it is imported.
std::string package_folder() {
    PyObject* const package = PyDict_GetItemString(PyImport_GetModuleDict(), "pycuda");
    const Ref file(package ? PyObject_GetAttrString(package, "__file__") : nullptr);
    const char* const path = file ? PyUnicode_AsUTF8(file.get()) : nullptr;
    const std::string_view text = path ? path : "";
    return std::string(text.substr(0, text.find_last_of("/\\") + 1));
}

/// The import machinery's frames are not the program's either.
bool is_of_package(std::string_view file) {
    const std::string folder = package_folder();
    return file.starts_with("<frozen ") || (!folder.empty() && file.starts_with(folder));
}

/// Returns "program.py:12 in main".
Place place_of_frame(PyFrameObject* frame, PyObject* code) {
    const Ref file(PyObject_GetAttrString(code, "co_filename")), name(PyObject_GetAttrString(code, "co_name"));
    const char* const path = file ? PyUnicode_AsUTF8(file.get()) : nullptr;
    const char* const function = name ? PyUnicode_AsUTF8(name.get()) : nullptr;
    if (!path || !function) return 0;
    if (is_of_package(path)) return in_package;
    return number_of_place(path + (":" + std::to_string(PyFrame_GetLineNumber(frame))) + " in " + function);
}

Place find_place(PyFrameObject* frame) noexcept try {
    const Ref code(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
    const Instruction here{code.get(), instruction_of(frame)};
    KnownPlaces& known = known_places();
    {
        const std::lock_guard lock(known.mutex);
        if (const auto found = known.places.find(here); found != known.places.end()) return found->second;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    const Place place = place_of_frame(frame, code.get());
    PyErr_Restore(type, value, traceback);
    const std::lock_guard lock(known.mutex);
    if (known.places.size() < max_known && known.places.try_emplace(here, place).second) Py_INCREF(here.code);
    return place;
} catch (const std::bad_alloc&) {
    return 0;
}

Place innermost_place(PyThreadState* state) noexcept {
    const NoCollection off;
    for (PyFrameObject* frame = PyThreadState_GetFrame(state); frame;) {
        const Ref here(reinterpret_cast<PyObject*>(frame));
        if (const Place place = find_place(frame); place != in_package) return place;
        frame = PyFrame_GetBack(frame);
    }
    return 0;
}

}  // namespace

Place place_of_program() noexcept {
    if (released_at.is_released) return released_at.place;
    PyThreadState* const state = attached_state();
    return state ? innermost_place(state) : 0;
}

void note_place_of_release() noexcept {
    places_were_noted = true;
    PyThreadState* const state = attached_state();
    released_at = {true, state ? innermost_place(state) : 0};
}

void forget_place_of_release() noexcept {
    released_at.is_released = false;
}

PyObject* live_objects(bool recorded) {
    const std::vector<LiveObjects> rows = recorded ? recorded_allocations() : pycuda::live_objects();
    Ref list(PyList_New(0));
    for (const LiveObjects& row : rows) {
        const Ref tuple(list ? Py_BuildValue("(ssnn)", row.kind.c_str(), row.place.c_str(),
                                             static_cast<Py_ssize_t>(row.count), static_cast<Py_ssize_t>(row.bytes))
                             : nullptr);
        if (!tuple || PyList_Append(list.get(), tuple.get()) < 0) return nullptr;
    }
    return list.release();
}

}  // namespace pycuda::python
