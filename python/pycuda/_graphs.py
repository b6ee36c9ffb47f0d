"""The Python side of graphs: what adds nodes, and what nodes and executable graphs say."""

import contextlib

__all__ = ["NodeBuilder", "GraphMixin", "GraphNodeMixin", "ExecutableGraphMixin"]


def _driver():
    from pycuda import _driver

    return _driver


@contextlib.contextmanager
def _arguments_of(graph):
    """While memory is given to a node of `graph`: the graph keeps it."""
    native = _driver()
    native._begin_node_arguments(graph)
    try:
        yield native
    finally:
        native._end_node_arguments()


def _is_host(memory):
    """Whether a copy's end is host memory: what has a buffer and no device address."""
    if isinstance(memory, int) or hasattr(memory, "__cuda_array_interface__") or hasattr(memory, "gpudata"):
        return False
    try:
        memoryview(memory)
    except TypeError:
        return False
    return True


def _bytes_of(memory):
    size = getattr(memory, "nbytes", None)
    if size is None:
        size = getattr(memory, "size", None)
    if size is None:
        size = memory.__cuda_array_interface__["shape"][0]
    return int(size)


def _value(text):
    """A number, several, or a text, as the core writes them."""
    numbers = text.split(",")
    if not all(number.isdecimal() for number in numbers):
        return text
    return int(text) if len(numbers) == 1 else tuple(map(int, numbers))


class NodeBuilder:
    """Adds nodes: to a graph, or behind one of its nodes."""

    def kernel(self, function, args=(), *, block, grid=(1, 1, 1), shared=0, cooperative=False, cluster=None, attributes=None, after=()):
        graph, first = self._place(after)
        options = {"block": block, "grid": grid, "shared": shared, "cooperative": cooperative, "cluster": cluster}
        if attributes:
            options["attributes"] = attributes
        with _arguments_of(graph) as native:
            return native._add_kernel_node(graph, function, tuple(args), options, first)

    def memcpy(self, dest, src, size=None, *, after=()):
        graph, first = self._place(after)
        with _arguments_of(graph) as native:
            if _is_host(src):
                return native._add_memcpy_htod_node(graph, dest, _part(src, size), first)
            if _is_host(dest):
                return native._add_memcpy_dtoh_node(graph, _part(dest, size), src, first)
            return graph._add_memcpy_dtod(dest, src, min(_bytes_of(dest), _bytes_of(src)) if size is None else size, first)

    def memset(self, dest, value, count=None, *, width=1, after=()):
        graph, first = self._place(after)
        with _arguments_of(graph):
            return graph._add_memset(dest, value, _bytes_of(dest) // width if count is None else count, width, first)

    def mem_alloc(self, size, *, after=()):
        graph, first = self._place(after)
        return graph._add_mem_alloc(size, first)

    def mem_free(self, memory, *, after=()):
        graph, first = self._place(after)
        if isinstance(memory, GraphNodeMixin):
            memory = memory._allocated()
        return graph._add_mem_free(memory, first)

    def event_record(self, event, *, after=()):
        graph, first = self._place(after)
        return graph._add_event_record(event, first)

    def event_wait(self, event, *, after=()):
        graph, first = self._place(after)
        return graph._add_event_wait(event, first)

    def host_function(self, function, *, after=()):
        graph, first = self._place(after)
        return _driver()._add_host_function_node(graph, function, first)

    def child_graph(self, child, *, after=()):
        graph, first = self._place(after)
        return graph._add_child_graph(child, first)

    def empty(self, *, after=()):
        graph, first = self._place(after)
        return graph._add_empty(first)

    def if_then(self, condition, *, after=()):
        return self._conditional("_add_if", condition, after)

    def if_else(self, condition, *, after=()):
        return self._conditional("_add_if_else", condition, after)

    def while_loop(self, condition, *, after=()):
        return self._conditional("_add_while", condition, after)

    def switch(self, condition, branches, *, after=()):
        return self._conditional("_add_switch", condition, after, branches)

    def _conditional(self, add, condition, after, *branches):
        graph, first = self._place(after)
        with _arguments_of(graph):
            return getattr(graph, add)(condition, *branches, first)


def _part(memory, size):
    """The first `size` bytes of host memory."""
    return memory if size is None else memoryview(memory).cast("B")[:size]


class GraphMixin:
    def _place(self, after):
        return self, list(after)

    @property
    def nodes(self):
        """The nodes, in the order in which they were added."""
        return self._nodes()

    @property
    def edges(self):
        """Pairs of nodes, of which the second waits for the first."""
        ends = self._edge_ends()
        return list(zip(ends[::2], ends[1::2]))

    def instantiate(self, upload=None):
        return _driver().ExecutableGraph(self, upload)


class GraphNodeMixin:
    def _place(self, after):
        return self.graph, [self, *after]

    @property
    def graph(self):
        """The graph that the node is in."""
        return self._graph()

    @property
    def kind(self):
        """What the node does: a `graph_node_kind`."""
        return self._kind()

    @property
    def parameters(self):
        """What the node works on: a dict, whose names depend on the kind."""
        texts = self._parameter_texts()
        return {name: _value(text) for name, text in zip(texts[::2], texts[1::2])}

    @property
    def bodies(self):
        """The graphs inside: of a child graph node one, of a condition its bodies."""
        return self._bodies()

    @property
    def body(self):
        """The only graph inside, or the first."""
        bodies = self._bodies()
        if not bodies:
            raise _driver().LogicError("only a condition and a child graph have a body")
        return bodies[0]

    @property
    def gpudata(self):
        """The address of the memory that the node allocates."""
        return self._allocated()

    def __enter__(self):
        """The body of a condition, or its bodies, to be filled in a block of code."""
        bodies = self._bodies()
        return bodies[0] if len(bodies) == 1 else bodies

    def __exit__(self, *exception):
        pass

    def __eq__(self, other):
        return isinstance(other, GraphNodeMixin) and self.handle == other.handle

    def __hash__(self):
        return hash(self.handle)


class ExecutableNode:
    """One node of an executable graph: ``run[node]``."""

    __slots__ = ("_run", "_node")

    def __init__(self, run, node):
        self._run, self._node = run, node

    def update(self, args=None, **options):
        native = _driver()
        kind = self._node.kind
        native._begin_updated_arguments()
        try:
            if kind == native.graph_node_kind.KERNEL:
                if options:
                    known = self._node.parameters
                    options = {**{name: known[name] for name in ("block", "grid", "shared")}, **options}
                native._update_kernel_node(self._run, self._node, () if args is None else tuple(args), options)
                return
            known = {**self._node.parameters, **options}
            if args is not None or kind not in (native.graph_node_kind.MEMSET, native.graph_node_kind.MEMCPY):
                raise native.LogicError(f"a node of kind {kind!r} has no such parameters to update")
            if kind == native.graph_node_kind.MEMSET:
                self._run._update_memset(self._node, known["dest"], known["value"], known["count"], known["width"])
            else:
                self._run._update_memcpy_dtod(self._node, known["dest"], known["src"], known["size"])
        finally:
            native._end_node_arguments()

    def enable(self):
        self._run._set_enabled(self._node, True)

    def disable(self):
        self._run._set_enabled(self._node, False)

    @property
    def is_enabled(self):
        """Whether launches run the node."""
        return self._run._is_enabled(self._node)


ExecutableNode.__module__ = "pycuda.driver"


class ExecutableGraphMixin:
    def __getitem__(self, node):
        return ExecutableNode(self, node)
