"""Jupyter's representations of arrays, devices and kernels."""

import html

__all__ = ["array_html", "device_html", "function_html"]


def _table(title, rows):
    cells = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th><td style='text-align:left'>{value}</td></tr>" for name, value in rows)
    return f"<table><caption style='text-align:left'><b>{html.escape(title)}</b></caption>{cells}</table>"


def array_html(array):
    """Return an array's values, shape, dtype and device."""
    rows = [("shape", html.escape(str(array.shape))), ("dtype", html.escape(str(array.dtype))), ("bytes", f"{array.nbytes:,}")]
    return _table(type(array).__name__, rows) + f"<pre>{html.escape(repr(array))}</pre>"


def device_html(device):
    """Return a device's name and limits."""
    major, minor = device.compute_capability()
    return _table(device.name(), [
        ("compute capability", f"{major}.{minor}"), ("memory", f"{device.total_memory() >> 20:,} MiB"),
        ("multiprocessors", device.multiprocessor_count), ("threads per block", f"{device.max_threads_per_block:,}"),
        ("shared memory per block", f"{device.max_shared_memory_per_block:,} bytes"), ("PCI bus ID", html.escape(device.pci_bus_id()))])


def _occupancy(function, sizes):
    """Return the share of a multiprocessor's warps that a kernel keeps busy, from 0 to 1, for each block size."""
    from pycuda._driver import Context

    limit = Context.get_device().max_threads_per_multiprocessor
    return [function.max_active_blocks_per_multiprocessor(size) * size / limit for size in sizes]


def _bars(sizes, values):
    """Return an SVG bar chart of numbers from 0 to 1."""
    width, height = 12, 60
    bars = "".join(f"<rect x='{k * (width + 2)}' y='{height * (1 - value):.1f}' width='{width}' height='{height * value:.1f}' fill='#3572b0'>"
                   f"<title>{size} threads: {value:.0%}</title></rect>" for k, (size, value) in enumerate(zip(sizes, values)))
    return f"<svg width='{len(sizes) * (width + 2)}' height='{height}' role='img'><title>occupancy by block size</title>{bars}</svg>"


def function_html(function):
    """Return a kernel's resources and, if a context is current, its occupancy over block sizes."""
    from pycuda._driver import Context

    rows = [("registers per thread", function.num_regs), ("shared memory per block", f"{function.shared_size_bytes:,} bytes"),
            ("local memory per thread", f"{function.local_size_bytes:,} bytes"), ("threads per block", f"at most {function.max_threads_per_block:,}")]
    if Context.get_current() is not None:
        sizes = range(32, function.max_threads_per_block + 1, 32)
        rows.append((f"occupancy, {sizes[0]} to {sizes[-1]} threads", _bars(sizes, _occupancy(function, sizes))))
    return _table(function.name, rows)
