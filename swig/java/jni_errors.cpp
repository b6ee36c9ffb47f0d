#include <exception>
#include <new>
#include <stdexcept>

#include "jni_support.hpp"
#include "pycuda/device_memory.hpp"
#include "pycuda/driver.hpp"
#include "pycuda/error.hpp"
#include "translation.hpp"

// Classes are looked up once, in JNI_OnLoad, where the class loader of org.pycuda is at hand: on a thread that native
// code attached, FindClass would ask the system class loader instead.

namespace pycuda_java {
namespace {

struct ThrowableClass {
    jclass type = nullptr;
    jmethodID constructor = nullptr;
};

JavaVM* vm = nullptr;
ThrowableClass errors[6];  // by pycuda::ErrorClass
jclass illegal_argument, index_out_of_bounds, out_of_memory, cleanup, native_loader;
jmethodID collect_garbage, cpu_library;

jclass find(JNIEnv* env, const char* name) {
    jclass local = env->FindClass(name);
    if (!local) return nullptr;
    auto global = static_cast<jclass>(env->NewGlobalRef(local));
    env->DeleteLocalRef(local);
    return global;
}

bool find_classes(JNIEnv* env) {
    // In the order of pycuda::ErrorClass.
    static constexpr const char* names[] = {"Error", "LogicError", "MemoryError", "LaunchError", "RuntimeError"};
    for (std::size_t i = 0; i < std::size(names); ++i) {
        errors[i].type = find(env, (std::string("org/pycuda/Driver$") + names[i]).c_str());
        if (!errors[i].type) return false;
        errors[i].constructor = env->GetMethodID(errors[i].type, "<init>", "(Ljava/lang/String;Ljava/lang/String;I)V");
        if (!errors[i].constructor) return false;
    }
    ThrowableClass& compile = errors[static_cast<int>(pycuda::ErrorClass::CompileError)];
    if (!(compile.type = find(env, "org/pycuda/Driver$CompileError"))) return false;
    constexpr const char* text = "Ljava/lang/String;";
    const std::string signature = std::string("(") + text + text + text + text + "[" + text + ")V";
    if (!(compile.constructor = env->GetMethodID(compile.type, "<init>", signature.c_str()))) return false;
    illegal_argument = find(env, "java/lang/IllegalArgumentException");
    index_out_of_bounds = find(env, "java/lang/IndexOutOfBoundsException");
    out_of_memory = find(env, "java/lang/OutOfMemoryError");
    cleanup = find(env, "org/pycuda/Cleanup");
    native_loader = find(env, "org/pycuda/NativeLoader");
    if (!illegal_argument || !index_out_of_bounds || !out_of_memory || !cleanup || !native_loader) return false;
    collect_garbage = env->GetStaticMethodID(cleanup, "collectGarbage", "()V");
    cpu_library =
        collect_garbage ? env->GetStaticMethodID(native_loader, "cpuLibrary", "()Ljava/lang/String;") : nullptr;
    return cpu_library != nullptr;
}

/// This library and the Java classes are of one version: what is between them is private. False, with an error pending,
/// when they are not.
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
    if (jobject error = env->NewObject(target.type, target.constructor, message_text, routine_text, code))
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
    if (jobject throwable =
            env->NewObject(target.type, target.constructor, texts[0], texts[1], texts[2], texts[3], command_line))
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

struct Java {
    JNIEnv* env;
    void compile_error(const pycuda::CompileError& e) const { throw_compile_error(env, e); }
    void error(const pycuda::Error& e) const { throw_error(env, e.error_class(), e.what(), e.routine(), e.code()); }
    void wrong_type(const char* text) const { throw_copied_text(env, illegal_argument, text); }
    void wrong_value(const char* text) const { throw_copied_text(env, illegal_argument, text); }
    void out_of_range(const char* text) const { throw_copied_text(env, index_out_of_bounds, text); }
    void no_memory() const { throw_text(env, out_of_memory, "native memory"); }
    void other(const char* text) const { throw_error(env, pycuda::ErrorClass::RuntimeError, text, "", 0); }
};

/// The core's hook for device memory that garbage still holds: the JVM does not see it, so it would not collect.
void collect_device_memory() {
    JNIEnv* env = nullptr;
    if (!vm || vm->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_1_8) != JNI_OK) return;
    env->CallStaticVoidMethod(cleanup, collect_garbage);
    if (env->ExceptionCheck()) env->ExceptionClear();
}

/// Where the jar's libpycuda_cpu was unpacked to, when the CPU device is needed.
std::string find_cpu_library() {
    JNIEnv* env = nullptr;
    if (vm->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_1_8) != JNI_OK) return "this thread does not run Java";
    auto path = static_cast<jstring>(env->CallStaticObjectMethod(native_loader, cpu_library));
    if (path) return from_java(env, path);
    env->ExceptionClear();
    return "the JVM has no memory left";
}

}  // namespace

extern "C" JNIEXPORT void JNICALL Java_org_pycuda_NativeLoader_lendCpuLibrary(JNIEnv*, jclass) {
    pycuda::set_cpu_library_source(find_cpu_library);
}

void throw_illegal_argument(JNIEnv* env, const char* message) noexcept {
    if (!env->ExceptionCheck()) throw_text(env, illegal_argument, message);
}

void translate_exception(JNIEnv* env) noexcept {
    if (env->ExceptionCheck()) return;
    try {
        pycuda::bindings::translate_current_exception(Java{env});
    } catch (...) {
        // Only a std::bad_alloc of the translation itself comes here.
        if (!env->ExceptionCheck()) throw_text(env, out_of_memory, "native memory");
    }
}

}  // namespace pycuda_java

extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* java_vm, void*) {
    JNIEnv* env = nullptr;
    if (java_vm->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_1_8) != JNI_OK) return JNI_ERR;
    if (!pycuda_java::fits_the_jar(env) || !pycuda_java::find_classes(env)) return JNI_ERR;
    pycuda_java::vm = java_vm;
    pycuda::set_out_of_memory_hook(pycuda_java::collect_device_memory);
    pycuda::set_advice(
        {"call Autoinit.init(), or Driver.init() and make a context",
         "call Autoinit.init(), or make a context with Device.makeContext(), or push one",
         "open a scope with Context.pushed() in this thread before CUDA is used, or call Autoinit.init() "
         "in it",
         "start another JVM instead"});
    return JNI_VERSION_1_8;
}
