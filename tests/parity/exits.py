"""Processes that leave with objects alive, contexts pushed, work queued and threads running must leave quietly.

exits.py [processes]: starts that many (by default one of each kind), in turn in Python and Java and in every state of abandon.py;
status 1 if one of them does not end with status 0 and nothing on standard error.
"""

import itertools
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor

from packages import run

LANGUAGES = ("python", "java")
STATES = ("pushed", "autoinit", "popped", "detached", "queued", "captured", "failed", "faulted", "threads", "exit")


def leave(language, state):
    """The error of one process; empty if there was none."""
    # The notice that `auto` fell back to the CPU device is not an error, so choose the driver explicitly.
    driver = os.environ.get("PYCUDA_DRIVER", "cpu")
    status, _, errors = run(language, "abandon", state, PYCUDA_DRIVER="cpu" if driver == "auto" else driver)
    # The CPU device reports a kernel's fault: that line is expected in this state only.
    report = r"(pycuda: kernel scale: illegal read .*\n)?" if state == "faulted" else ""
    if status == 0 and re.fullmatch(report, errors):
        return ""
    return f"{language} {state}: status {status}\n{errors[-2000:]}"


def main(processes):
    jobs = list(itertools.islice(itertools.cycle(itertools.product(STATES, LANGUAGES)), processes))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = list(filter(None, pool.map(lambda job: leave(job[1], job[0]), jobs)))
    for fault in faults:
        print(fault)
    print(f"{len(jobs)} processes, {len(faults)} with a fault")
    return 1 if faults or not jobs else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else len(STATES) * len(LANGUAGES)))
