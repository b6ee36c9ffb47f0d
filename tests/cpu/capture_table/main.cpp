// What the CUDA driver answers to each call while a stream is captured, whether the capture survives it, and what the
// driver says of memory that belongs to a graph. `capture_table` prints it. `capture_table EXPECTED [CPU]` prints what
// differs from one file, in which another one replaces lines if the driver is the CPU device.
//
// A row is a call. A column is the MODE of the capture (g, t, r: global, thread_local, relaxed), the THREAD that makes
// the call (s, o: the one that captures, another one), the mode of that thread (g, t, r), and the KIND of the captured
// stream (n, b: non-blocking, blocking).
// A cell is RESULT[+NODES]END[~SYNC]: the call's result, how many nodes it added, whether the capture was still valid
// (`.` valid, `!` CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, `!N` another error, `-` not asked), and the result of waiting
// for the context afterwards unless that is 0. `prepN`: the cell could not be prepared. `crash@STEP`, `hang@STEP`: the
// process ended, or had to be ended. A cell like the one before it is `"`.
#include <poll.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <thread>

#include "capture_table/row.hpp"

std::vector<Row>& rows() {
    static std::vector<Row> all;
    return all;
}
std::vector<Scenario>& scenarios() {
    static std::vector<Scenario> all;
    return all;
}

namespace {

constexpr int columns = 36;
constexpr CUstreamCaptureMode modes[] = {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                                         CU_STREAM_CAPTURE_MODE_RELAXED};

struct Column {
    int mode, thread, thread_mode, kind;
    explicit Column(int number)
        : mode(number / 12 % 3), thread(number / 6 % 2), thread_mode(number / 2 % 3), kind(number % 2) {}
    std::string name() const { return {"gtr"[mode], "so"[thread], "gtr"[thread_mode], "nb"[kind]}; }
};

int cells() {
    return static_cast<int>(rows().size()) * columns + static_cast<int>(scenarios().size());
}
const Row* row_of(int cell) {
    const auto at = static_cast<std::size_t>(cell / columns);
    return at < rows().size() ? &rows()[at] : nullptr;
}
const Scenario& scenario_of(int cell) {
    return scenarios()[static_cast<std::size_t>(cell) - rows().size() * columns];
}
bool is_left_out(int cell) {
    const Row* const row = row_of(cell);
    const Column column(cell % columns);
    return row && (row->flags & HEAVY) && (column.kind || column.thread_mode);
}
int next(int cell) {
    while (cell < cells() && is_left_out(cell)) ++cell;
    return cell;
}

// ---- in the process that runs cells

volatile int* step = nullptr;  ///< shared with the process that waits
std::string line;

struct Job {
    sem_t go, done;
    const Row* row;
    CUstreamCaptureMode mode;
    CUresult result;
} job;

CUresult call_in_mode(const Row& row, CUstreamCaptureMode mode) {
    cuThreadExchangeStreamCaptureMode(&mode);
    const CUresult result = row.call();
    cuThreadExchangeStreamCaptureMode(&mode);
    return result;
}

[[noreturn]] void other_thread() {
    cuCtxSetCurrent(w->context);
    for (;;) {
        sem_wait(&job.go);
        job.result = call_in_mode(*job.row, job.mode);
        sem_post(&job.done);
    }
}

CUresult call(const Row& row, const Column& column) {
    const CUstreamCaptureMode mode = modes[column.thread_mode];
    if (column.thread == 0) return call_in_mode(row, mode);
    job.row = &row;
    job.mode = mode;
    sem_post(&job.go);
    sem_wait(&job.done);
    return job.result;
}

std::size_t nodes_of(CUgraph graph) {
    std::size_t count = 0;
    cuGraphGetNodes(graph, nullptr, &count);
    return count;
}

/// The number of nodes at the beginning.
std::size_t begin_capture(const Row& row, const Column& column) {
    check(cuStreamBeginCapture(w->captured, modes[column.mode]));
    check(cuMemsetD8Async(w->plain, 1, 16, w->captured));
    check(cuEventRecord(w->in_capture, w->captured));
    row.in_capture();
    CUgraph graph = nullptr;
    CUstreamCaptureStatus status{};
    check(cuStreamGetCaptureInfo(w->captured, &status, nullptr, &graph, nullptr, nullptr, nullptr));
    return nodes_of(graph);
}

void end_capture(std::size_t before) {
    CUgraph graph = nullptr;
    const CUresult end = cuStreamEndCapture(w->captured, &graph);
    if (!end && nodes_of(graph) != before) line += "+" + std::to_string(nodes_of(graph) - before);
    line += end == CUDA_SUCCESS ? "." : end == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED ? "!" : "!" + std::to_string(end);
    *step = 4;
    if (graph) cuGraphDestroy(graph);
    *step = 5;
    cuStreamSynchronize(w->captured);
}

/// True if this process is no longer fit for the next cell.
bool run(const Row& row, const Column& column) {
    *step = 0;
    make_streams(column.kind != 0);
    row.prepare();
    check(synchronize());
    *step = 1;
    const std::size_t before = w->prepared ? 0 : begin_capture(row, column);
    if (w->prepared) {
        line = "prep" + std::to_string(w->prepared);
        return true;
    }
    *step = 2;
    line = std::to_string(call(row, column));
    *step = 3;
    const bool ends = (row.flags & NO_END) == 0;
    if (ends)
        end_capture(before);
    else
        line += "-";
    if (row.flags & RESTART) return true;
    if (const CUresult waited = synchronize()) {
        line += "~" + std::to_string(waited);
        return true;
    }
    *step = 6;
    row.after();
    *step = 7;
    drop_streams(ends);
    return synchronize() != CUDA_SUCCESS;
}

bool run(const Scenario& scenario) {
    *step = 0;
    make_streams(false);
    scenario.run();
    return true;
}

/// Runs cells and writes their texts to `pipe`, each with its number and its length.
[[noreturn]] void run_from(int cell, int pipe) {
    start_world();
    sem_init(&job.go, 0, 0);
    sem_init(&job.done, 0, 0);
    std::thread(other_thread).detach();
    for (bool ends = false; !ends && cell < cells(); cell = next(cell + 1)) {
        line.clear();
        const Row* const row = row_of(cell);
        ends = row ? run(*row, Column(cell % columns)) : run(scenario_of(cell));
        const std::string reply = std::to_string(cell) + " " + line + "\n";
        if (write(pipe, reply.data(), reply.size()) != static_cast<ssize_t>(reply.size())) break;
    }
    std::_Exit(0);
}

// ---- in the process that waits

/// Reads replies until the other process ends or stops. Returns what the cell after the last reply ended with, if any.
std::string read_replies(int pipe, pid_t process, int& cell, std::map<int, std::string>& texts) {
    std::string pending;
    char buffer[4096];
    for (;;) {
        pollfd wait{pipe, POLLIN, 0};
        const bool hangs = poll(&wait, 1, 20000) == 0;
        if (hangs) kill(process, SIGKILL);
        const ssize_t count = hangs ? 0 : read(pipe, buffer, sizeof buffer);
        if (count > 0) {
            pending.append(buffer, static_cast<std::size_t>(count));
            for (std::size_t end; (end = pending.find('\n')) != pending.npos; pending.erase(0, end + 1)) {
                const std::size_t space = pending.find(' ');
                cell = std::stoi(pending);
                texts[cell] = pending.substr(space + 1, end - space - 1);
                cell = next(cell + 1);
            }
            continue;
        }
        int status = 0;
        waitpid(process, &status, 0);
        if (hangs) return "hang@" + std::to_string(*step);
        return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "" : "crash@" + std::to_string(*step);
    }
}

std::map<int, std::string> run_all() {
    std::map<int, std::string> texts;
    for (int cell = next(0); cell < cells();) {
        int ends[2];
        if (pipe(ends)) std::abort();
        const pid_t process = fork();
        if (process == 0) {
            close(ends[0]);
            run_from(cell, ends[1]);
        }
        close(ends[1]);
        const std::string failure = read_replies(ends[0], process, cell, texts);
        close(ends[0]);
        if (failure.empty() || cell >= cells()) continue;
        texts[cell] = failure;
        cell = next(cell + 1);
    }
    return texts;
}

using Lines = std::map<std::string, std::string>;

Lines lines_of(const std::map<int, std::string>& texts) {
    Lines lines;
    for (int column = 0; column < columns; ++column) lines["columns"] += " " + Column(column).name();
    const auto text_of = [&](int cell) {
        const auto found = texts.find(cell);
        return found == texts.end() ? std::string("_") : found->second;
    };
    int cell = 0;
    for (const Row& row : rows()) {
        std::string last;
        for (int column = 0; column < columns; ++column) {
            const std::string text = text_of(cell++);
            lines[row.name] += " " + (text == last ? "\"" : text);
            last = text;
        }
    }
    for (const Scenario& scenario : scenarios()) lines[scenario.name] = text_of(cell++);
    return lines;
}

/// `NAME: TEXT`, except for lines that begin with #.
void read_lines(const char* file_name, Lines& lines) {
    std::ifstream file(file_name);
    for (std::string read; std::getline(file, read);)
        if (const std::size_t colon = read.rfind(": "); read[0] != '#' && colon != read.npos)
            lines[read.substr(0, colon)] = read.substr(colon + 1);
}

bool is_cpu_device() {
    const char* const driver = std::getenv("PYCUDA_DRIVER");
    return !driver || std::string(driver) != "cuda";
}

}  // namespace

void say(const char* label, int result) {
    *step = *step + 1;
    line += " " + std::string(label) + "=" + std::to_string(result);
}

int main(int argc, char** argv) {
    step = static_cast<volatile int*>(
        mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    const Lines lines = lines_of(run_all());
    Lines expected;
    if (argc > 1) read_lines(argv[1], expected);
    if (argc > 2 && is_cpu_device()) read_lines(argv[2], expected);
    int different = 0;
    for (const auto& [name, text] : lines) {
        const auto found = expected.find(name);
        const std::string was = found == expected.end() ? " nothing" : found->second;
        if (argc == 1)
            std::printf("%s:%s\n", name.c_str(), text.c_str());
        else if (text != was && ++different)
            std::printf("%s\n  expected%s\n  but    %s\n", name.c_str(), was.c_str(), text.c_str());
    }
    return different == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
