"""Random programs that are correct by the model's rules, and that return memory early and reuse it immediately."""

import random
from typing import NamedTuple

from calls import (
    ALIASES, ARRAYS, CALLS, COPIES, DEVICE_KINDS, FILLS, HOST_KINDS, IS_ARRAY, KEPT_BY_GRAPHS, KINDS, LAUNCHES, NODES, NOTHINGS, may_be_captured,
    may_stand,
)
from model import Model, NotAllowed, Unordered
from order import DEFAULT, HOST

SIZES = (16, 16, 16, 24)
MANY_BLOCKS = (6000,)  # array operations need memory of their own for what they compute on the way
POOLS = ("pool", "default_pool", "host_pool")  # that can be asked to give memory back to the driver
STREAMS = "bbbnnnpl"  # blocking, non-blocking, per thread, the default stream by its handle


class Choice(NamedTuple):
    """The ingredients of programs; by default everything that must work."""

    kinds: tuple = tuple(kind for kind in KINDS if kind != "careless")
    calls: tuple = tuple(CALLS)
    routes: tuple = tuple({route: None for kind in KINDS.values() for route in kind.routes})
    streams: str = STREAMS
    graphs: float = 0.3  # in how many of the programs
    parts_of_fills: bool = True  # whether updates change only the memory or the value of a fill


class Generator:
    def __init__(self, seed, choice=Choice()):
        self.random, self.model, self.steps = random.Random(seed), Model(), []
        self.choice, self.made = choice, 0
        self.device_kinds = self._some([kind for kind in DEVICE_KINDS if kind in choice.kinds], 2)
        self.host_kinds = self._some([kind for kind in HOST_KINDS if kind in choice.kinds] or ["numpy"], 2)
        groups = [[call for call in group if call in choice.calls] for group in (LAUNCHES, FILLS, COPIES, ARRAYS)]
        self.calls = [group for group in groups if group]
        # Not in all programs: once an address escapes, pools take their careful path, and their normal path is not
        # tested.
        self.routes = choice.routes if "object" not in choice.routes or self.random.random() < 0.5 else ("object", "block")
        self.kinds_of_streams = self.random.choice([*(kind for kind in "bn" if kind in choice.streams), choice.streams])
        self.nothings = [call for call in NOTHINGS if call in choice.calls]
        self.with_graphs = self.random.random() < choice.graphs
        self.sizes = MANY_BLOCKS if self.random.random() < 0.05 else SIZES

    def _some(self, kinds, most):
        """A few kinds for each program, so that returned memory is soon reused."""
        return self.random.sample(kinds, min(len(kinds), self.random.randint(1, most)))

    def program(self):
        for _ in range(self.random.randint(2, 4)):
            self._new_stream()
        length = self.random.randint(20, 40) if self.with_graphs else self.random.randint(10, 28)
        actions = [self._write_new, self._call, self._give_back, self._other, self._use_graph]
        weights = (3, 4, 4, 2, 10) if self.with_graphs else (3, 4, 6, 2, 0)
        while len(self.steps) < length:
            self.random.choices(actions, weights)[0]()
        return self.steps

    # ---- steps, with their prerequisites -------------------------------------------------------------------

    def _try(self, step):
        """Adds a step if it is allowed; if only an order is missing, adds that first."""
        for _ in range(6):
            try:
                self.model.apply(step)
            except NotAllowed:
                return False
            except Unordered as missing:
                if not self._put_in_order(missing):
                    return False
            else:
                self.steps.append(step)
                return True
        return False

    def _put_in_order(self, missing):
        if missing.earlier == HOST:
            return False
        known = missing.earlier in self.model.streams
        if not known or self.random.random() < 0.1:
            step = ("synchronize_all",)
        elif missing.later == HOST or self.random.random() < 0.3:
            step = ("synchronize", missing.earlier)
        else:
            step = ("wait", missing.later, missing.earlier)
        self.model.apply(step)
        self.steps.append(step)
        return True

    def _fresh(self, letter):
        self.made += 1
        return f"{letter}{self.made}"

    def _a_stream(self):
        return self.random.choice([*sorted(self.model.streams), *sorted(self.model.streams - {DEFAULT})])

    def _new_stream(self):
        if self.kinds_of_streams:
            self._try(("stream", self._fresh(self.random.choice(self.kinds_of_streams))))

    def _new(self, kinds, n=None):
        kind = self.random.choice(kinds)
        name = self._fresh("h" if kind in HOST_KINDS else "x")
        stream = self._a_stream() if "{s}" in KINDS[kind].text else "-"
        self._try(("new", name, kind, n or self.random.choice(self.sizes), stream))
        return name

    def _operand(self, name):
        kind = self.model.names[name].kind
        routes = [route for route in KINDS[kind].routes if route in self.routes]
        route = "object" if "object" in routes and self.random.random() < 0.4 else self.random.choice(routes) if routes else None
        return f"{name}/{route}" if route else None

    def _call(self, fixed=None):
        """A call; if `fixed` is given, one that writes all of it."""
        for _ in range(8):
            call = self.random.choice(self.random.choice(self.calls))
            row = CALLS[call]
            writes = [letter for letter, (access, what) in row.operands.items()
                      if fixed and access == "w" and may_stand(what, self.model.names[fixed].kind)]
            if fixed and not writes:
                continue
            words = self._words(row, fixed, writes)
            stream = self._a_stream() if "{s}" in row.text else "-"
            if words and self._try(("call", call, stream, self.random.randrange(1, 1 << 20), *words)):
                return True
        return False

    def _words(self, row, fixed, writes):
        """An operand for each letter, or None. If no initialised memory exists for one, it is created."""
        known = [found.n for name, found in list(self.model.names.items())[-4:] if found.is_usable]
        n = self.model.names[fixed].n if fixed else self.random.choice(known or self.sizes)
        words = []
        for letter, (access, what) in row.operands.items():
            if access == "new":
                words.append(self._fresh("h" if what == "host" else "x"))
                continue
            name = fixed if letter in writes else self._existing(access, what, n, words)
            word = self._operand(name) if name else None
            if word is None or (what == "array" and not word.endswith("/object")):
                return None
            words.append(word)
        return words

    def _existing(self, access, what, n, taken):
        """The name of memory of n elements, usually the latest."""
        names = [name for name, found in self.model.names.items() if found.is_usable and found.n == n and may_stand(what, found.kind)
                 and (found.values is not None or access == "w") and not any(word.startswith(f"{name}/") for word in taken)]
        if names and self.random.random() < 0.8:
            return self.random.choice(names[-3:])
        kinds = self.host_kinds if what == "host" else [kind for kind in self.device_kinds if may_stand(what, kind)]
        if not kinds:
            return None
        name = self._new(kinds, n)
        if "r" in access:
            self._fill(name)
        found = self.model.names.get(name)
        return name if found and (found.values is not None or access == "w") else None

    def _fill(self, name):
        v = self.random.randrange(1 << 20)
        if self.model.names[name].storage.on_host:
            self._try(("write", name, v))
        else:
            self._try(("call", "launch_put", self._a_stream(), v, f"{name}/object"))

    def _write_new(self):
        """Allocates memory, and writes to it."""
        self._take(self.host_kinds if self.random.random() < 0.3 else self.device_kinds)

    def _take(self, kinds, n=None):
        name = self._new(kinds, n)
        if self.model.names[name].storage.on_host and self.random.random() < 0.6:
            self._fill(name)
        else:
            self._call(name)

    def _give_back(self):
        """Returns memory, preferably what was just used; usually it gets its next holder immediately."""
        if self.steps[-1][0] == "call" and self.random.random() < 0.8:
            name = self.random.choice(self.steps[-1][4:]).split("/")[0]
        else:
            name = self.random.choice(list(self.model.names) or ["x0"])
        found = self.model.names.get(name)
        if found is None or not found.owns:
            return
        if self.nothings and not found.storage.on_host and found.values is not None and self.random.random() < 0.15:
            self._do_nothing_with(name)
        how = {"array": ".gpudata", "array_of_pool": ".gpudata", "host_pool": ".base", "pagelocked": ".base", "managed": ".base"}.get(found.kind, "")
        if found.kind == "mem_alloc_async" and self.random.random() < 0.4:
            self._try(("free_async", name, self._a_stream()))
        elif found.kind == "virtual" and self.random.random() < 0.4:
            self._try(("resize", name, self.random.randint(1, 3)))
            return
        elif found.kind not in ("numpy", "registered", "view", "foreign") and self.random.random() < 0.25:
            self._try(("free", name, how))
        else:
            self._try(("drop", name))
        if found.kind not in ALIASES and self.random.random() < 0.6:
            self._take([found.kind], found.n)

    def _do_nothing_with(self, name):
        call = self.random.choice(self.nothings)
        words = self._words(CALLS[call], name, ["y"])
        if words:
            self._try(("call", call, self._a_stream() if "{s}" in CALLS[call].text else "-", 1, *words))

    # ---- graphs

    def _use_graph(self):
        graphs = list(self.model.graphs)
        use = self.random.choices([self._capture, self._build, self._clone, self._update, self._update_graph, self._launch_graph, self._drop_graph],
                                  (20, 20, 5, 20, 8, 60, 15))[0] if graphs else self.random.choice([self._capture, self._build])
        use(*([self.random.choice(graphs)] if graphs and use not in (self._capture, self._build) else ()))

    def _launch_graph(self, graph):
        self._try(("launch", graph, self._a_stream()))

    def _drop_graph(self, graph):
        self._try(("drop_graph", graph))

    def _clone(self, graph):
        self._try(("clone", self._fresh("g"), graph))

    def _capture(self):
        """A capture of a few calls with existing memory. Neither default streams nor streams that wait for them are captured, because other threads use them."""
        streams = sorted(stream for stream in self.model.streams if stream[0] == "n")
        if not streams:
            return
        stream = self.random.choice(streams)
        calls = self._calls_of_graph(stream, may_be_captured)
        if calls:
            self._try(("capture", self._fresh("g"), stream, *calls))

    def _build(self):
        calls = self._calls_of_graph("-", NODES.__contains__)
        if calls:
            self._try(("graph", self._fresh("g"), *calls))

    def _calls_of_graph(self, stream, is_wanted):
        calls = []
        for _ in range(self.random.randint(1, 4)):
            wanted = [call for call in self.random.choice(self.calls) if is_wanted(call)]
            made = self._call_of_graph(self.random.choice(wanted), stream) if wanted else None
            if made:
                calls.append(made)
        return calls

    def _call_of_graph(self, call, stream):
        words = self._words_of_graph(CALLS[call], KEPT_BY_GRAPHS if stream == "-" else KEPT_BY_GRAPHS - {"dlpack"})
        return ("call", call, stream, self.random.randrange(1, 1 << 20), *words) if words else None

    def _update(self, graph):
        calls = self.model.explicit.get(graph)
        if not calls:
            return
        index = self.random.randrange(len(calls))
        made = self._call_of_graph(calls[index], "-")
        if made:
            whole = calls[index].startswith("memset") and not self.choice.parts_of_fills
            self._try(("update", graph, index, "all" if whole else self.random.choice(list(NODES[calls[index]][1])), *made[3:]))

    def _update_graph(self, graph):
        made = [self._call_of_graph(call, "-") for call in self.model.explicit.get(graph, [])]
        if made and all(made):
            self._try(("update_graph", graph, *made))

    def _words_of_graph(self, row, routes):
        """Operands of one size, which exist and are not one another's."""
        known = {name: found for name, found in self.model.names.items() if found.is_usable and found.values is not None}
        n = known[self.random.choice(list(known))].n if known else 0
        words, taken = [], set()
        for access, what in row.operands.values():
            if access == "new":
                words.append(self._fresh("x"))
                continue
            fitting = [(name, route) for name, found in known.items() for route in KINDS[found.kind].routes
                       if found.n == n and id(found.storage) not in taken and may_stand(what, found.kind)
                       and (route == "object" or (what != "array" and route in routes and route in self.routes))]
            if not fitting:
                return None
            name, route = self.random.choice(fitting)
            taken.add(id(known[name].storage))
            words.append(f"{name}/{route}")
        return words

    def _other(self):
        names = list(self.model.names)
        kind = self.random.choice(("release", "view", "alias", "address", "address", "look", "write", "drop_stream", "synchronize"))
        if kind == "drop_stream":
            streams = sorted(self.model.streams - {DEFAULT})
            if streams and self._try(("drop_stream", self.random.choice(streams))):
                self._new_stream()
        elif kind == "synchronize":
            self._try(("synchronize", self._a_stream()))
        elif kind == "release":
            self._try(("release", self.random.choice(POOLS)))
        elif names:
            self._name_something(kind, self.random.choice(names))

    def _name_something(self, kind, name):
        found = self.model.names[name]
        if kind == "view" and "view" in self.choice.kinds:
            self._try(("view", self._fresh("v"), name, self.random.choice((0, 4, 8)), self.random.choice((4, 8))))
        elif kind == "alias" and "view" in self.choice.kinds:
            self._try(("alias", self._fresh("v"), name, "dlpack" if found.kind in IS_ARRAY else "gpudata"))
        elif kind == "address" and "address" in self.choice.kinds and not found.storage.on_host:
            routes = [route for route in ("number", "ptr") if route in KINDS[found.kind].routes and route in self.routes]
            if routes:
                self._try(("address", self._fresh("p"), name, self.random.choice(routes)))
        elif kind == "look":
            self._try(("look", name))
        elif kind == "write":
            self._try(("write", name, self.random.randrange(1 << 20)))


def program(seed, choice=Choice()):
    """The steps of a random program, which depend only on the seed."""
    return Generator(seed, choice).program()
