"""The model of memory finds the errors that it is meant to find, and allows no program that is itself wrong."""

import subprocess
import sys
import unittest
from pathlib import Path

from generate import Choice, program
from model import NotAllowed, Unordered, lines_of

MODEL = Path(__file__).with_name("memory_model.py")
STREAMS = [("stream", "b1"), ("stream", "n2"), ("stream", "n3")]
MEMORY = [*STREAMS, ("new", "x", "pool", 16, "-"), ("new", "y", "pool", 16, "-"), ("new", "h", "pagelocked", 16, "-"), ("write", "h", 1)]


def put(stream, name="x"):
    return ("call", "launch_put", stream, 7, f"{name}/object")


def read(stream, name="x"):
    return ("call", "memcpy_dtod_async", stream, 7, "y/object", f"{name}/object")


def to_host(stream):
    return ("call", "memcpy_dtoh_async", stream, 7, "h/object", "x/object")


def from_host(stream):
    return ("call", "memcpy_htod_async", stream, 7, "y/object", "h/object")


#: Programs whose last step needs an order that does not exist.
UNORDERED = {
    "two streams": [put("n2"), read("n3")],
    "write after read": [put("n2"), ("wait", "n3", "n2"), read("n3"), put("n2")],
    "a stream that does not wait for the default one": [put("None"), read("n2")],
    "the host writes what a copy reads": [("call", "memcpy_htod_async", "n2", 7, "x/object", "h/object"), ("write", "h", 2)],
    "the host reads what a copy writes": [put("n2"), to_host("n2"), ("look", "h")],
    "a copy from host memory that the default stream writes": [put("b1"), to_host("None"), from_host("b1")],
    "an event of the wrong moment": [("wait", "n3", "n2"), put("n2"), read("n3")],
    "memory of another stream": [("new", "z", "mem_alloc_async", 16, "n2"), put("n3", "z")],
    "freed on another stream": [("new", "z", "mem_alloc_async", 16, "n2"), put("n2", "z"), ("free_async", "z", "n3")],
    "a dropped stream": [put("b1"), ("drop_stream", "b1"), read("None")],
}
ORDERED = {
    "one stream": [put("n2"), read("n2")],
    "an event": [put("n2"), ("wait", "n3", "n2"), read("n3")],
    "the default stream": [put("b1"), read("None")],
    "after the default stream": [put("None"), read("b1")],
    "a copy from host memory behind an event of the default stream": [put("b1"), to_host("None"), ("wait", "b1", "None"), from_host("b1")],
    "a copy from host memory behind work that waits": [put("b1"), to_host("None"), put("b1"), from_host("b1")],
    "the host waits": [put("n2"), ("synchronize", "n2"), read("n3")],
    "the host waits for all": [put("b1"), ("drop_stream", "b1"), ("synchronize_all",), read("None")],
    "new memory has no past": [put("n2"), ("drop", "x"), ("new", "x", "pool", 16, "-"), put("n3"), read("n3")],
}


class RulesTest(unittest.TestCase):
    def test_unordered_work_is_refused(self):
        for name, steps in UNORDERED.items():
            with self.subTest(name):
                lines_of([*MEMORY, *steps[:-1]])
                self.assertRaises(Unordered, lines_of, [*MEMORY, *steps])

    def test_ordered_work_is_allowed(self):
        for name, steps in ORDERED.items():
            with self.subTest(name):
                lines_of([*MEMORY, *steps])

    def test_freed_or_unwritten_memory_is_not_used(self):
        for steps in ([read("n2")], [put("n2"), ("drop", "x"), put("n2")], [put("n2"), ("free", "x", ""), ("drop", "x")]):
            with self.subTest(steps):
                self.assertRaises(NotAllowed, lines_of, [*MEMORY, *steps])

    def test_a_seed_makes_one_program(self):
        self.assertEqual(program(5), program(5))
        self.assertNotEqual(program(5), program(6))

    def test_every_kind_and_call_is_used(self):
        steps = [step for seed in range(3000) for step in program(seed)]
        self.assertEqual({step[1] for step in steps if step[0] == "call"}, set(Choice().calls))
        self.assertGreaterEqual({step[2] for step in steps if step[0] == "new"} | {"view", "address"}, set(Choice().kinds))
        routes = {word.split("/")[1] for step in steps if step[0] == "call" for word in step[4:] if "/" in word}
        self.assertEqual(routes, set(Choice().routes))


class CarelessPoolTest(unittest.TestCase):
    def test_a_pool_that_orders_nothing_is_found(self):
        """Device memory that is reused immediately, regardless of queued work."""
        found = subprocess.run([sys.executable, MODEL, "--programs", "2000", "--kinds", "careless,numpy"], capture_output=True, text=True)
        self.assertEqual(found.returncode, 1, found.stdout + found.stderr)
        least = found.stdout.split("as small as it gets:\n")[1].split("\n\n")[0]
        self.assertGreaterEqual(least.count("careless_pool.allocate"), 2, least)
        self.assertLessEqual(least.count("\n"), 16, least)


if __name__ == "__main__":
    unittest.main()
