"""OpenGL's buffers and images for CUDA: not there. Importing it says what is missing, as PyCUDA does that was built without OpenGL."""

raise ImportError(
    "pycuda.gl needs the driver's functions for OpenGL (cuGraphicsGLRegisterBuffer, cuGraphicsGLRegisterImage and their like), which this "
    "package does not have; copy through page-locked memory instead (pycuda.driver.pagelocked_empty)", name=__name__)
