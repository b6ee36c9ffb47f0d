// Driver calls of a forked process.
#include <sys/wait.h>
#include <unistd.h>

#include "support.hpp"

namespace pycuda::test {
namespace {

bool driver_calls_say_forked() {
    bool all = true;
    for (const auto call : {+[] { Device::count(); }, +[] { init(); }, +[] { Device(0).make_context(); }})
        all &= message_of<LogicError>(call).find("forked") != std::string::npos;
    return all;
}

TEST(FailureAdvice, SaysWhatToDoAfterAFork) {
    EXPECT_FRESH_PROCESS(
        {
            init();
            const pid_t child = fork();
            if (child == 0) {
                _exit(driver_calls_say_forked() ? 0 : 1);
            }
            int status = 1;
            waitpid(child, &status, 0);
            EXPECT_EQ(status, 0);
            finish();
        },
        "");
}

}  // namespace
}  // namespace pycuda::test
