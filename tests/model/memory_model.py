"""Random programs over streams and pools, compared with a model: memory_model.py [--programs N] [--seconds S] [--seed SEED].

Exits with 1 when a program computes something else, or ends the process, and prints the smallest one like it that was found. PYCUDA_DRIVER
picks the driver; on the CPU device PYCUDA_CPU_DELAY, which is set here unless it is, makes streams run in any order.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
import warnings

from generate import Choice, program
from model import lines_of

DELAY = "60"  # microseconds: longer than a call takes


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="how long at most")
    parser.add_argument("--seed", type=int, default=0, help="of the first program; the next one has the next")
    parser.add_argument("--failures", type=int, default=1, help="after how many to stop")
    for what in ("kinds", "calls", "routes"):
        parser.add_argument(f"--{what}", help="only these, with commas; !NAME: not this one")
    parser.add_argument("--streams", default=Choice().streams, help="b: blocking, n: non-blocking, p: per thread, l: the default stream's handle")
    parser.add_argument("--progress", type=int, help=argparse.SUPPRESS)  # a file for the seed of the program that runs: in the process that runs them
    return parser.parse_args()


def choice_of(options):
    chosen = {"streams": options.streams}
    for what in ("kinds", "calls", "routes"):
        words = (getattr(options, what) or "").split(",")
        wanted, unwanted = [word for word in words if word[:1] != "!"], [word[1:] for word in words if word[:1] == "!"]
        chosen[what] = tuple(name for name in getattr(Choice(), what) if (name in wanted or wanted in ([], [""])) and name not in unwanted)
    return Choice(**chosen)


def text(steps):
    return "\n".join(lines_of(steps)[0])


def run_programs(options):
    """Returns how many failed."""
    import pycuda.driver as drv

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the notice that there is no GPU
        drv.init()
    owner = drv.Device(0).make_context()
    from run import execute, fails, smallest  # once there is a context

    choice, start, failures, done = choice_of(options), time.monotonic(), 0, 0
    for seed in range(options.seed, options.seed + options.programs):
        if time.monotonic() - start > options.seconds or failures == options.failures:
            break
        os.pwrite(options.progress, seed.to_bytes(8, "little"), 0)
        steps, delays = program(seed, choice), None if drv.driver_info().is_cpu_device else seed
        wrong = execute(steps, delays)
        done += 1
        if wrong:
            failures += 1
            print(f"program {seed}, after {done} programs and {time.monotonic() - start:.1f} s: {wrong}; as small as it gets:", flush=True)
            least = smallest(steps, delays=delays)
            print(f"{text(least)}\n# {fails(least, 100, delays)}\n", flush=True)
    took = time.monotonic() - start
    print(f"{done} programs from seed {options.seed}, {took:.1f} s, {done / took:.0f}/s: {failures} failed", flush=True)
    del owner
    return failures


def main():
    options = arguments()
    if options.progress is not None:
        return 1 if run_programs(options) else 0
    os.environ.setdefault("PYCUDA_CPU_DELAY", DELAY)
    with tempfile.TemporaryFile() as progress:
        status = subprocess.run([sys.executable, *sys.argv, "--progress", str(progress.fileno())], pass_fds=[progress.fileno()]).returncode
        if status not in (0, 1):
            seed = int.from_bytes(os.pread(progress.fileno(), 8, 0), "little")
            print(f"program {seed} ended the process with status {status}:\n{text(program(seed, choice_of(options)))}", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
