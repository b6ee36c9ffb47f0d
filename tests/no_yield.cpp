// Loaded into CPython 3.13t by tests. That gives the processor away 40 times whenever a thread asks for an object's
// lock that it has itself, 18,000 times during `import numpy`; on a busy machine each time takes until all other
// programs have run. CPython 3.14 looks first.
extern "C" __attribute__((visibility("default"))) int sched_yield() {
    return 0;
}
