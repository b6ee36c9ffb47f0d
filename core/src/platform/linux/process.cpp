#include "platform/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "platform/environment.hpp"
#include "platform/files.hpp"
#include "platform/linux/in_folder.hpp"
#include "pycuda/errors/error.hpp"

extern char** environ;

namespace pycuda {

namespace {

class Pipe {
public:
    Pipe() {
        // Close-on-exec at once: a program that another thread starts meanwhile must not inherit the write end.
        if (pipe2(ends_, O_CLOEXEC) != 0)
            throw RuntimeError("compile", 0, std::string("pipe failed: ") + std::strerror(errno));
    }
    ~Pipe() {
        close_read();
        close_write();
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    int read_end() const { return ends_[0]; }
    int write_end() const { return ends_[1]; }
    void close_read() { close_end(ends_[0]); }
    void close_write() { close_end(ends_[1]); }

private:
    static void close_end(int& end) {
        if (end >= 0) close(end);
        end = -1;
    }
    int ends_[2] = {-1, -1};
};

struct SpawnActions {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    SpawnActions() {
        posix_spawn_file_actions_init(&actions);
        posix_spawnattr_init(&attributes);
    }
    ~SpawnActions() {
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
    }
    SpawnActions(const SpawnActions&) = delete;
    SpawnActions& operator=(const SpawnActions&) = delete;
};

pid_t spawn_process(const std::vector<std::string>& arguments, const std::string& folder, Pipe& out, Pipe& err) {
    SpawnActions spawn;
    // Before glibc 2.29 only a shell can change it.
    if (!folder.empty() && posix_spawn_file_actions_addchdir_np(&spawn.actions, folder.c_str()) != 0)
        return spawn_process(in_folder(arguments, folder), "", out, err);
    posix_spawn_file_actions_addopen(&spawn.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&spawn.actions, out.write_end(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&spawn.actions, err.write_end(), STDERR_FILENO);
    // Python ignores SIGPIPE, and the JVM blocks signals; the compiler must not inherit either.
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigmask(&spawn.attributes, &none);
    posix_spawnattr_setsigdefault(&spawn.attributes, &defaults);
    posix_spawnattr_setflags(&spawn.attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

    std::vector<char*> argv;
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    pid_t pid = 0;
    const int error = posix_spawn(&pid, argv[0], &spawn.actions, &spawn.attributes, argv.data(), environ);
    if (error != 0) throw RuntimeError("compile", 0, "cannot start " + arguments[0] + ": " + std::strerror(error));
    return pid;
}

/// A program that was started, until it has ended.
class Child {
public:
    explicit Child(pid_t pid) : pid_(pid) {}

    /// True if it has ended, or if its state is no longer known.
    bool has_ended() { return ended_ || wait(WNOHANG); }
    /// Wait for the end. Return the exit status, 128 + signal number, or 0 if the status is lost because the program
    /// ignores SIGCHLD, or waits for every child elsewhere. The caller then checks the output file.
    int status() {
        while (!ended_) wait(0);
        return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
    }

private:
    bool wait(int options) {
        const pid_t result = waitpid(pid_, &status_, options);
        return ended_ = result == pid_ || (result < 0 && errno != EINTR);
    }

    pid_t pid_;
    int status_ = 0;
    bool ended_ = false;
};

/// Read both pipes until both are closed, or until the child has ended and they are empty: its children may live on and
/// keep them open. Never throws for a read error: returns what was read so far.
void drain(Pipe& out, Pipe& err, Child& child, ProcessResult& result) {
    constexpr int look_again_ms = 100;
    int reads_left = 512;  // after the end: more than pipes can hold, in case a descendant keeps writing
    pollfd polled[2] = {{out.read_end(), POLLIN, 0}, {err.read_end(), POLLIN, 0}};
    std::string* texts[2] = {&result.stdout_text, &result.stderr_text};
    while (polled[0].fd >= 0 || polled[1].fd >= 0) {
        const bool ended = child.has_ended();
        const int ready = poll(polled, 2, ended ? 0 : look_again_ms);
        if (ready < 0 && errno == EINTR) continue;
        if (ready < 0 || (ended && (ready == 0 || --reads_left == 0))) return;
        for (int i = 0; i < 2; ++i) {
            if (polled[i].fd < 0 || polled[i].revents == 0) continue;
            char buffer[4096];
            const ssize_t n = read(polled[i].fd, buffer, sizeof buffer);
            if (n > 0)
                texts[i]->append(buffer, static_cast<std::size_t>(n));
            else if (n == 0 || errno != EINTR)
                polled[i].fd = -1;
            polled[i].revents = 0;
        }
    }
}

}  // namespace

std::string find_program(const std::string& name) {
    for (const std::string& folder : environment_folders("PATH"))
        if (std::string path = join_path(folder, name); is_executable(path)) return absolute_path(path);
    return {};
}

std::uint64_t process_id() noexcept {
    return static_cast<std::uint64_t>(getpid());
}

std::vector<std::string> in_folder(const std::vector<std::string>& arguments, const std::string& folder) {
    std::vector<std::string> command = {"/bin/sh", "-c", "cd \"$1\" && shift && exec \"$@\"", "sh", folder};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
}

ProcessResult run_process(const std::vector<std::string>& arguments, const std::string& folder) {
    Pipe out, err;
    Child child(spawn_process(arguments, folder, out, err));
    out.close_write();
    err.close_write();
    ProcessResult result;
    drain(out, err, child, result);
    result.status = child.status();
    return result;
}

}  // namespace pycuda
