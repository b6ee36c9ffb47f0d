// The line that tells a person at a terminal that a compile takes long.
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <regex>
#include <thread>

#include "compiler/slow_notice.hpp"
#include "compiler_fixture.hpp"

namespace pycuda::test {
namespace {

/// The text that a compile of `seconds` writes to stderr, which is a terminal or a pipe.
std::string shown(double seconds, bool terminal) {
    int reader, writer;
    if (terminal) {
        reader = posix_openpt(O_RDWR | O_NOCTTY);
        grantpt(reader);
        unlockpt(reader);
        writer = open(ptsname(reader), O_RDWR | O_NOCTTY);
    } else {
        int ends[2];
        if (pipe(ends) != 0) return "no pipe";
        reader = ends[0], writer = ends[1];
    }
    const pid_t child = fork();
    if (child == 0) {
        dup2(writer, STDERR_FILENO);
        {
            const SlowNotice notice("long.cu");
            std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
        }
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    std::string text;
    // Text written to a terminal arrives a moment later.
    for (pollfd ready{reader, POLLIN, 0}; poll(&ready, 1, 300) > 0 && (ready.revents & POLLIN);) {
        char buffer[1000];
        const ssize_t n = read(reader, buffer, sizeof buffer);
        if (n <= 0) break;
        text.append(buffer, static_cast<std::size_t>(n));
    }
    close(writer);
    close(reader);
    return text;
}

class SlowNoticeTest : public CompilerTest {
protected:
    SlowNoticeTest() { unset("PYCUDA_QUIET"); }
    void SetUp() override {
        const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
        if (terminal < 0) GTEST_SKIP() << "this system has no pseudo-terminals (/dev/pts)";
        close(terminal);
    }
};

TEST_F(SlowNoticeTest, OneLineWithNameAndSecondsOnATerminal) {
    const std::string text = shown(3.0, true);
    EXPECT_TRUE(std::regex_match(text, std::regex("pycuda: compiling long\\.cu \\.\\.\\. \\d\\.\\d s\\r?\\n"))) << text;
}

TEST_F(SlowNoticeTest, SilentWhenQuickOrQuietOrNoTerminal) {
    EXPECT_EQ(shown(0.1, true), "");
    EXPECT_EQ(shown(2.2, false), "");
    set("PYCUDA_QUIET", "1");
    EXPECT_EQ(shown(2.2, true), "");
}

}  // namespace
}  // namespace pycuda::test
