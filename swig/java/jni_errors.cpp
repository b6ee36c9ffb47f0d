#include <exception>
#include <new>
#include <stdexcept>

#include "arena_memory.hpp"
#include "jni_support.hpp"
#include "program_places.hpp"
#include "pycuda/driver/loading.hpp"
#include "pycuda/errors/advice.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/memory/device_memory.hpp"
#include "threads/cleanup_thread.hpp"
#include "translation.hpp"

// Classes are looked up once, in JNI_OnLoad, where the class loader of org.pycuda is available: on a thread that native
// code attached, FindClass would ask the system class loader instead. References to classes of org.pycuda are weak: a
// strong one would keep their class loader, which in a server is an application's, alive forever.

namespace pycuda_java {
namespace {

struct ThrowableClass {
    jweak type = nullptr;
    jmethodID constructor = nullptr;
};

JavaVM* vm = nullptr;
ThrowableClass errors[7];  // by pycuda::ErrorClass
ThrowableClass linear_algebra;
jclass illegal_argument, index_out_of_bounds, out_of_memory;  // the JDK's
jweak cleanup, native_loader, kept_memory, kept_copies, virtual_threads;
jmethodID collect_garbage, cpu_library, release_memory, seal_copies, is_virtual;

jclass find_of_jdk(JNIEnv* env, const char* name) {
    jclass local = env->FindClass(name);
    return local ? static_cast<jclass>(env->NewGlobalRef(local)) : nullptr;
}

jweak find(JNIEnv* env, const char* name) {
    jclass local = env->FindClass(name);
    if (!local) return nullptr;
    jweak kept = env->NewWeakGlobalRef(local);
    env->DeleteLocalRef(local);
    return kept;
}

/// A local reference; null when the class loader of the class is gone.
jclass class_of(JNIEnv* env, jweak type) {
    return static_cast<jclass>(env->NewLocalRef(type));
}

jmethodID method_of(JNIEnv* env, jweak type, const char* name, const char* signature) {
    jclass local = type ? class_of(env, type) : nullptr;
    return local ? env->GetMethodID(local, name, signature) : nullptr;
}

jmethodID function_of(JNIEnv* env, jweak type, const char* name, const char* signature) {
    jclass local = type ? class_of(env, type) : nullptr;
    return local ? env->GetStaticMethodID(local, name, signature) : nullptr;
}

bool find_classes(JNIEnv* env) {
    // In the order of pycuda::ErrorClass.
    static constexpr const char* names[] = {"Error",       "LogicError",   "MemoryError",
                                            "LaunchError", "RuntimeError", "GraphUpdateError"};
    for (std::size_t i = 0; i < std::size(names); ++i) {
        errors[i].type = find(env, (std::string("org/pycuda/Driver$") + names[i]).c_str());
        errors[i].constructor = method_of(env, errors[i].type, "<init>", "(Ljava/lang/String;Ljava/lang/String;I)V");
        if (!errors[i].constructor) return false;
    }
    ThrowableClass& compile = errors[static_cast<int>(pycuda::ErrorClass::CompileError)];
    compile.type = find(env, "org/pycuda/Driver$CompileError");
    constexpr const char* text = "Ljava/lang/String;";
    const std::string signature = std::string("(") + text + text + text + text + "[" + text + ")V";
    if (!(compile.constructor = method_of(env, compile.type, "<init>", signature.c_str()))) return false;
    linear_algebra.type = find(env, "org/pycuda/LinAlg$LinAlgError");
    linear_algebra.constructor = method_of(env, linear_algebra.type, "<init>", "(Ljava/lang/String;)V");
    if (!linear_algebra.constructor) return false;
    illegal_argument = find_of_jdk(env, "java/lang/IllegalArgumentException");
    index_out_of_bounds = find_of_jdk(env, "java/lang/IndexOutOfBoundsException");
    out_of_memory = find_of_jdk(env, "java/lang/OutOfMemoryError");
    if (!illegal_argument || !index_out_of_bounds || !out_of_memory) return false;
    collect_garbage = function_of(env, cleanup = find(env, "org/pycuda/Cleanup"), "collectGarbage", "()V");
    if (!collect_garbage) return false;
    native_loader = find(env, "org/pycuda/NativeLoader");
    cpu_library = function_of(env, native_loader, "cpuLibrary", "()Ljava/lang/String;");
    if (!cpu_library) return false;
    release_memory = method_of(env, kept_memory = find(env, "org/pycuda/KeptMemory"), "release", "()V");
    seal_copies = method_of(env, kept_copies = find(env, "org/pycuda/KeptCopies"), "seal", "()V");
    if (!release_memory || !seal_copies) return false;
    is_virtual = function_of(env, virtual_threads = find(env, "org/pycuda/VirtualThreads"), "isCurrent", "()Z");
    return is_virtual != nullptr;
}

/// Checks that this library and the Java classes have the same version, because the interface between them is private.
/// If not, false with an error pending.
bool fits_the_jar(JNIEnv* env) {
    jclass constants = env->FindClass("org/pycuda/DriverConstants");
    jfieldID field = constants ? env->GetStaticFieldID(constants, "LIBRARY_VERSION", "Ljava/lang/String;") : nullptr;
    if (!field) return false;
    const std::string jar = from_java(env, static_cast<jstring>(env->GetStaticObjectField(constants, field)));
    if (jar == PYCUDA_VERSION) return true;
    if (jclass error = env->FindClass("java/lang/UnsatisfiedLinkError"))
        env->ThrowNew(error, ("pycuda.jar is version " + jar +
                              ", but its native library is version " PYCUDA_VERSION "; use the two jars of one version")
                                 .c_str());
    return false;
}

void throw_error(JNIEnv* env, pycuda::ErrorClass error_class, const char* message, const std::string& routine,
                 int code) {
    const ThrowableClass& target = errors[static_cast<int>(error_class)];
    jstring message_text = to_java(env, message);
    jstring routine_text = message_text ? to_java(env, routine) : nullptr;
    if (!routine_text) return;
    if (jobject error =
            env->NewObject(class_of(env, target.type), target.constructor, message_text, routine_text, code))
        env->Throw(static_cast<jthrowable>(error));
}

void throw_compile_error(JNIEnv* env, const pycuda::CompileError& error) {
    jobjectArray command_line = to_java(env, error.command_line());
    if (!command_line) return;
    jstring texts[4] = {};
    const std::string_view sources[] = {error.what(), error.msg(), error.stdout_text(), error.stderr_text()};
    for (int i = 0; i < 4; ++i)
        if (!(texts[i] = to_java(env, sources[i]))) return;
    const ThrowableClass& target = errors[static_cast<int>(pycuda::ErrorClass::CompileError)];
    if (jobject throwable = env->NewObject(class_of(env, target.type), target.constructor, texts[0], texts[1], texts[2],
                                           texts[3], command_line))
        env->Throw(static_cast<jthrowable>(throwable));
}

void throw_text(JNIEnv* env, jclass type, const char* message) noexcept {
    env->ThrowNew(type, message);
}

/// Through to_java, because the text may quote the caller's.
void throw_copied_text(JNIEnv* env, jclass type, const char* message) {
    jstring text = to_java(env, message);
    jmethodID constructor = text ? env->GetMethodID(type, "<init>", "(Ljava/lang/String;)V") : nullptr;
    jobject throwable = constructor ? env->NewObject(type, constructor, text) : nullptr;
    if (throwable) env->Throw(static_cast<jthrowable>(throwable));
}

void throw_linear_algebra(JNIEnv* env, const char* message) {
    jstring text = to_java(env, message);
    jclass type = text ? class_of(env, linear_algebra.type) : nullptr;
    jobject error = type ? env->NewObject(type, linear_algebra.constructor, text) : nullptr;
    if (error) env->Throw(static_cast<jthrowable>(error));
}

/// The message for a virtual thread, which cannot make a context current.
constexpr const char* not_current = "current on this thread";
constexpr const char* advice_on_virtual_threads =
    "on a virtual thread give the work to Context.run, or to Context.executor";
// Advice that holds for other threads.
constexpr const char* advice_to_make_one =
    "call Autoinit.init(), or make a context with Device.makeContext(), or push one";
constexpr const char* advice_to_push_one =
    "open a scope with Context.pushed() in this thread before CUDA is used, or call Autoinit.init() in it";

std::string on_virtual_thread(std::string text) {
    for (const std::string_view other : {advice_to_make_one, advice_to_push_one})
        if (const auto begin = text.find(other); begin != std::string::npos)
            return text.replace(begin, other.size(), advice_on_virtual_threads);
    return text + "; " + advice_on_virtual_threads;
}

std::string text_of(JNIEnv* env, const pycuda::Error& error) {
    std::string text = error.what();
    if (text.find(not_current) == std::string::npos) return text;
    jclass type = class_of(env, virtual_threads);
    if (!type) return text;
    const bool here = env->CallStaticBooleanMethod(type, is_virtual);
    if (env->ExceptionCheck()) env->ExceptionClear();  // no memory
    return here ? on_virtual_thread(std::move(text)) : text;
}

struct Java {
    JNIEnv* env;
    void compile_error(const pycuda::CompileError& e) const { throw_compile_error(env, e); }
    void error(const pycuda::Error& e) const {
        throw_error(env, e.error_class(), text_of(env, e).c_str(), e.routine(), e.code());
    }
    void linear_algebra(const char* text) const { throw_linear_algebra(env, text); }
    void wrong_type(const char* text) const { throw_copied_text(env, illegal_argument, text); }
    void wrong_value(const char* text) const { throw_copied_text(env, illegal_argument, text); }
    void out_of_range(const char* text) const { throw_copied_text(env, index_out_of_bounds, text); }
    void no_memory() const { throw_text(env, out_of_memory, "native memory"); }
    void other(const char* text) const { throw_error(env, pycuda::ErrorClass::RuntimeError, text, "", 0); }
};

/// The core's hook for device memory that garbage still holds: the JVM does not know of that memory, so it would not
/// collect.
void collect_device_memory() {
    JNIEnv* env = nullptr;
    if (!vm || vm->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_1_8) != JNI_OK) return;
    jclass type = class_of(env, cleanup);
    if (!type) return;
    env->CallStaticVoidMethod(type, collect_garbage);
    if (env->ExceptionCheck()) env->ExceptionClear();
    env->DeleteLocalRef(type);
}

/// The path that the jar's libpycuda_cpu was unpacked to; it is unpacked when the CPU device is needed.
std::string find_cpu_library() {
    JNIEnv* env = nullptr;
    if (vm->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_1_8) != JNI_OK) return "this thread does not run Java";
    jclass type = class_of(env, native_loader);
    if (!type) return "the class loader of org.pycuda is gone";
    auto path = static_cast<jstring>(env->CallStaticObjectMethod(type, cpu_library));
    if (!env->ExceptionCheck()) return from_java(env, path);
    env->ExceptionClear();
    return "the JVM has no memory left";
}

}  // namespace

/// The frame of this function is what pins a virtual thread.
extern "C" JNIEXPORT jobject JNICALL Java_org_pycuda_VirtualThreads_callPinned(JNIEnv* env, jclass, jobject work) {
    jclass type = env->FindClass("org/pycuda/Context$Work");  // of its class, a native image may not know the method
    jmethodID call = type ? env->GetMethodID(type, "call", "()Ljava/lang/Object;") : nullptr;
    return call ? env->CallObjectMethod(work, call) : nullptr;
}

extern "C" JNIEXPORT void JNICALL Java_org_pycuda_NativeLoader_lendCpuLibrary(JNIEnv*, jclass) {
    pycuda::set_cpu_library_source(find_cpu_library);
}

void release_kept_memory(JNIEnv* env, jobject kept) noexcept {
    const PendingException set_aside(env);
    jclass type = class_of(env, kept_memory);
    // Out of memory: release itself throws nothing.
    if (type && env->IsInstanceOf(kept, type)) env->CallVoidMethod(kept, release_memory);
    if (type) env->DeleteLocalRef(type);
}

void seal_kept_copies(JNIEnv* env, jobject copies) noexcept {
    const PendingException set_aside(env);
    env->CallVoidMethod(copies, seal_copies);
}

void throw_illegal_argument(JNIEnv* env, const char* message) noexcept {
    if (!env->ExceptionCheck()) throw_text(env, illegal_argument, message);
}

void translate_exception(JNIEnv* env) noexcept {
    if (env->ExceptionCheck()) return;
    try {
        pycuda::bindings::translate_current_exception(Java{env});
    } catch (...) {
        // Reached only if the translation itself throws std::bad_alloc.
        if (!env->ExceptionCheck()) throw_text(env, out_of_memory, "native memory");
    }
}

}  // namespace pycuda_java

extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* java_vm, void*) {
    JNIEnv* env = nullptr;
    if (java_vm->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_1_8) != JNI_OK) return JNI_ERR;
    if (!pycuda_java::fits_the_jar(env) || !pycuda_java::find_classes(env)) return JNI_ERR;
    pycuda_java::find_arena_classes(env);
    if (!pycuda_java::start_cleanup_thread(java_vm, env)) return JNI_ERR;
    pycuda_java::vm = java_vm;
    pycuda_java::connect_places(java_vm);
    pycuda::set_out_of_memory_hook(pycuda_java::collect_device_memory);
    pycuda::set_advice(
        {"call Autoinit.init(), or Driver.init() and make a context", pycuda_java::advice_to_make_one,
         pycuda_java::advice_to_push_one, "start another JVM instead",
         "Install NVIDIA's CUDA toolkit and set CUDA_HOME to its folder, or put the folder of its libraries "
         "(libnvrtc.so) on java.library.path.",
         "call noExternC() of SourceModule.Options", "name its folder with includeDirs of SourceModule.Options",
         nullptr});
    return JNI_VERSION_1_8;
}
