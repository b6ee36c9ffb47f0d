"""What every element must be: a program runs step by step on host arrays, and steps that the rules of CUDA do not allow are refused.

The rule is PyCUDA's, where freeing waits: memory may be given back at any moment, whatever is queued, and new memory has no past. Only
uses of one piece of memory while it lives must be ordered, and are.

A step is a tuple of words. `Model.apply` runs one and returns how Python writes it.
"""

import numpy as np

import order as order_of
from calls import (
    ALIASES, CALLS, HOST_KINDS, IS_ARRAY, KEPT_BY_GRAPHS, KINDS, NODES, NOWHERE, OF_NO_CONTEXT, ON_STREAM, WAITS, may_be_captured, may_stand,
    operand_text,
)
from order import DEFAULT, HOST, Unordered


class NotAllowed(Exception):
    """A step that is not allowed here."""


class Storage:
    def __init__(self, kind):
        self.on_host, self.values, self.uses, self.owners = kind in HOST_KINDS, None, order_of.Uses(), 0
        self.is_foreign = kind == "foreign"  # its owner reuses it at once
        self.has_context = kind not in OF_NO_CONTEXT


def _require_same_owners(call, before, after):
    """Of a copy's memory, which an update replaces."""
    if call.startswith("memcpy") and any(after[letter].storage.has_context != found.storage.has_context for letter, found in before.items()):
        raise NotAllowed


class Name:
    """A variable of the program: elements `first` to `first + n` of a piece of memory."""

    def __init__(self, kind, storage, first, n):
        self.kind, self.storage, self.first, self.n = kind, storage, first, n
        self.owns = kind != "address"
        storage.owners += self.owns

    @property
    def is_usable(self):
        return self.storage.owners > 0

    @property
    def values(self):
        whole = self.storage.values
        return None if whole is None else whole[self.first : self.first + self.n]


class Model:
    def __init__(self):
        self.order, self.names, self.seen = order_of.Order(), {}, []
        self.graphs = {}  # graph -> the work of its executable graph
        self.explicit, self.instantiated_from = {}, {}  # -> the calls of its nodes; the work of the graph, if that differs
        self.streams = {DEFAULT}

    def apply(self, step):
        return getattr(self, f"_{step[0]}")(*step[1:])

    def name(self, name):
        found = self.names.get(name)
        if found is None or not found.is_usable:
            raise NotAllowed
        return found

    def stream(self, stream):
        if stream not in self.streams:
            raise NotAllowed

    def expected(self):
        """{name: values}: the contents of memory after a wait for all work."""
        return {name: found.values for name, found in self.names.items() if found.owns and found.values is not None}

    # ---- steps ----------------------------------------------------------------------------------------------------

    def _stream(self, stream):
        text = {"b": "drv.Stream()", "n": "drv.Stream(drv.stream_flags.NON_BLOCKING)", "p": "drv.Stream.from_handle(PER_THREAD)",
                "l": "drv.Stream.from_handle(LEGACY)"}[stream[0]]
        if stream in self.streams:
            raise NotAllowed
        self.streams.add(stream)
        return f"{stream} = {text}"

    def _drop_stream(self, stream):
        self.stream(stream)
        self.streams.discard(stream)
        self.order.drop(stream)
        return f"del {stream}"

    def _new(self, name, kind, n, stream):
        if stream != "-":
            self.stream(stream)
        storage = Storage(kind)
        if kind == "mem_alloc_async":
            storage.uses.note_write(self.order.step(stream))  # it is unspecified whether other streams wait for that
        self.names[name] = Name(kind, storage, 0, n)
        return f"{name} = {KINDS[kind].text.format(n=n, s=stream)}"

    def _view(self, name, array, first, n):
        whole = self.name(array)
        if whole.kind not in ("array", "array_of_pool") or first + n > whole.n:
            raise NotAllowed
        self.names[name] = Name("view", whole.storage, first, n)
        return f"{name} = {array}[{first}:{first + n}]"

    def _alias(self, name, block, how):
        """An array over memory that something else already holds, and that it holds too."""
        whole = self.name(block)
        if whole.kind in ALIASES or whole.storage.on_host or (how == "dlpack") != (whole.kind in IS_ARRAY):
            raise NotAllowed
        self.names[name] = Name("view", whole.storage, whole.first, whole.n)
        return f"{name} = gpuarray.from_dlpack({block})" if how == "dlpack" else f"{name} = gpuarray.GPUArray({whole.n}, np.int32, gpudata={block})"

    def _address(self, name, block, route):
        whole = self.name(block)
        if whole.storage.on_host or route not in KINDS[whole.kind].routes:
            raise NotAllowed
        self.names[name] = Name("address", whole.storage, whole.first, whole.n)
        return f"{name} = {KINDS[whole.kind].routes[route].format(x=block)}"

    def _resize(self, name, pieces):
        """What stays mapped keeps its contents."""
        if self.name(name).kind != "virtual":
            raise NotAllowed
        return f"{name}.resize({pieces} << 21)"

    def _drop(self, name):
        self._give_back(name)
        return f"del {name}"

    def _free(self, name, how):
        if self.name(name).kind in ("view", "foreign") or self.name(name).storage.owners > 1:
            raise NotAllowed
        self._give_back(name)
        return f"{name}{how}.free()"

    def _free_async(self, name, stream):
        self.stream(stream)
        found, clock = self.name(name), self.order.queued(stream)
        if found.kind != "mem_alloc_async" or found.storage.owners > 1:
            raise NotAllowed
        found.storage.uses.check_write(stream, clock)
        self._give_back(name)
        self.order.step(stream)
        return f"{name}.free_async({stream})"

    def _give_back(self, name):
        found = self.name(name)
        if not found.owns:
            raise NotAllowed
        if found.storage.is_foreign and found.storage.owners == 1:
            found.storage.uses.check_write(HOST, self.order.clock(HOST))
        found.storage.owners -= 1
        del self.names[name]

    def _release(self, pool):
        return f"{pool}.free_held()"

    def _wait(self, stream, earlier):
        self.stream(stream)
        self.stream(earlier)
        self.order.wait_for_event(stream, earlier)
        return f"{'default' if stream == DEFAULT else stream}.wait_for_event(drv.Event().record({earlier}))"

    def _synchronize(self, stream):
        self.stream(stream)
        self.order.host_waits(stream)
        return f"{'drv.Event().record()' if stream == DEFAULT else stream}.synchronize()"

    def _synchronize_all(self):
        self.order.host_waits_for_all()
        return "drv.Context.synchronize()"

    def _write(self, name, v):
        found = self._host_array(name)
        found.storage.uses.check_write(HOST, self.order.clock(HOST))
        found.storage.uses.note_write(self.order.step(HOST))
        found.storage.values = np.arange(v, v + found.n, dtype=np.int32)
        return f"{name}[:] = np.arange({v}, {v + found.n})"

    def _look(self, name):
        found = self._host_array(name)
        if found.values is None:
            raise NotAllowed
        found.storage.uses.check_read(HOST, self.order.clock(HOST))
        found.storage.uses.note_read(self.order.step(HOST))
        self.seen.append(found.values.copy())
        return f"seen.append({name}.copy())"

    def _host_array(self, name):
        found = self.name(name)
        if not found.storage.on_host:
            raise NotAllowed
        return found

    def _call(self, call, stream, v, *operands):
        """operands: name/route for each letter; only a name for a new variable."""
        row, *_ = work = self._work(call, stream, v, operands)
        if row.where != NOWHERE:
            self._queue(stream if row.where == ON_STREAM else DEFAULT, *work)
        return self._text(stream, *work)

    def _work(self, call, stream, v, operands):
        """The effect of a call, if it is allowed: its row, the elements, its number, and the words and names of its operands."""
        row = CALLS[call]
        if "{s}" in row.text:
            self.stream(stream)
        words = dict(zip(row.operands, (operand.split("/") for operand in operands), strict=True))
        n, names = self._checked(row, words)
        if call.startswith(("memset_d2d32", "memcpy_2d", "memcpy_3d")) and n % 4:
            raise NotAllowed
        return row, n, v, words, names

    @staticmethod
    def _text(stream, row, n, v, words, names):
        """The Python text of a call."""
        return row.text.format(s=stream, v=v, n=n, **Model._operand_texts(row, n, v, words, names))

    @staticmethod
    def _operand_texts(row, n, v, words, names):
        return {letter: word[0] if len(word) == 1 else operand_text(row.operands[letter][1], names[letter].kind, word[1], word[0])
                for letter, word in words.items()}

    # ---- graphs: each launch does the work of the nodes, one after another, with memory that the graph keeps alive ----

    def _work_of_graph(self, stream, calls):
        """The work of calls that become nodes, and their texts."""
        work = []
        for _, call, _, v, *operands in calls:
            if any(operand.split("/")[-1] not in KEPT_BY_GRAPHS for operand in operands if "/" in operand):
                raise NotAllowed
            work.append(self._work(call, stream, v, operands))
            if any(found.kind in ("numpy", "registered") for found in work[-1][-1].values()):  # graphs copy page-locked memory, and do not keep it registered
                raise NotAllowed
        if not work:
            raise NotAllowed
        return work

    def _capture(self, graph, stream, *calls):
        if graph in self.graphs or not all(may_be_captured(call[1]) for call in calls):
            raise NotAllowed
        if any(operand.endswith("/dlpack") for call in calls for operand in call[4:]):
            raise NotAllowed  # the exporter waits for all streams
        work = self._work_of_graph(stream, calls)
        lines = [self._text(stream, *each) for each in work]
        for row, n, _, words, names in work:
            for letter, (access, _) in row.operands.items():
                if access == "new":  # each launch writes it
                    names[letter] = self.names[words[letter][0]] = Name("array", Storage("array"), 0, n)
        self.graphs[graph] = work
        return "\n    ".join([f"with {stream}.capture() as {graph}_graph:", *lines]) + f"\n{graph} = {graph}_graph.instantiate()"

    def _added(self, graph, calls):
        """(work, the lines that add nodes to {graph}_graph)"""
        if not all(call[1] in NODES for call in calls):
            raise NotAllowed
        work = self._work_of_graph(DEFAULT, calls)
        texts = [NODES[call[1]][0].format(n=each[1], v=each[2], **self._operand_texts(*each)) for call, each in zip(calls, work, strict=True)]
        lines = [f"{graph}_graph = drv.Graph()", f"{graph}_nodes = [{graph}_graph.{texts[0]}]"]
        return work, [*lines, *(f"{graph}_nodes.append({graph}_nodes[-1].{text})" for text in texts[1:])]

    def _graph(self, graph, *calls):
        if graph in self.graphs:
            raise NotAllowed
        work, lines = self._added(graph, calls)
        self.graphs[graph], self.explicit[graph] = work, [call[1] for call in calls]
        return "\n".join([*lines, f"{graph} = {graph}_graph.instantiate()"])

    def _clone(self, graph, original):
        if graph in self.graphs or original not in self.graphs:
            raise NotAllowed
        self.graphs[graph] = list(self.instantiated_from[original] if original in self.instantiated_from else self.graphs[original])
        return f"{graph}_graph = {original}_graph.clone()\n{graph} = {graph}_graph.instantiate()"

    def _update(self, graph, index, part, v, *operands):
        """Other operands and numbers for a node: all of them, one operand, or the number v."""
        if graph not in self.explicit or index >= len(self.graphs[graph]):
            raise NotAllowed
        call, before = self.explicit[graph][index], self.graphs[graph][index]
        if part not in NODES[call][1]:
            raise NotAllowed
        (after,) = self._work_of_graph(DEFAULT, [("call", call, None, v, *operands)])
        row, n, v, words, names = after
        _require_same_owners(call, before[4], names)
        if part != "all":
            kept = [letter for letter in row.operands if letter != part]
            if n != before[1]:
                raise NotAllowed
            words, names = {**words, **{letter: before[3][letter] for letter in kept}}, {**names, **{letter: before[4][letter] for letter in kept}}
            v = v if part == "v" else before[2]
            if len({id(found.storage) for found in names.values()}) < len(names):
                raise NotAllowed
        self._remember(graph)
        self.graphs[graph] = [*self.graphs[graph]]
        self.graphs[graph][index] = row, n, v, words, names
        texts = self._operand_texts(*after)
        return f"{graph}[{graph}_nodes[{index}]].update({NODES[call][1][part].format(n=n, v=v, **texts)})"

    def _update_graph(self, graph, *calls):
        """All parameters of another graph with the same nodes."""
        if graph not in self.explicit or [call[1] for call in calls] != self.explicit[graph]:
            raise NotAllowed
        work, lines = self._added("other", calls)
        for call, before, after in zip(calls, self.graphs[graph], work, strict=True):
            _require_same_owners(call[1], before[4], after[4])
        self._remember(graph)
        self.graphs[graph] = work
        return "\n".join([*lines, f"{graph}.update(other_graph)", "del other_graph, other_nodes"])

    def _remember(self, graph):
        """An update changes the executable graph only: a clone is of the graph."""
        self.instantiated_from.setdefault(graph, self.graphs[graph])

    def _launch(self, graph, stream):
        self.stream(stream)
        work = self.graphs.get(graph)
        if work is None:
            raise NotAllowed
        clock = self.order.queued(stream)
        for row, _, _, _, names in work:
            for letter, found in names.items():
                writes = row.operands[letter][0] != "r"
                (found.storage.uses.check_write if writes else found.storage.uses.check_read)(stream, clock)
                if found.storage.on_host and "r" in row.operands[letter][0]:
                    found.storage.uses.check_read(stream, self.order.without_default(stream))
        for each in work:
            self._queue(stream, *each)
        return f"{graph}.launch({stream})"

    def _drop_graph(self, graph):
        if self.graphs.pop(graph, None) is None:
            raise NotAllowed
        self.instantiated_from.pop(graph, None)
        return f"del {graph}, {graph}_graph" + (f", {graph}_nodes" if self.explicit.pop(graph, None) else "")

    # ---- the effects of calls ---------------------------------------------------------------------------------------------

    def _queue(self, actor, row, n, v, words, names):
        clock = self.order.queued(actor)
        at = {letter: HOST if found.storage.on_host and row.where != ON_STREAM else actor for letter, found in names.items()}
        for letter, found in names.items():
            check = found.storage.uses.check_read if row.operands[letter][0] == "r" else found.storage.uses.check_write
            if at[letter] == HOST or found.kind == "numpy":  # pageable memory: the call itself may read or write it
                check(HOST, self.order.clock(HOST))
            else:
                check(actor, clock)
                if found.storage.on_host and "r" in row.operands[letter][0]:
                    found.storage.uses.check_read(actor, self.order.without_default(actor))
        result = row.effect(n, v, {letter: found.values for letter, found in names.items() if "r" in row.operands[letter][0]})
        when = self.order.queue(actor, clock)
        if row.where == WAITS:
            self.order.host_waits(DEFAULT)
        for letter, (access, what) in row.operands.items():
            if access == "new" and letter not in names:
                self._make(words[letter][0], what, result, when)
                continue
            uses = names[letter].storage.uses
            moment = when if at[letter] == actor else self.order.step(HOST)
            if access != "r":
                self._store(names[letter], result)
                uses.note_write(moment)
            else:
                uses.note_read(moment)

    def _checked(self, row, words):
        """(elements, {letter: Name}) of the operands that already exist."""
        names = {}
        for letter, (access, what) in row.operands.items():
            if access == "new":
                continue
            name, route = words[letter]
            found = names[letter] = self.name(name)
            if not may_stand(what, found.kind) or route not in KINDS[found.kind].routes:
                raise NotAllowed
            if what == "array" and route != "object":
                raise NotAllowed
            partly = found.n != (len(found.storage.values) if found.storage.values is not None else found.n) or found.first
            if found.values is None and ("r" in access or partly or found.kind == "view"):
                raise NotAllowed
        sizes = {found.n for found in names.values()}
        storages = [found.storage for found in names.values()]
        if len(sizes) != 1 or len(set(map(id, storages))) < len(storages):
            raise NotAllowed
        return sizes.pop(), names

    def _make(self, name, what, values, when):
        storage = Storage("numpy" if what == "host" else "array")
        storage.values = values
        storage.uses.note_write(when)
        self.names[name] = Name("numpy" if what == "host" else "array", storage, 0, len(values))  # Java's is page-locked, and as little can be freed

    @staticmethod
    def _store(found, values):
        storage = found.storage
        if storage.values is None or len(storage.values) == len(values):
            storage.values = values
        else:
            storage.values = storage.values.copy()
            storage.values[found.first : found.first + found.n] = values


def lines_of(steps):
    """(the lines of a program, the model at its end). Raises NotAllowed or Unordered."""
    model = Model()
    return [model.apply(step) for step in steps], model


__all__ = ["Model", "NotAllowed", "Unordered", "lines_of"]
