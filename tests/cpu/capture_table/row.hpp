#pragma once

#include <functional>
#include <string>
#include <vector>

#include "capture_table/world.hpp"

/// One call of the table.
struct Row {
    std::string name;
    int flags = 0;
    std::function<void()> prepare;     ///< before the capture
    std::function<void()> in_capture;  ///< at its beginning
    std::function<void()> after;       ///< the capture
    std::function<CUresult()> call;
};
enum Flags {
    HEAVY = 1,   ///< slow: few columns
    NO_END = 2,  ///< the call ends the captured stream
    RESTART = 4  ///< the call ends the context
};

/// A sequence of calls outside a capture.
struct Scenario {
    std::string name;
    std::function<void()> run;
};

std::vector<Row>& rows();
std::vector<Scenario>& scenarios();
inline bool add(Row row) {
    rows().push_back(std::move(row));
    return true;
}
inline bool add(Scenario scenario) {
    scenarios().push_back(std::move(scenario));
    return true;
}

/// Adds the result of one call to the line of a scenario.
void say(const char* label, int result);

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define FULL(label, flags, prepare, in_capture, after, ...)       \
    [[maybe_unused]] static const bool CAT(added_, __COUNTER__) = \
        add(Row{label, flags, [] { prepare; }, [] { in_capture; }, [] { after; }, []() -> CUresult { __VA_ARGS__; }});
#define ROW(label, ...) FULL(label, 0, , , , return __VA_ARGS__)
#define ROW2(label, prepare, ...) FULL(label, 0, prepare, , , return __VA_ARGS__)
#define ROW3(label, prepare, after, ...) FULL(label, 0, prepare, , after, return __VA_ARGS__)
/// A call on each kind of stream.
#define ON_STREAMS(label, prepare, after, ...)                                                 \
    FULL(label "/captured", 0, prepare, , after, CUstream s = w->captured; return __VA_ARGS__) \
    FULL(label "/other", 0, prepare, , after, CUstream s = w->other; return __VA_ARGS__)       \
    FULL(label "/legacy", 0, prepare, , after, CUstream s = nullptr; return __VA_ARGS__)       \
    FULL(label "/per_thread", 0, prepare, , after, CUstream s = CU_STREAM_PER_THREAD; return __VA_ARGS__)
#define SCENARIO(label, ...) \
    [[maybe_unused]] static const bool CAT(added_, __COUNTER__) = add(Scenario{"memory " label, [] { __VA_ARGS__; }});
#define P(...) check(__VA_ARGS__)
#define SAY(label, ...) say(label, static_cast<int>(__VA_ARGS__))
