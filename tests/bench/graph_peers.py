"""The graphs of graph_bench.py in cuda.core and PyTorch, if they are installed. The argument is the library of plain C, against which they are timed
in the same way. PyTorch's kernel is its own addition of 32 floats, and it cannot update a node."""

import sys

import numpy as np
import pycuda.autoprimaryctx  # noqa: F401  the context that the others use
import pycuda.driver as drv
from graph_bench import CAPTURED, LONG, plain_graphs
from launch_bench import compare, heading, plain_driver


def cuda_core(image):
    from cuda.core import Device, LaunchConfig, ObjectCode, launch

    try:
        from cuda.core.graph import GraphDefinition
    except ImportError:  # before 1.0
        GraphDefinition = None
    device = Device()
    device.set_current()
    stream, config = device.create_stream(), LaunchConfig(grid=1, block=32)
    kernel, memory = ObjectCode.from_ptx(image).get_kernel("add"), [drv.mem_alloc(128) for _ in range(3)]
    arguments = (*map(int, memory), np.int32(32))

    def launches(to=stream):
        for _ in range(CAPTURED):
            launch(to, config, kernel, *arguments)

    def build(work):
        builder = stream.create_graph_builder().begin_building("thread_local")
        work(builder)
        return builder.end_building()

    known = {"one": build(lambda to: launch(to, config, kernel, *arguments)).complete(), "hundred": build(launches).complete(), "stream": stream,
             "launches": launches, "capture": lambda: build(launches).close(), "memory": memory}
    statements = {"one": "one.launch(stream)", "hundred": "hundred.launch(stream)", "launches": "launches()", "capture": "capture()"}
    if GraphDefinition and hasattr(GraphDefinition(), "launch"):
        definition = GraphDefinition()
        node = definition.launch(config, kernel, *arguments)
        run = definition.instantiate()
        if hasattr(run, "__getitem__"):
            known |= {"run": run, "node": run[node], "config": config, "kernel": kernel, "arguments": arguments}
            statements["update"] = "node.update(config=config, kernel=kernel, args=arguments)"
    return statements, known


def pytorch(image):
    import torch

    torch.cuda.set_stream(torch.cuda.Stream())
    a, b, dest = (torch.zeros(32, device="cuda") for _ in range(3))
    torch.add(a, b, out=dest)  # loads the kernel before the captures

    def launches(count=CAPTURED):
        for _ in range(count):
            torch.add(a, b, out=dest)

    def capture(count=CAPTURED, **options):
        graph = torch.cuda.CUDAGraph(**options)
        graph.capture_begin(capture_error_mode="thread_local")
        launches(count)
        graph.capture_end()
        return graph

    known = {"one": capture(1), "hundred": capture(), "launches": launches, "capture": lambda: capture(keep_graph=True)}  # kept: not instantiated
    return {"one": "one.replay()", "hundred": "hundred.replay()", "launches": "launches()", "capture": "capture()"}, known


def main():
    plain, image = plain_graphs(sys.argv[1]), plain_driver(sys.argv[1]).fast_kernel()
    rows = {"one": ("launch a graph of one kernel", plain.plain_graph_launch, {}), "hundred": ("launch a graph of 100 kernels", plain.plain_graph_100, LONG),
            "launches": ("launch 100 kernels", plain.plain_100_launches, LONG), "update": ("update a node's arguments", plain.plain_node_update, {}),
            "capture": ("capture 100 launches", plain.plain_capture, LONG)}
    for name, prepare in {"cuda.core": cuda_core, "PyTorch": pytorch}.items():
        try:
            statements, known = prepare(image)
        except ImportError as error:
            print(f"{name}: {error}", file=sys.stderr)
            continue
        heading(name)
        for key, statement in statements.items():
            title, in_c, options = rows[key]
            compare(title, in_c, statement, known, **options)


if __name__ == "__main__":
    main()
