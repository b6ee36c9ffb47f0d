"""The Python side of graphs: methods that add nodes, and methods of nodes and executable graphs."""

import contextlib
from collections.abc import Iterable

import numpy as np

from pycuda import _native

__all__ = ["NodeBuilder", "GraphMixin", "GraphNodeMixin", "ExecutableGraphMixin"]


def _driver():
    from pycuda import _driver

    return _driver


@contextlib.contextmanager
def _arguments_of(graph=None):
    """A scope in which memory is passed to a node of `graph`, which then keeps it alive, or, without one, to an update of a node, which keeps it
    until another update."""
    native = _driver()
    if graph is None:
        native._begin_replaced_arguments()
    else:
        native._begin_node_arguments(graph)
    try:
        yield native
    finally:
        native._end_node_arguments()


def _launch_options(block, grid, shared, cooperative, cluster, attributes):
    options = {"block": block, "grid": grid, "shared": shared, "cooperative": cooperative, "cluster": cluster}
    if attributes:
        options["attributes"] = attributes
    return options


def _is_host(memory):
    """Whether a copy's end is host memory: an object with a buffer and without a device address."""
    if isinstance(memory, (int, np.number)) or hasattr(memory, "__cuda_array_interface__") or hasattr(memory, "gpudata"):
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
        interface = getattr(memory, "__cuda_array_interface__", None)
        if interface is None:
            raise TypeError(f"the size of the memory is not known from {type(memory).__name__}: pass it as well")
        size = interface["shape"][0]
    return int(size)


def _size_of_row(dest, src):
    """The number of bytes that both ends have; an array has as many as the other end."""
    sizes = [memoryview(end).nbytes if _is_host(end) else _bytes_of(end) for end in (dest, src) if not isinstance(end, _driver().Array)]
    if not sizes:
        raise TypeError("memcpy needs a size for a copy between arrays: pass size=...")
    return min(sizes)


def _row(**ends):
    """A copy with these ends, `dest` and `src`, or one of them."""
    native = _driver()
    copy = native.Memcpy3D()
    setters = {
        "dest": (copy.set_dst_host, copy.set_dst_array, native._set_linear_dest),
        "src": (copy.set_src_host, copy.set_src_array, native._set_linear_src),
    }
    for side, end in ends.items():
        set_host, set_array, set_device = setters[side]
        native._read_end_of_copy(side == "src")
        if isinstance(end, native.Array):
            set_array(end)
        elif _is_host(end):
            set_host(end)
        else:
            set_device(copy, end)
    return copy


def _after(nodes):
    """`after`, one node or several, as a list."""
    if isinstance(nodes, GraphNodeMixin):
        return [nodes]
    if not isinstance(nodes, Iterable):
        raise TypeError(f"after: expected a GraphNode or several, not {type(nodes).__name__}")
    return list(nodes)


def _check_condition(memory):
    """Addresses and memory without a dtype are taken as they are."""
    dtype = None if isinstance(memory, np.generic) else getattr(memory, "dtype", None)
    if dtype is not None and (np.dtype(dtype).kind not in "iu" or np.dtype(dtype).itemsize != 4):
        raise TypeError(f"a condition is an int32 in device memory, not {dtype}")


def _parameters(texts):
    """The dict of a node's parameters."""
    return {name: _value(text) for name, text in zip(texts[::2], texts[1::2])}


def _value(text):
    """Parse a number, several numbers, or a text, in the core's format."""
    numbers = text.split(",")
    if not all(number.isdecimal() for number in numbers):
        return text
    return int(text) if len(numbers) == 1 else tuple(map(int, numbers))


class NodeBuilder:
    """Adds nodes to a graph, or after one of its nodes."""

    def kernel(self, function, args=(), *, block, grid=(1, 1, 1), shared=0, cooperative=False, cluster=None, attributes=None,
               after=()):
        """Add a launch of a kernel.

        Parameters
        ----------
        function : Function
            The kernel.
        args : sequence, optional
            Its arguments, as in a call; `In`, `Out` and `InOut` are refused.
        block : tuple of int
            Threads per block.
        grid : tuple of int, optional
            Blocks in the grid.
        shared : int, optional
            Bytes of dynamic shared memory.
        cooperative : bool, optional
            Whether all blocks run at the same time.
        cluster : tuple of int, optional
            Blocks per cluster.
        attributes : mapping, optional
            Attributes of the launch, by name or `launch_attribute`.
        after : GraphNode or iterable of GraphNode, optional
            @after_nodes

        Returns
        -------
        GraphNode
            The node.

        Raises
        ------
        LogicError
            @refused_node
        TypeError
            An argument does not fit the kernel.

        Notes
        -----
        Driver call: cuGraphAddKernelNode.
        """
        graph, first = self._graph_and_predecessors(after)
        options = _launch_options(block, grid, shared, cooperative, cluster, attributes)
        with _arguments_of(graph) as native:
            return native._add_kernel_node(graph, function, tuple(args), options, first)

    def memcpy(self, dest, src, size=None, *, after=()):
        """Add a copy.

        Each launch copies what the host memory then contains. Host memory and arrays are kept until the graph is gone. Of arrays, this copies
        the first row.

        Parameters
        ----------
        dest : int, object with a device address, Array or writable buffer
            Where to copy to.
        src : int, object with a device address, Array or buffer
            Where to copy from.
        size : int, optional
            Number of bytes; None: the size of both, or of the one that is not an array.
        after : GraphNode or iterable of GraphNode, optional
            @after_nodes

        Returns
        -------
        GraphNode
            The node.

        Raises
        ------
        LogicError
            @refused_node

        Notes
        -----
        Driver call: cuGraphAddMemcpyNode.
        """
        graph, first = self._graph_and_predecessors(after)
        with _arguments_of(graph):
            copy = _row(dest=dest, src=src)
            copy.width_in_bytes = _size_of_row(dest, src) if size is None else size
            copy.height = copy.depth = 1
            return graph._add_memcpy(copy, first)

    def memcpy_nd(self, copy, *, after=()):
        """Add a copy of a rectangle or a box between memory and arrays.

        Both ends are kept until the graph is gone.

        Parameters
        ----------
        copy : Memcpy2D or Memcpy3D
            The copy, as it is now.
        after : GraphNode or iterable of GraphNode, optional
            @after_nodes

        Returns
        -------
        GraphNode
            The node.

        Raises
        ------
        LogicError
            A node of `after` belongs to another graph, an end is not set or freed, or the driver refused the node.
        ValueError
            The copy would go beyond host memory.

        Notes
        -----
        Driver call: cuGraphAddMemcpyNode.
        """
        graph, first = self._graph_and_predecessors(after)
        return graph._add_memcpy(copy, first)

    def memset(self, dest, value, count=None, *, width=1, after=()):
        """Add a fill.

        Parameters
        ----------
        dest : int or object with a device address
            What to fill.
        value : int
            The value of every element.
        count : int, optional
            Number of elements; None: all of `dest`.
        width : int, optional
            Bytes per element: 1, 2 or 4.
        after : GraphNode or iterable of GraphNode, optional
            @after_nodes

        Returns
        -------
        GraphNode
            The node.

        Raises
        ------
        LogicError
            @refused_node
        ValueError
            The width is another, or the value does not fit.

        Notes
        -----
        Driver call: cuGraphAddMemsetNode.
        """
        graph, first = self._graph_and_predecessors(after)
        with _arguments_of(graph):
            return graph._add_memset(dest, value, _bytes_of(dest) // width if count is None else count, width, first)

    def mem_alloc(self, size, *, after=()):
        """Add an allocation.

        The memory belongs to the graph, and can be used after this node. Its address is the node's `gpudata`.

        Parameters
        ----------
        size : int
            Number of bytes.
        after : GraphNode or iterable of GraphNode, optional
            @after_nodes

        Returns
        -------
        GraphNode
            The node.

        Raises
        ------
        LogicError
            @refused_node

        Notes
        -----
        Driver call: cuGraphAddMemAllocNode.
        """
        graph, first = self._graph_and_predecessors(after)
        return graph._add_mem_alloc(size, first)

    def mem_free(self, memory, *, after=()):
        """Add the end of an allocation.

        Parameters
        ----------
        memory : GraphNode, int or object with a device address
            The node that allocates, or the address.
        after : GraphNode or iterable of GraphNode, optional
            @after_nodes

        Returns
        -------
        GraphNode
            The node.

        Raises
        ------
        LogicError
            @refused_node

        Notes
        -----
        Driver call: cuGraphAddMemFreeNode.
        """
        graph, first = self._graph_and_predecessors(after)
        if isinstance(memory, GraphNodeMixin):
            memory = memory._allocated()
        return graph._add_mem_free(memory, first)

    def event_record(self, event, *, after=()):
        """Add the record of an event.

        Parameters
        ----------
        event : Event
            The event.
        after : GraphNode or iterable of GraphNode, optional
            @after_nodes

        Returns
        -------
        GraphNode
            The node.

        Raises
        ------
        LogicError
            @refused_node

        Notes
        -----
        Driver call: cuGraphAddEventRecordNode.
        """
        graph, first = self._graph_and_predecessors(after)
        return graph._add_event_record(event, first)

    def event_wait(self, event, *, after=()):
        """Add a wait for an event.

        Parameters
        ----------
        event : Event
            The event.
        after : GraphNode or iterable of GraphNode, optional
            @after_nodes

        Returns
        -------
        GraphNode
            The node.

        Raises
        ------
        LogicError
            @refused_node

        Notes
        -----
        Driver call: cuGraphAddEventWaitNode.
        """
        graph, first = self._graph_and_predecessors(after)
        return graph._add_event_wait(event, first)

    def memory_operations(self, operations, *, after=()):
        """Add writes of words, and waits for words.

        Parameters
        ----------
        operations : MemoryOperations
            The operations, as they are now. The graph keeps the words' memory; of a number only memory that begins there.
        after : GraphNode or iterable of GraphNode, optional
            @after_nodes

        Returns
        -------
        GraphNode
            The node.

        Raises
        ------
        LogicError
            @refused_node
        RuntimeError
            The driver is older than CUDA 11.7's.

        Notes
        -----
        Driver call: cuGraphAddBatchMemOpNode.
        """
        graph, first = self._graph_and_predecessors(after)
        return graph._add_memory_operations(operations, first)

    def signal_semaphores(self, semaphores, *, after=()):
        """Signal semaphores of other interfaces, such as Vulkan's.

        Parameters
        ----------
        semaphores : SemaphoreValues
            The semaphores with their values, as they are now. The graph keeps them.
        after : GraphNode or iterable of GraphNode, optional
            @after_nodes

        Returns
        -------
        GraphNode
            The node.

        Raises
        ------
        LogicError
            @refused_node

        Notes
        -----
        Driver call: cuGraphAddExternalSemaphoresSignalNode.
        """
        graph, first = self._graph_and_predecessors(after)
        return graph._add_semaphore_signals(semaphores, first)

    def wait_for_semaphores(self, semaphores, *, after=()):
        """Wait for all of several semaphores of other interfaces.

        Parameters
        ----------
        semaphores : SemaphoreValues
            The semaphores with their values, as they are now. The graph keeps them.
        after : GraphNode or iterable of GraphNode, optional
            @after_nodes

        Returns
        -------
        GraphNode
            The node.

        Raises
        ------
        LogicError
            @refused_node

        Notes
        -----
        Driver call: cuGraphAddExternalSemaphoresWaitNode.
        """
        graph, first = self._graph_and_predecessors(after)
        return graph._add_semaphore_waits(semaphores, first)

    def host_function(self, function, *, after=()):
        """Add a function of the host, which each launch calls.

        Parameters
        ----------
        function : callable
            Called without arguments, on a thread of the driver; it must not call the driver.
        after : GraphNode or iterable of GraphNode, optional
            @after_nodes

        Returns
        -------
        GraphNode
            The node.

        Raises
        ------
        LogicError
            @refused_node

        Notes
        -----
        Driver call: cuGraphAddHostNode.
        """
        graph, first = self._graph_and_predecessors(after)
        return _driver()._add_host_function_node(graph, function, first)

    def child_graph(self, child, *, after=()):
        """Add a copy of another graph.

        Parameters
        ----------
        child : Graph
            The graph, as it is now.
        after : GraphNode or iterable of GraphNode, optional
            @after_nodes

        Returns
        -------
        GraphNode
            The node.

        Raises
        ------
        LogicError
            @refused_node

        Notes
        -----
        Driver call: cuGraphAddChildGraphNode.
        """
        graph, first = self._graph_and_predecessors(after)
        return graph._add_child_graph(child, first)

    def empty(self, *, after=()):
        """Add a node that does nothing, and can be waited for.

        Parameters
        ----------
        after : GraphNode or iterable of GraphNode, optional
            @after_nodes

        Returns
        -------
        GraphNode
            The node.

        Raises
        ------
        LogicError
            @refused_node

        Notes
        -----
        Driver call: cuGraphAddEmptyNode.
        """
        graph, first = self._graph_and_predecessors(after)
        return graph._add_empty(first)

    def if_then(self, condition, *, after=()):
        """Add a condition.

        Its body runs if an int32 is not 0 when the graph gets there.

        Parameters
        ----------
        condition : int or object with a device address
            Where the int32 is: an array, an element, an address.
        after : GraphNode or iterable of GraphNode, optional
            @after_nodes

        Returns
        -------
        GraphNode
            The node.

        Raises
        ------
        LogicError
            @refused_node

        Notes
        -----
        Driver call: cuGraphAddNode, cuGraphConditionalHandleCreate.
        """
        return self._conditional("_add_if", condition, after)

    def if_else(self, condition, *, after=()):
        """Add a condition with two bodies.

        The first runs if an int32 is not 0 when the graph gets there, else the second.

        Parameters
        ----------
        condition : int or object with a device address
            Where the int32 is: an array, an element, an address.
        after : GraphNode or iterable of GraphNode, optional
            @after_nodes

        Returns
        -------
        GraphNode
            The node.

        Raises
        ------
        LogicError
            @refused_node

        Notes
        -----
        Driver call: cuGraphAddNode, cuGraphConditionalHandleCreate.
        """
        return self._conditional("_add_if_else", condition, after)

    def while_loop(self, condition, *, after=()):
        """Add a loop.

        Its body runs as long as an int32 is not 0.

        Parameters
        ----------
        condition : int or object with a device address
            Where the int32 is: an array, an element, an address.
        after : GraphNode or iterable of GraphNode, optional
            @after_nodes

        Returns
        -------
        GraphNode
            The node.

        Raises
        ------
        LogicError
            @refused_node

        Notes
        -----
        Driver call: cuGraphAddNode, cuGraphConditionalHandleCreate.
        """
        return self._conditional("_add_while", condition, after)

    def switch(self, condition, branches, *, after=()):
        """Add a condition with several bodies.

        The int32 is the number of the body that runs; if there is no such body, none runs.

        Parameters
        ----------
        condition : int or object with a device address
            Where the int32 is: an array, an element, an address.
        branches : int
            How many bodies there are.
        after : GraphNode or iterable of GraphNode, optional
            @after_nodes

        Returns
        -------
        GraphNode
            The node.

        Raises
        ------
        LogicError
            @refused_node

        Notes
        -----
        Driver call: cuGraphAddNode, cuGraphConditionalHandleCreate.
        """
        return self._conditional("_add_switch", condition, after, branches)

    def _conditional(self, add, condition, after, *branches):
        graph, first = self._graph_and_predecessors(after)
        _check_condition(condition)
        with _arguments_of(graph):
            return getattr(graph, add)(condition, *branches, first)


class GraphMixin:
    def _graph_and_predecessors(self, after):
        return self, _after(after)

    @property
    def nodes(self):
        """The nodes, in the order in which they were added."""
        return self._nodes()

    @property
    def roots(self):
        """The nodes that wait for no other."""
        return self._roots()

    @property
    def edges(self):
        """Pairs of nodes: the second waits for the first."""
        ends = self._edge_ends()
        return list(zip(ends[::2], ends[1::2]))

    def instantiate(self, upload=None, *, device_launch=False):
        """Make the graph ready to be launched.

        Parameters
        ----------
        upload : Stream, optional
            Stream on which to upload the graph now; None: it is uploaded at the first launch.
        device_launch : bool, optional
            Whether kernels may launch it as well, by its `handle`, once it has been uploaded. It may then have kernels,
            copies, fills and child graphs only. The CPU device has no such launches.

        Returns
        -------
        ExecutableGraph
            The executable graph.

        Raises
        ------
        LogicError
            The driver refused the graph.

        Notes
        -----
        Driver call: cuGraphInstantiateWithFlags, cuGraphUpload.
        """
        return _driver().ExecutableGraph(self, upload, device_launch)


class GraphNodeMixin:
    def _graph_and_predecessors(self, after):
        return self.graph, [self, *_after(after)]

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
        return _parameters(self._parameter_texts())

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

    @property
    def dependencies(self):
        """The nodes that it waits for."""
        return self._dependencies()

    @property
    def dependents(self):
        """The nodes that wait for it."""
        return self._dependents()

    def update(self, *, copy=None, event=None, operations=None, semaphores=None, host_function=None, kernel=None, dest=None, **options):
        """Give the node other parameters.

        Executable graphs that are later created or updated from the graph use them. Pass what the node has: one of `copy`, `event`,
        `operations`, `semaphores`, `host_function`, `kernel` and `dest`.

        Parameters
        ----------
        copy : Memcpy2D or Memcpy3D, optional
            The copy, of any shape, as it is now. Its ends are kept until another update or the end of the graph.
        event : Event, optional
            The event to record or to wait for.
        operations : MemoryOperations, optional
            The operations, as they are now.
        semaphores : SemaphoreValues, optional
            The semaphores to signal or to wait for, with their values, as they are now.
        host_function : callable, optional
            The function of the host.
        kernel : Function, optional
            The kernel.
        dest : int or object with a device address, optional
            What to fill.
        **options
            With `kernel`, those of `GraphBuilder.kernel`: `args`, `block` and others. With `dest`, `value`, `count` and `width` of
            `GraphBuilder.memset`.

        Raises
        ------
        LogicError
            The node is of another kind, an end of the copy is not set or freed, or the driver refused the parameters.
        TypeError
            None or several are given.
        ValueError
            The copy would go beyond host memory.

        Notes
        -----
        Driver call: cuGraphMemcpyNodeSetParams, cuGraphEventRecordNodeSetEvent, cuGraphEventWaitNodeSetEvent,
        cuGraphBatchMemOpNodeSetParams, cuGraphExternalSemaphoresSignalNodeSetParams, cuGraphExternalSemaphoresWaitNodeSetParams,
        cuGraphHostNodeSetParams, cuGraphKernelNodeSetParams, cuGraphMemsetNodeSetParams.
        """
        if sum(given is not None for given in (copy, event, operations, semaphores, host_function, kernel, dest)) != 1:
            raise TypeError("update takes one of copy, event, operations, semaphores, host_function, kernel and dest")
        if options and kernel is None and dest is None:
            raise TypeError(f"update() got {', '.join(options)} without kernel or dest")
        if copy is not None:
            self._update_memcpy(copy)
        elif event is not None:
            self._update_event(event)
        elif operations is not None:
            self._update_memory_operations(operations)
        elif semaphores is not None:
            self._update_semaphores(semaphores)
        elif host_function is not None:
            _driver()._update_host_function(self, host_function)
        elif kernel is not None:
            self._replace_kernel(kernel, **options)
        else:
            self._replace_fill(dest, **options)

    def _replace_kernel(self, function, args=(), *, block, grid=(1, 1, 1), shared=0, cooperative=False, cluster=None, attributes=None):
        with _arguments_of() as native:
            native._replace_kernel(self, function, tuple(args), _launch_options(block, grid, shared, cooperative, cluster, attributes))

    def _replace_fill(self, dest, value, count=None, width=1):
        with _arguments_of():
            self._update_memset(dest, value, _bytes_of(dest) // width if count is None else count, width)

    def get_attribute(self, attribute):
        """Return an attribute of a kernel's launch.

        Parameters
        ----------
        attribute : str or launch_attribute
            The attribute, as for a launch.

        Returns
        -------
        int or tuple
            Its value, without events; the address of a window is an int.

        Raises
        ------
        LogicError
            The node is not a kernel, or its launch does not have the attribute.

        Notes
        -----
        Driver call: cuGraphKernelNodeGetAttribute.
        """
        return _driver()._node_attribute(self, attribute)

    def set_attribute(self, attribute, value):
        """Set an attribute of a kernel's launch, for executable graphs that are later created or updated from the graph.

        Parameters
        ----------
        attribute : str or launch_attribute
            The attribute, as for a launch.
        value : object
            Its value; a tuple if it has several parts.

        Raises
        ------
        LogicError
            The node is not a kernel, or the driver refuses the value.
        TypeError
            The value has a wrong type or number of parts.

        Notes
        -----
        Driver call: cuGraphKernelNodeSetAttribute.
        """
        _driver()._set_node_attribute(self, attribute, value)

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


class ExecutableNode(_native.ExecutableNodeBase):
    """One node of an executable graph: ``run[node]``.

    Parameters
    ----------
    run : ExecutableGraph
        The executable graph.
    node : GraphNode
        A node of the graph that it was made from.
    """

    __slots__ = ()

    def __init__(self, run, node):
        self._bind(run, node)

    def _update_other(self, **options):
        """Implements `update` without a kernel's arguments."""
        native = _driver()
        kind = self._node.kind
        if kind == native.graph_node_kind.MEMSET:
            return self._update_fill(**options)
        if kind == native.graph_node_kind.MEMCPY:
            return self._update_copy(**options)
        if kind in (native.graph_node_kind.EVENT_RECORD, native.graph_node_kind.WAIT_EVENT):
            return self._update_event(**options)
        if kind == native.graph_node_kind.BATCH_MEM_OP:
            return self._update_operations(**options)
        if kind in (native.graph_node_kind.EXT_SEMAS_SIGNAL, native.graph_node_kind.EXT_SEMAS_WAIT):
            return self._update_semaphores(**options)
        if kind == native.graph_node_kind.HOST:
            return self._update_host_function(**options)
        if kind == native.graph_node_kind.GRAPH:
            return self._update_child(**options)
        if kind != native.graph_node_kind.KERNEL:
            raise native.LogicError(f"a node of kind {kind.name} cannot be updated")
        if not options:
            raise TypeError("update of a kernel needs its arguments, args=(...), or another geometry")
        native._update_kernel_geometry(self._run, self._node, options)

    def _update_event(self, event):
        self._run._update_event(self._node, event)

    def _update_operations(self, operations):
        self._run._update_memory_operations(self._node, operations)

    def _update_semaphores(self, semaphores):
        self._run._update_semaphores(self._node, semaphores)

    def _update_host_function(self, host_function):
        _driver()._update_executable_host_function(self._run, self._node, host_function)

    def _update_child(self, graph):
        self._run._update_child_graph(self._node, graph)

    def _update_fill(self, dest=None, value=None, count=None, width=None):
        _driver()._update_fill_node(self._run, self._node, dest, value, count, width)

    def _update_copy(self, dest=None, src=None, size=None, copy=None):
        if copy is not None:
            return self._run._update_memcpy(self._node, copy)
        ends = {side: end for side, end in (("dest", dest), ("src", src)) if end is not None}
        if size is None:
            size = _parameters(self._run._parameter_texts(self._node))["size"]
        self._run._update_memcpy(self._node, _row(**ends), size)

    def enable(self):
        """Let launches run the node again.

        Raises
        ------
        LogicError
            The node is of another kind, or belongs to another graph.

        Notes
        -----
        Driver call: cuGraphNodeSetEnabled.
        """
        self._run._set_enabled(self._node, True)

    def disable(self):
        """Let launches leave the node out: a kernel, a copy or a fill.

        Raises
        ------
        LogicError
            The node is of another kind, or belongs to another graph.

        Notes
        -----
        Driver call: cuGraphNodeSetEnabled.
        """
        self._run._set_enabled(self._node, False)

    @property
    def is_enabled(self):
        """Whether launches run the node."""
        return self._run._is_enabled(self._node)


ExecutableNode.__module__ = "pycuda.driver"


class ExecutableGraphMixin:
    def __getitem__(self, node):
        """One node, to be updated, enabled or disabled."""
        if not isinstance(node, GraphNodeMixin):
            raise TypeError(f"expected a GraphNode of the graph that this was made of, not {type(node).__name__}")
        return ExecutableNode(self, node)
