// Package-private native methods for the hand-written Java code; addresses are numbers here.
%feature("java:methodmodifiers", " ");
%{
#include "arena_memory.hpp"
#include "threads/driver_function.hpp"
#include "threads/host_function.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "pycuda/handles/handle.hpp"
#include "pycuda/driver/loading.hpp"
#include "pycuda/streams/ordering.hpp"
#include "pycuda/observing/memory_report.hpp"
#include "pycuda/platform/files.hpp"
#include "pycuda/reports/report.hpp"
%}

%include "jit.i"

%typemap(jni) pycuda::JitLog *log "jobjectArray"
%typemap(jtype) pycuda::JitLog *log "String[]"
%typemap(jstype) pycuda::JitLog *log "String[]"
%typemap(javain) pycuda::JitLog *log "$javainput"
%typemap(in) pycuda::JitLog *log %{
    pycuda_java::JitLogWriter writer$argnum(jenv, $input);
    $1 = writer$argnum.log();
%}

%typemap(jni) jobject host_function "jobject"
%typemap(jtype) jobject host_function "HostFunction"
%typemap(jstype) jobject host_function "HostFunction"
%typemap(javain) jobject host_function "$javainput"
%typemap(in) jobject host_function "$1 = $input;"

%typemap(jni) jobject kept_copies "jobject"
%typemap(jtype) jobject kept_copies "KeptCopies"
%typemap(jstype) jobject kept_copies "KeptCopies"
%typemap(javain) jobject kept_copies "$javainput"
%typemap(in) jobject kept_copies "$1 = $input;"

%typemap(jni) jobject scope "jobject"
%typemap(jtype) jobject scope "Object"
%typemap(jstype) jobject scope "Object"
%typemap(javain) jobject scope "$javainput"
%typemap(in) jobject scope "$1 = $input;"
%typemap(jni) jobject driver_function "jobject"
%typemap(jtype) jobject driver_function "DriverFunction"
%typemap(jstype) jobject driver_function "DriverFunction"
%typemap(javain) jobject driver_function "$javainput"
%typemap(in) jobject driver_function "$1 = $input;"
namespace pycuda_java {
const void *plain_buffer_address(JNIEnv *jenv, jobject direct_buffer);
void acquire_scope(JNIEnv *jenv, jobject scope);
void release_scope(JNIEnv *jenv, jobject scope);
bool can_be_closed(JNIEnv *jenv, jobject scope);
}

%ignore pycuda_java::take_pooled(pycuda::Context&, std::size_t, const pycuda::Stream *);
%inline %{
namespace pycuda_java {
/// Queues it on the stream.
inline void add_host_function(JNIEnv *jenv, const pycuda::Stream& stream, jobject host_function) {
    stream.add_host_function(pycuda_java::host_function(jenv, host_function));
}
inline pycuda::DriverCallback on_over_budget(JNIEnv *jenv, const pycuda::Device& device, jobject driver_function) {
    const auto call = pycuda_java::driver_function(jenv, driver_function);
    return device.on_over_budget([call](std::uint64_t bytes) { call(static_cast<std::int64_t>(bytes), 0); });
}
inline pycuda::DriverCallback on_core_dump(JNIEnv *jenv, jobject driver_function, bool complete) {
    const auto call = pycuda_java::driver_function(jenv, driver_function);
    return complete ? pycuda::CoreDumps::on_complete(call) : pycuda::CoreDumps::on_start(call);
}
// Nodes of graphs. `header`: a LaunchHeader, and the arguments right after it.
inline pycuda::GraphNode add_kernel_node(std::shared_ptr<pycuda::Graph> graph, const pycuda::Function& function, const void *header,
                                         std::size_t nbytes, const std::vector<pycuda::GraphNode>& after) {
    const auto& given = *static_cast<const LaunchHeader *>(header);
    return with_attributes(given, [&](const pycuda::LaunchConfig& config) {
        return graph->add_kernel(function, config, &given + 1, nbytes, after);
    });
}
inline void replace_kernel(pycuda::GraphNode& node, const pycuda::Function& function, const void *header, std::size_t nbytes) {
    const auto& given = *static_cast<const LaunchHeader *>(header);
    with_attributes(given, [&](const pycuda::LaunchConfig& config) { node.update_kernel(function, config, &given + 1, nbytes); });
}
// `options`: dtype, interleave, swizzle, L2 promotion, fill. `copy`: a box; or corners, channels and pixels of im2col; or these and
// the mode of a wide map.
inline pycuda::TensorMap make_tensor_map(std::uint64_t address, const std::vector<jlong>& options, const std::vector<jlong>& shape,
                                         const std::vector<jlong>& strides, const std::vector<jlong>& steps, int kind,
                                         const std::vector<jlong>& copy) {
    const auto numbers = [](auto begin, auto end) { return std::vector<std::int64_t>(begin, end); };
    const auto all = [&](const std::vector<jlong>& given) { return numbers(given.begin(), given.end()); };
    const pycuda::TensorLayout tensor{.address = address,
                                      .dtype = static_cast<pycuda::TensorMapDataType>(options.at(0)),
                                      .shape = all(shape),
                                      .strides = all(strides),
                                      .element_steps = all(steps),
                                      .interleave = static_cast<pycuda::TensorMapInterleave>(options.at(1)),
                                      .swizzle = static_cast<pycuda::TensorMapSwizzle>(options.at(2)),
                                      .l2_promotion = static_cast<pycuda::TensorMapL2Promotion>(options.at(3)),
                                      .fill = static_cast<pycuda::TensorMapFill>(options.at(4))};
    if (kind == 0) return pycuda::TensorMap::tiled(tensor, all(copy));
    if (kind == 2)
        return pycuda::TensorMap::im2col_wide(tensor, copy.at(0), copy.at(1), copy.at(2), copy.at(3),
                                              static_cast<pycuda::TensorMapIm2colWideMode>(copy.at(4)));
    const auto lower_end = copy.begin() + kind - 10, end = copy.end() - 2;  // kind: 10 and the number of lower corners
    return pycuda::TensorMap::im2col(tensor, numbers(copy.begin(), lower_end), numbers(lower_end, end), end[0], end[1]);
}
inline pycuda::TensorMap move_tensor_map(const pycuda::TensorMap& map, std::uint64_t address) { return map.at_address(address); }
/// Its 128 bytes, and the tensor's address.
inline std::vector<jlong> tensor_map_words(const pycuda::TensorMap& map) {
    std::vector<jlong> words(std::begin(map.value().opaque), std::end(map.value().opaque));
    words.push_back(static_cast<jlong>(map.start()));
    return words;
}
inline std::vector<jint> kernel_node_layout(pycuda::ExecutableGraph& run, const pycuda::GraphNode& node) {
    return flat_layout(run.kernel_node(node).layout());
}
/// Identifies the layout, for update_kernel_node.
inline std::uint64_t kernel_node_layout_id(pycuda::ExecutableGraph& run, const pycuda::GraphNode& node) {
    return reinterpret_cast<std::uintptr_t>(&run.kernel_node(node).layout());
}
/// False if the arguments were packed for another layout than the present one's.
inline bool update_kernel_node(pycuda::ExecutableGraph& run, const pycuda::GraphNode& node, std::uint64_t layout, bool has_geometry,
                               const void *header, std::size_t nbytes) {
    const auto& given = *static_cast<const LaunchHeader *>(header);
    const pycuda::LaunchConfig config = plain_config(given, nullptr);
    auto& kernel = run.kernel_node(node);
    const auto *const known = reinterpret_cast<const pycuda::ParameterLayout *>(layout);
    const pycuda::ExecutableGraph::PackedArguments arguments{known, &given + 1, nbytes};
    return run.update_kernel(kernel, has_geometry ? &config : nullptr, &arguments);
}
/// Record that `stream`, or a node, is about to use memory that `owner` owns, which this library does not free.
inline void note_owner_of_graph(std::shared_ptr<void> owner, const pycuda::Stream *stream) {
    pycuda::note_owner_of_graph(pycuda::use_of(stream), nullptr, [&owner] { return owner; });
}
inline pycuda::GraphNode add_host_function_node(JNIEnv *jenv, std::shared_ptr<pycuda::Graph> graph, jobject host_function,
                                                const std::vector<pycuda::GraphNode>& after) {
    return graph->add_host_function(pycuda_java::host_function(jenv, host_function), after);
}
inline void update_host_function(JNIEnv *jenv, pycuda::GraphNode& node, jobject host_function) {
    node.update_host_function(pycuda_java::host_function(jenv, host_function));
}
inline void update_executable_host_function(JNIEnv *jenv, pycuda::ExecutableGraph& run, const pycuda::GraphNode& node, jobject host_function) {
    run.update_host_function(node, pycuda_java::host_function(jenv, host_function));
}
/// Record that `stream`, or a node, is about to use the memory at `address`.
inline void note_memory_of_graph(std::uint64_t address, const pycuda::Stream *stream) {
    pycuda::note_memory_of_graph(pycuda::use_of(stream), address);
}
inline void begin_stream_use(const pycuda::Stream& stream) { pycuda::gpuarray::begin_stream_use(stream); }
inline void follow_stream_in_use(const pycuda::Stream& stream) { pycuda::gpuarray::follow_stream_in_use(stream); }
/// Null is the default stream, whatever stream is in use.
inline void order_streams(const pycuda::Stream *later, const pycuda::Stream *earlier) { pycuda::order_streams(later, earlier); }
/// The handle of its context.
inline std::uint64_t context_of(const pycuda::Stream& stream) {
    return reinterpret_cast<std::uintptr_t>(stream.context()->handle());
}
inline void end_stream_use() { pycuda::gpuarray::end_stream_use(); }
/// The address of the number of open captures: 4 bytes, valid for the life of the process.
inline const void *open_captures_address() { return &pycuda::open_captures; }
/// The address of a direct buffer's memory, ignoring its position. 0 if it is not a direct buffer.
inline const void *buffer_address(JNIEnv *jenv, jobject direct_buffer) {
    return jenv->GetDirectBufferAddress(direct_buffer);
}
/// A big-endian view of memory owned elsewhere.
inline jobject new_direct_buffer(JNIEnv *jenv, void *address, std::size_t nbytes) {
    return jenv->NewDirectByteBuffer(address, static_cast<jlong>(nbytes));
}
/// `options`: pairs of JitOption and value. `log`: null, or two elements that get the information and the error text.
inline std::shared_ptr<pycuda::Module> module_from_buffer(const void *image, std::size_t nbytes,
                                                          const std::vector<pycuda::JitSetting>& options,
                                                          pycuda::JitLog *log) {
    return pycuda::Module::from_buffer(image, nbytes, options, log);
}
inline std::shared_ptr<pycuda::Library> library_from_buffer(const void *image, std::size_t nbytes,
                                                            const std::vector<pycuda::JitSetting>& options,
                                                            pycuda::JitLog *log) {
    return pycuda::Library::from_buffer(image, nbytes, options, log);
}
inline std::shared_ptr<pycuda::Library> library_from_file(const std::string& filename,
                                                          const std::vector<pycuda::JitSetting>& options,
                                                          pycuda::JitLog *log) {
    return pycuda::Library::from_file(filename, options, log);
}
/// Open a file and return a path that stays valid after its name is deleted, for the life of the process.
inline std::string open_file(const std::string& path) { return pycuda::keep_file_open(path); }
/// The most that a kernel takes, in bytes.
inline int max_parameter_bytes() { return static_cast<int>(pycuda::max_parameter_bytes); }
/// The number of live handles of a kind ("device allocation", ...), for tests.
inline std::int64_t live_handles(const std::string& what) { return pycuda::live_handles(what); }
/// Kind, place, number and bytes of live objects, one after another: of recorded allocations, or of all objects.
inline std::vector<std::string> live_objects(bool recorded) {
    std::vector<std::string> texts;
    for (const pycuda::LiveObjects& row : recorded ? pycuda::recorded_allocations() : pycuda::live_objects())
        texts.insert(texts.end(), {row.kind, row.place, std::to_string(row.count), std::to_string(row.bytes)});
    return texts;
}
inline void record_allocations(bool on) { pycuda::record_allocations(on); }
/// The facts for a bug report: a summary, everything as text and as JSON, and "ok" if a kernel was compiled and run.
inline std::vector<std::string> report(const std::string& language) {
    const pycuda::Report made = pycuda::report(language);
    return {made.summary, made.text, made.json, made.ok ? "ok" : ""};
}
/// The handle of the current context; 0 for none.
inline std::uint64_t current_context() {
    return reinterpret_cast<std::uintptr_t>(pycuda::Context::current_handle_or_null());
}
/// The address of the count of ended contexts: 8 bytes, valid for the life of the process.
inline const void *ended_contexts_address() { return &pycuda::ended_contexts(); }
/// Copy in the stream's order. True if `src` is page-locked: the caller must keep it until the stream has read it.
inline bool copy_in(std::uint64_t dest, const void *src, std::size_t nbytes, const pycuda::Stream& stream) {
    if (!pycuda::is_page_locked(src, nbytes)) {
        pycuda::staged_htod(dest, src, nbytes, stream);
        return false;
    }
    pycuda::memcpy_htod_async(dest, src, nbytes, &stream);
    return true;
}
/// Copy in the stream's order. The caller must keep `dest` until the stream has written it.
inline void copy_out(void *dest, std::size_t nbytes, std::uint64_t src, const pycuda::Stream& stream) {
    if (pycuda::is_page_locked(dest, nbytes))
        pycuda::memcpy_dtoh_async(dest, nbytes, src, &stream);
    else
        pycuda::staged_dtoh(dest, nbytes, src, stream, nullptr);
}
/// Keep the object until the stream has completed its present work; if necessary, wait for it. Null: the default
/// stream.
inline void keep_until_done(const pycuda::Stream *stream, std::shared_ptr<void> owner) {
    pycuda::keep_until_done(stream, std::move(owner));
}
/// The same for a KeptCopies, until the work queued before it is sealed has completed.
inline void keep_copies(JNIEnv *jenv, const pycuda::Stream& stream, jobject kept_copies) {
    pycuda::keep_until_done(stream, pycuda_java::keep_growing(jenv, kept_copies));
}

// Pooled memory without a Java object, as the address of a PooledDeviceAllocation, which give_pooled deletes.
inline std::uint64_t take_pooled(pycuda::Context& context, std::size_t nbytes, const pycuda::Stream *stream) {
    const auto pool = pycuda::default_device_pool(context);
    const pycuda::PoolBlock block = pool->take(nbytes, pycuda::use_of(stream));
    return reinterpret_cast<std::uintptr_t>(new pycuda::PooledDeviceAllocation(pool, block));
}
/// In the current context.
inline std::uint64_t take_pooled(std::size_t nbytes) { return take_pooled(*pycuda::Context::current(), nbytes, nullptr); }
/// In the function's context, for work on `stream`.
inline std::uint64_t take_pooled(const pycuda::Function& function, std::size_t nbytes, const pycuda::Stream *stream) {
    return take_pooled(*function.module()->context(), nbytes, stream);
}
/// For work on `stream`.
inline std::uint64_t pooled_address(std::uint64_t memory, const pycuda::Stream *stream) {
    return reinterpret_cast<pycuda::PooledDeviceAllocation *>(memory)->pointer_for(pycuda::use_of(stream));
}
inline void give_pooled(std::uint64_t memory) { delete reinterpret_cast<pycuda::PooledDeviceAllocation *>(memory); }
}  // namespace pycuda_java
%}

%include "loading.i"
