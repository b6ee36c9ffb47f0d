// What sanitizers find in the code of others, and what they must leave to the tests. They look for these functions in
// the executable.
extern "C" {
__attribute__((visibility("default"))) const char* __lsan_default_suppressions();
__attribute__((visibility("default"))) const char* __tsan_default_suppressions();
__attribute__((visibility("default"))) const char* __asan_default_options();
__attribute__((visibility("default"))) const char* __tsan_default_options();
}

// CUDA's driver, which nvJitLink starts too.
const char* __lsan_default_suppressions() {
    return "leak:libcuda.so\n";
}

// As in thread_sanitizer.supp.
const char* __tsan_default_suppressions() {
    return "race:_dl_deallocate_tls\n";
}

// Tests ask for more memory than there is, and expect an error for it.
const char* __asan_default_options() {
    return "allocator_may_return_null=1";
}

const char* __tsan_default_options() {
    return "allocator_may_return_null=1";
}
