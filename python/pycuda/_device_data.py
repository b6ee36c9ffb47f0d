"""Limits of a device, and how many threads of a kernel they let run at a time."""

import pycuda.driver as cuda

__all__ = ["DeviceData", "OccupancyRecord"]


def _round_up(value, unit):
    return -(-value // unit) * unit


class DeviceData:
    """Limits of a device, for tuning kernels.

    Parameters
    ----------
    dev : Device, optional
        The device; None: the current context's.

    Raises
    ------
    TypeError
        `dev` is not a device.
    LogicError
        `dev` is None and no context is current.

    Examples
    --------
    >>> from pycuda.tools import DeviceData
    >>> DeviceData().warp_size
    32
    """

    def __init__(self, dev=None):
        if dev is None:
            dev = cuda.Context.get_device()
        if not isinstance(dev, cuda.Device):
            raise TypeError(f"dev must be a Device, not {type(dev).__name__}")
        limit = cuda.device_attribute
        capability = dev.compute_capability()
        self.max_threads = dev.get_attribute(limit.MAX_THREADS_PER_BLOCK)
        self.warp_size = dev.get_attribute(limit.WARP_SIZE)
        self.warps_per_mp = dev.get_attribute(limit.MAX_THREADS_PER_MULTIPROCESSOR) // self.warp_size
        self.thread_blocks_per_mp = dev.get_attribute(limit.MAX_BLOCKS_PER_MULTIPROCESSOR)
        self.registers = dev.get_attribute(limit.MAX_REGISTERS_PER_BLOCK)
        self.registers_per_mp = dev.get_attribute(limit.MAX_REGISTERS_PER_MULTIPROCESSOR)
        self.shared_memory = dev.get_attribute(limit.MAX_SHARED_MEMORY_PER_BLOCK)
        self.shared_memory_per_mp = dev.get_attribute(limit.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)
        self.reserved_shared_memory = dev.get_attribute(limit.RESERVED_SHARED_MEMORY_PER_BLOCK)
        self.shared_memory_optin = dev.get_attribute(limit.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
        # The driver does not report these; from the tables of the programming guide. Devices before 5.0 have no driver for CUDA 13.
        self.smem_alloc_granularity = 256 if capability < (8, 0) else 128
        self.smem_granularity = 32
        self.register_allocation_unit = "warp"

    def align(self, bytes, word_size=4):
        """Round a size up to the alignment for coalesced access.

        Parameters
        ----------
        bytes : int
            Size in bytes.
        word_size : int, optional
            Bytes of a word: 4, 8 or 16.

        Returns
        -------
        int
            Size in bytes.
        """
        return _round_up(bytes, self.align_bytes(word_size))

    def align_dtype(self, elements, dtype_size):
        """Round a number of elements up to the alignment for coalesced access.

        Parameters
        ----------
        elements : int
            Number of elements.
        dtype_size : int
            Bytes of an element: 4, 8 or 16.

        Returns
        -------
        int
            Number of elements.
        """
        return _round_up(elements, self.align_words(dtype_size))

    def align_words(self, word_size):
        """Return the alignment for coalesced access, in words.

        Parameters
        ----------
        word_size : int
            Bytes of a word: 4, 8 or 16.

        Returns
        -------
        int
            Number of words.
        """
        return self.align_bytes(word_size) // word_size

    def align_bytes(self, word_size=4):
        """Return the alignment for coalesced access, in bytes.

        Parameters
        ----------
        word_size : int, optional
            Bytes of a word: 4, 8 or 16.

        Returns
        -------
        int
            Number of bytes.

        Raises
        ------
        ValueError
            The word size is another number.
        """
        if word_size == 4:
            return 64
        if word_size in (8, 16):
            return 128
        raise ValueError(f"expected a word size of 4, 8 or 16 bytes, given {word_size}")

    def coalesce(self, thread_count):
        """Round a number of threads up to half a warp.

        Parameters
        ----------
        thread_count : int
            Number of threads.

        Returns
        -------
        int
            Number of threads.
        """
        return _round_up(thread_count, 16)

    @staticmethod
    def make_valid_tex_channel_count(size):
        """Round a number of channels up to one that a texture can have.

        Parameters
        ----------
        size : int
            Number of channels, up to 4.

        Returns
        -------
        int
            1, 2 or 4.

        Raises
        ------
        ValueError
            A texture has at most 4 channels.
        """
        for count in (1, 2, 4):
            if size <= count:
                return count
        raise ValueError(f"a texture has at most 4 channels, {size} were requested")


class OccupancyRecord:
    """How many blocks of a kernel a multiprocessor runs at once, and what limits that.

    Parameters
    ----------
    devdata : DeviceData
        Limits of the device.
    threads : int
        Threads per block.
    shared_mem : int, optional
        Bytes of shared memory per block.
    registers : int, optional
        Registers per thread.

    Attributes
    ----------
    tb_per_mp
        Blocks per multiprocessor.
    limited_by
        What limits them: "device", "warps", "regs" or "smem".
    warps_per_mp
        Warps per multiprocessor.
    occupancy
        `warps_per_mp` divided by the device's limit, 0 to 1.

    Raises
    ------
    ValueError
        A block of this kind exceeds the device's limits.

    Examples
    --------
    >>> from pycuda.tools import DeviceData, OccupancyRecord
    >>> OccupancyRecord(DeviceData(), threads=256).occupancy
    1.0
    """

    #: Registers are allocated in units of this many per warp, to groups of four warps.
    _register_unit, _warp_group = 256, 4

    def __init__(self, devdata, threads, shared_mem=0, registers=0):
        if threads > devdata.max_threads:
            raise ValueError(f"too many threads: a block has at most {devdata.max_threads}, {threads} were requested")
        if shared_mem > max(devdata.shared_memory, devdata.shared_memory_optin):
            raise ValueError(f"too much smem: a block has at most {max(devdata.shared_memory, devdata.shared_memory_optin)} bytes "
                             f"of shared memory, {shared_mem} were requested")
        warps = max(1, -(-threads // devdata.warp_size))
        registers_per_warp = _round_up(registers * devdata.warp_size, self._register_unit)
        if registers_per_warp * warps > devdata.registers:
            raise ValueError(f"too many registers: a block has at most {devdata.registers}, {registers} for each of {threads} "
                             "threads were requested")

        self.tb_per_mp_limits = [(devdata.thread_blocks_per_mp, "device"), (devdata.warps_per_mp // warps, "warps")]
        if registers_per_warp:
            max_warps = devdata.registers_per_mp // registers_per_warp // self._warp_group * self._warp_group
            self.tb_per_mp_limits.append((max_warps // warps, "regs"))
        if shared_mem:
            per_block = _round_up(shared_mem + devdata.reserved_shared_memory, devdata.smem_alloc_granularity)
            self.tb_per_mp_limits.append((devdata.shared_memory_per_mp // per_block, "smem"))

        self.tb_per_mp, self.limited_by = min(self.tb_per_mp_limits)
        self.warps_per_mp = self.tb_per_mp * warps
        self.occupancy = self.warps_per_mp / devdata.warps_per_mp
