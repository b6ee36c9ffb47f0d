// Buffers and images of OpenGL.
PYCUDA_JAVA_ADDRESS(CUgraphicsResource)
%javamethodmodifiers pycuda::make_gl_context ""  // Gl.makeContext
// Unmapped and unregistered objects are closed.
%typemap(javaout) void pycuda::RegisteredBuffer::unregister, void pycuda::RegisteredImage::unregister, void pycuda::RegisteredMapping::unmap {
    $jnicall;
    close();
  }
