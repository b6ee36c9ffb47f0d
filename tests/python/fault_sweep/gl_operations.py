"""Operations of the sweep on OpenGL objects, if OpenGL is available: its context stays current for the whole sweep."""

import gl_program
import numpy as np
import pycuda.driver as drv
import pycuda.gl as gl
from operations import row


class Objects:
    def __init__(self):
        self.buffer, self.image = gl_program.new_buffer(np.zeros(4, np.float32)), gl_program.new_image(np.zeros((2, 4), np.float32))
        self.registered = gl.RegisteredBuffer(self.buffer)
        self.registered_image = gl.RegisteredImage(self.image, gl_program.TEXTURE_2D)
        self.stream = drv.Stream()

    def fill(self, *given):
        mapping = self.registered.map(self.stream)
        pointer, size = mapping.device_ptr_and_size()
        drv.memset_d32_async(pointer, 0x3f800000, size // 4, self.stream)
        mapping.unmap(*given)
        return gl_program.read_buffer(self.buffer, 4).tolist()

    def look_at_image(self):
        mapping = self.registered_image.map()
        descriptor = mapping.array(0, 0).get_descriptor()
        mapping.unmap()
        return descriptor.width, descriptor.height

    def __del__(self):
        gl_program.delete_buffer(self.buffer)
        gl_program.delete_image(self.image)


def own_context(_):
    gl.make_context(drv.Device(0))
    drv.Context.pop()


if gl_program.start() is None:
    row("gl.make_context", own_context)
    row("gl.RegisteredBuffer", lambda o: gl.RegisteredBuffer(o.buffer).unregister(), Objects)
    row("gl.RegisteredImage", lambda o: gl.RegisteredImage(o.image, gl_program.TEXTURE_2D).unregister(), Objects)
    row("gl.RegisteredBuffer.map", Objects.fill, Objects)
    row("gl.RegisteredMapping.unmap", lambda o: o.fill(o.stream), Objects)
    row("gl.RegisteredMapping.array", Objects.look_at_image, Objects)
    row("gl.RegisteredBuffer.set_map_flags", lambda o: o.registered.set_map_flags(gl.graphics_map_flags.NONE), Objects)
