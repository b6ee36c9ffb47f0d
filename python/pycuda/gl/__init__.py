"""OpenGL's buffers and images for CUDA, in place.

OpenGL works in the context that is current on the calling thread: make one current, then a context of CUDA (``make_context`` here, or any
other way), and register, map, unmap and unregister on that thread. Nothing of OpenGL is needed to import this.
"""

import warnings

from pycuda.driver import Context, RegisteredBuffer, RegisteredImage, RegisteredMapping, graphics_map_flags, make_gl_context

__all__ = ["BufferObject", "BufferObjectMapping", "RegisteredBuffer", "RegisteredImage", "RegisteredMapping", "graphics_map_flags", "init",
           "make_context"]

make_context = make_gl_context


def _warn(name, instead):
    warnings.warn(f"pycuda.gl.{name} is deprecated: {instead}", DeprecationWarning, stacklevel=3)


def init():
    """A deprecated name: every context can be used with OpenGL. LogicError when none is current."""
    _warn("init", "there is nothing to be done")
    Context.get_device()


class BufferObject:
    """A deprecated name: RegisteredBuffer does the same."""

    def __init__(self, bufobj):
        _warn("BufferObject", "use RegisteredBuffer")
        self._registered = RegisteredBuffer(bufobj)

    def handle(self):
        """OpenGL's name of the buffer."""
        return self._registered.gl_handle()

    def unregister(self):
        """CUDA is done with it. LogicError while it is mapped, and the second time."""
        self._registered.unregister()

    def map(self):
        """A BufferObjectMapping: until that is unmapped the buffer is CUDA's."""
        return BufferObjectMapping(self._registered.map())


class BufferObjectMapping:
    """A deprecated name: what BufferObject.map gives, as RegisteredMapping is what RegisteredBuffer.map does."""

    def __init__(self, mapping):
        self._mapping = mapping

    def unmap(self):
        """Gives the buffer back to OpenGL. LogicError the second time."""
        self._mapping.unmap()

    def device_ptr(self):
        """Where the buffer is: good until it is unmapped."""
        return self._mapping.device_ptr_and_size()[0]

    def size(self):
        """The buffer's bytes."""
        return self._mapping.device_ptr_and_size()[1]
