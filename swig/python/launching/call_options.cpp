#include "launching/call_options.hpp"

#include <stdexcept>

#include "exceptions.hpp"
#include "handle_types.hpp"
#include "interpreter/free_threading.hpp"
#include "launching/geometry.hpp"

namespace pycuda::python {
namespace {

// Interned, so that a keyword is usually found by its address.
constexpr const char* keyword_names[] = {"block",       "grid",        "stream",  "shared",    "texrefs",
                                         "time_kernel", "cooperative", "cluster", "attributes"};
PyObject* keywords[KeywordCount];

Keyword find_keyword(PyObject* name) {
    for (int k = 0; k < KeywordCount; ++k)
        if (keywords[k] == name) return static_cast<Keyword>(k);
    for (int k = 0; k < KeywordCount; ++k)
        if (PyUnicode_Compare(keywords[k], name) == 0) return static_cast<Keyword>(k);
    PyErr_Format(
        PyExc_ValueError,
        "a kernel call has no keyword argument '%U' (it takes block, grid, stream, shared, texrefs, time_kernel, "
        "cooperative, cluster and attributes)",
        name);
    throw PythonError{};
}

void read_attributes(const CallOptions& options, OptionalAttributes& attributes, LaunchConfig& config) {
    GivenAttributes& given = attributes.emplace();
    if (read_flag(options[Cooperative])) given.values.cooperative();
    if (options[Cluster] && options[Cluster] != Py_None) {
        unsigned cluster[3];
        read_extents(options[Cluster], "cluster", cluster);
        given.values.cluster(cluster[0], cluster[1], cluster[2]);
    }
    given.read(options[Attributes], config.stream);
    config.attributes = given.use();
}

}  // namespace

CallOptions read_options(PyObject* const* values, PyObject* kwnames) {
    CallOptions options;
    const Py_ssize_t count = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    for (Py_ssize_t i = 0; i < count; ++i) options.values[find_keyword(PyTuple_GET_ITEM(kwnames, i))] = values[i];
    return options;
}

bool read_flag(PyObject* value) {
    const int truth = value ? PyObject_IsTrue(value) : 0;
    if (truth < 0) throw PythonError{};
    return truth;
}

LaunchConfig read_config(const CallOptions& options, OptionalAttributes& attributes) {
    if (!options[Block]) throw std::invalid_argument("must specify block size: block=(x, y, z)");
    return read_config(options, attributes, {});
}

LaunchConfig read_config(const CallOptions& options, OptionalAttributes& attributes, LaunchConfig config) {
    if (options[Block]) read_extents(options[Block], "block", config.block);
    if (options[Grid]) read_extents(options[Grid], "grid", config.grid);
    if (options[Shared]) config.shared_bytes = read_shared_bytes(options[Shared]);
    config.stream = stream_handle_of(options[StreamArgument]);
    if (options[Cooperative] || options[Cluster] || options[Attributes]) [[unlikely]]
        read_attributes(options, attributes, config);
    return config;
}

CallOptions options_of_dict(PyObject* options) {
    CallOptions found;
    PyObject *key = nullptr, *value = nullptr;
    const ObjectLock lock(options);
    for (Py_ssize_t at = 0; PyDict_Next(options, &at, &key, &value);) found.values[find_keyword(key)] = value;
    return found;
}

int load_call_options() {
    for (int k = 0; k < KeywordCount; ++k)
        if (!(keywords[k] = PyUnicode_InternFromString(keyword_names[k]))) return -1;
    return 0;
}

}  // namespace pycuda::python
