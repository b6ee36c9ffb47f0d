"""The model of memory finds the errors that it is meant to find, and allows no program that is itself wrong."""

import subprocess
import sys
import unittest
from pathlib import Path

from generate import Choice, program
from model import NotAllowed, Unordered, lines_of
from reduce import smallest

MODEL = Path(__file__).with_name("memory_model.py")
STREAMS = [("stream", "b1"), ("stream", "n2"), ("stream", "n3")]
MEMORY = [*STREAMS, ("new", "x", "pool", 16, "-"), ("new", "y", "pool", 16, "-"), ("new", "h", "pagelocked", 16, "-"), ("write", "h", 1)]


def put(stream, name="x"):
    return ("call", "launch_put", stream, 7, f"{name}/object")


def read(stream, name="x"):
    return ("call", "memcpy_dtod_async", stream, 7, "y/object", f"{name}/object")


def graph_of(*calls):
    return ("graph", "g", *calls)


def fill(name, value=7):
    return ("call", "memset_d32_async", "-", value, f"{name}/object")


def copy(dest, src):
    return ("call", "memcpy_dtod_async", "-", 1, f"{dest}/object", f"{src}/object")


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
    "memory that its owner reuses at once": [("new", "z", "foreign", 16, "-"), put("n2", "z"), ("drop", "z")],
    "launches of a graph on two streams": [put("n2"), ("synchronize_all",), graph_of(fill("x")), ("launch", "g", "n2"), ("launch", "g", "n3")],
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
    "memory that its owner reuses after a wait": [("new", "z", "foreign", 16, "-"), put("n2", "z"), ("synchronize", "n2"), ("drop", "z")],
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

    def test_updates_start_from_the_present_state(self):
        both = [put("n2"), put("n2", "y"), ("new", "z", "pool", 16, "-"), put("n2", "z"), ("synchronize_all",)]
        program = [*both, graph_of(copy("x", "y"), fill("z")), ("update", "g", 0, "y", 1, "z/object", "y/object"), ("update", "g", 1, "v", 5, "z/object"),
                   ("clone", "k", "g"), ("launch", "g", "n2")]
        model = lines_of([*MEMORY, *program])[1]
        self.assertEqual(model.expected()["z"].tolist(), [5] * 16)
        self.assertEqual(model.expected()["x"].tolist(), list(range(7, 23)))
        self.assertIn("update(value=5)", lines_of([*MEMORY, *program])[0][-3])
        model = lines_of([*MEMORY, *program, ("synchronize_all",), ("launch", "k", "n2")])[1]  # of the graph, which no update has changed
        self.assertEqual(model.expected()["z"].tolist(), [7] * 16)

    def test_a_seed_makes_one_program(self):
        self.assertEqual(program(5), program(5))
        self.assertNotEqual(program(5), program(6))

    def test_every_kind_and_call_is_used(self):
        steps = [step for seed in range(3000) for step in program(seed)]
        self.assertEqual({step[1] for step in steps if step[0] == "call"}, set(Choice().calls))
        self.assertGreaterEqual({step[2] for step in steps if step[0] == "new"} | {"view", "address"}, set(Choice().kinds))
        self.assertGreaterEqual({step[0] for step in steps}, {"capture", "graph", "clone", "update", "update_graph", "launch", "drop_graph", "resize"})
        routes = {word.split("/")[1] for step in steps if step[0] == "call" for word in step[4:] if "/" in word}
        self.assertEqual(routes, set(Choice().routes))


class ReductionTest(unittest.TestCase):
    def test_only_what_a_failure_needs_remains(self):
        unneeded = [("call", "memcpy_htod_async", "None", 7, "y/object", "h/object"), ("look", "h")]
        least = smallest([*MEMORY, put("None"), *unneeded, read("None"), *unneeded], lambda steps: read("None") in steps)
        self.assertEqual(least, [("new", "x", "pool", 16, "-"), ("new", "y", "pool", 16, "-"), put("None"), read("None")])

    def test_a_route_that_does_not_matter_is_an_object(self):
        through_a_number = ("call", "launch_put", "None", 7, "x/number")
        self.assertEqual(smallest([*MEMORY, through_a_number], lambda steps: any(step[1] == "launch_put" for step in steps))[-1], put("None"))


class CarelessPoolTest(unittest.TestCase):
    def test_a_pool_that_orders_nothing_is_found(self):
        """Device memory that is reused immediately, regardless of queued work."""
        found = subprocess.run([sys.executable, MODEL, "--programs", "2000", "--kinds", "careless,numpy"], capture_output=True, text=True)
        self.assertEqual(found.returncode, 1, found.stdout + found.stderr)
        least = found.stdout.split("as small as it gets:\n")[1].split("\n\n")[0]
        self.assertGreaterEqual(least.count("careless_pool.allocate"), 2, least)


if __name__ == "__main__":
    unittest.main()
