"""OpenGL's buffers and images for CUDA, in place.

OpenGL works in the context that is current on the calling thread: make one current, then a context of CUDA (``make_context`` here, or any
other way), and register, map, unmap and unregister on that thread. Importing this does not need OpenGL.
"""

import warnings

from pycuda.driver import Context, RegisteredBuffer, RegisteredImage, RegisteredMapping, graphics_map_flags, make_gl_context

__all__ = ["BufferObject", "BufferObjectMapping", "RegisteredBuffer", "RegisteredImage", "RegisteredMapping", "graphics_map_flags", "init",
           "make_context"]

make_context = make_gl_context


def _warn(name, instead):
    warnings.warn(f"pycuda.gl.{name} is deprecated: {instead}", DeprecationWarning, stacklevel=3)


def init():
    """Do nothing: every context can be used with OpenGL. Deprecated.

    Raises
    ------
    LogicError
        No context is current.
    """
    _warn("init", "there is nothing to be done")
    Context.get_device()


class BufferObject:
    """An OpenGL buffer. Deprecated: use `RegisteredBuffer`.

    Parameters
    ----------
    bufobj : int
        OpenGL's name of the buffer.
    """

    def __init__(self, bufobj):
        _warn("BufferObject", "use RegisteredBuffer")
        self._registered = RegisteredBuffer(bufobj)

    def handle(self):
        """Return OpenGL's name of the buffer.

        Returns
        -------
        int
            The name.
        """
        return self._registered.gl_handle()

    def unregister(self):
        """Unregister the buffer.

        Raises
        ------
        LogicError
            The buffer is mapped, or unregistered already.
        """
        self._registered.unregister()

    def map(self):
        """Map the buffer for CUDA.

        Returns
        -------
        BufferObjectMapping
            The mapping.

        Raises
        ------
        LogicError
            The buffer is mapped already.
        """
        return BufferObjectMapping(self._registered.map())


class BufferObjectMapping:
    """A mapped OpenGL buffer. Deprecated: see `RegisteredMapping`.

    Parameters
    ----------
    mapping : RegisteredMapping
        The `RegisteredMapping`.
    """

    def __init__(self, mapping):
        self._mapping = mapping

    def unmap(self):
        """Give the buffer back to OpenGL.

        Raises
        ------
        LogicError
            The buffer is unmapped already.
        """
        self._mapping.unmap()

    def device_ptr(self):
        """Return the device address of the buffer, valid until `unmap`.

        Returns
        -------
        int
            The address.
        """
        return self._mapping.device_ptr_and_size()[0]

    def size(self):
        """Return the size of the buffer.

        Returns
        -------
        int
            Bytes.
        """
        return self._mapping.device_ptr_and_size()[1]
