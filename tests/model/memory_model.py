"""Random programs over streams and pools, compared with a model: memory_model.py [--programs N] [--seconds S] [--seed SEED].

Exits with 1 when a program computes something else, or ends the process, and prints the smallest one like it that was found. PYCUDA_DRIVER
picks the driver; on the CPU device PYCUDA_CPU_DELAY, which is set here unless it is, makes streams run in any order.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
import warnings

import pycuda.driver as drv
from generate import Choice, program
from model import lines_of
from reduce import smallest

DELAY = "60"  # microseconds, more than a call takes


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="how long at most")
    parser.add_argument("--seed", type=int, default=0, help="of the first program; the next one has the next")
    parser.add_argument("--threads", type=int, default=1, help="that run programs at the same time")
    parser.add_argument("--failures", type=int, default=1, help="after how many to stop")
    for what in ("kinds", "calls", "routes"):
        parser.add_argument(f"--{what}", help="only these, with commas; !NAME: not this one")
    parser.add_argument("--streams", default=Choice().streams, help="b: blocking, n: non-blocking, p: per thread, l: the default stream's handle")
    parser.add_argument("--graphs", type=float, help="in how many of the programs; by default in 0.3, and in none where threads wait for the context: that "
                                                     "ends what others capture")
    parser.add_argument("--progress", type=int, help=argparse.SUPPRESS)  # a file for the seed of the program that runs: in the process that runs them
    return parser.parse_args()


def choice_of(options):
    graphs = Choice().graphs if options.threads == 1 else 0
    chosen = {"streams": options.streams, "graphs": graphs if options.graphs is None else options.graphs}
    for what in ("kinds", "calls", "routes"):
        words = (getattr(options, what) or "").split(",")
        wanted, unwanted = [word for word in words if word[:1] != "!"], [word[1:] for word in words if word[:1] == "!"]
        named = [name for name in wanted if name] or getattr(Choice(), what)
        chosen[what] = tuple(name for name in named if name not in unwanted)
    return Choice(**chosen)


def text(steps):
    return "\n".join(lines_of(steps)[0])


class Programs:
    """Runs programs, optionally in several threads, which share pools and the default stream."""

    def __init__(self, options, context):
        self.options, self.choice, self.context = options, choice_of(options), context
        self.start, self.seeds = time.monotonic(), iter(range(options.seed, options.seed + options.programs))
        self.done = self.failures = 0
        self.error = None  # the end of this program, not of one that it runs
        self.lock = threading.Lock()

    def next_seed(self):
        with self.lock:
            if time.monotonic() - self.start > self.options.seconds or self.failures >= self.options.failures:
                return None
            self.done += 1
            return next(self.seeds, None)

    def run(self, number):
        from run import execute

        try:
            self.context.push()
            while (seed := self.next_seed()) is not None:
                os.pwrite(self.options.progress, seed.to_bytes(8, "little"), 8 * number)
                steps = program(seed, self.choice)
                wrong = execute(steps, self.delays(seed))
                if wrong:
                    self.report(seed, steps, wrong)
            self.context.pop()
        except BaseException as error:
            self.error = error

    @staticmethod
    def delays(seed):
        return None if drv.driver_info().is_cpu_device else seed

    def report(self, seed, steps, wrong):
        from run import fails

        with self.lock:
            self.failures += 1
            print(f"program {seed}, after {self.done} programs and {time.monotonic() - self.start:.1f} s: {wrong}; as small as it gets:", flush=True)
            try:
                least = smallest(steps, lambda fewer: fails(fewer, 30, self.delays(seed)))
            except drv.LaunchError:  # the context is lost: nothing more can be run in this process
                print(text(steps), flush=True)
                raise
            print(f"{text(least)}\n# {fails(least, 100, self.delays(seed))}\n", flush=True)

    def run_all(self):
        """Returns the number of failures."""
        threads = [threading.Thread(target=self.run, args=(number,)) for number in range(self.options.threads)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.error:
            raise self.error
        took = time.monotonic() - self.start
        done = min(self.done, self.options.programs)
        print(f"{done} programs from seed {self.options.seed}, {took:.1f} s, {done / took:.0f}/s: {self.failures} failed", flush=True)
        return self.failures


def run_programs(options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the notice that there is no GPU
        drv.init()
    context = drv.Device(0).make_context()
    import run  # noqa: F401  what programs use is made in the context

    if options.threads > 1:
        sys.setswitchinterval(1e-5)
    return Programs(options, context).run_all()


def main():
    options = arguments()
    if options.progress is not None:
        return 1 if run_programs(options) else 0
    os.environ.setdefault("PYCUDA_CPU_DELAY", DELAY)
    with tempfile.TemporaryFile() as progress:  # of the programs that run now: which one was it, if the process ends
        status = subprocess.run([sys.executable, *sys.argv, "--progress", str(progress.fileno())], pass_fds=[progress.fileno()]).returncode
        if status not in (0, 1):
            for number in range(options.threads):
                seed = int.from_bytes(os.pread(progress.fileno(), 8, 8 * number), "little")
                print(f"the process ended with status {status} in program {seed}:\n{text(program(seed, choice_of(options)))}\n", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
