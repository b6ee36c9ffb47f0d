"""Random programs over streams and pools, compared with a model: memory_model.py [--programs N] [--seconds S] [--seed SEED].

Exits with 1 at the first program that computes something else, and prints the smallest one like it that was found. PYCUDA_DRIVER picks
the driver; on the CPU device PYCUDA_CPU_DELAY, which is set here unless it is, makes streams run in any order.
"""

import argparse
import os
import sys
import time
import warnings

DELAY = "60"  # microseconds: longer than a call takes

if __name__ == "__main__":
    os.environ.setdefault("PYCUDA_CPU_DELAY", DELAY)

import pycuda.driver as drv  # noqa: E402
from generate import Choice, program  # noqa: E402


def context():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the notice that there is no GPU
        drv.init()
    return drv.Device(0).make_context()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="how long at most")
    parser.add_argument("--seed", type=int, default=0, help="of the first program; the next one has the next")
    parser.add_argument("--failures", type=int, default=1, help="after how many to stop")
    for what in ("kinds", "calls", "routes"):
        parser.add_argument(f"--{what}", help="only these, with commas; a name that begins so counts")
    parser.add_argument("--streams", default=Choice().streams, help="b: blocking, n: non-blocking, p: per thread, l: the default stream's handle")
    return parser.parse_args()


def choice_of(options):
    chosen = {"streams": options.streams}
    for what in ("kinds", "calls", "routes"):
        wanted = getattr(options, what)
        if wanted:
            chosen[what] = tuple(name for name in getattr(Choice(), what) if name.startswith(tuple(wanted.split(","))))
    return Choice(**chosen)


def main():
    options = arguments()
    choice, owner = choice_of(options), context()
    from run import execute, smallest, text  # once there is a context

    start, failures, done = time.monotonic(), 0, 0
    for seed in range(options.seed, options.seed + options.programs):
        if time.monotonic() - start > options.seconds:
            break
        steps, delays = program(seed, choice), None if drv.driver_info().is_cpu_device else seed
        wrong = execute(steps, delays)
        done += 1
        if wrong:
            failures += 1
            print(f"program {seed}, after {done} programs and {time.monotonic() - start:.1f} s: {wrong}", flush=True)
            print(text(smallest(steps, delays=delays)), end="\n\n", flush=True)
            if failures >= options.failures:
                break
    took = time.monotonic() - start
    print(f"{done} programs from seed {options.seed}, {took:.1f} s, {done / took:.0f}/s: {failures} failed", flush=True)
    del owner
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
