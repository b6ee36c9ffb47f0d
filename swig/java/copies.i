// Structured copies. StructuredCopyEnds (java/generate_overloads.py) sets their ends by these methods, which take addresses.
%javamethodmodifiers pycuda::StructuredCopy::set_src_host "@Override final"
%javamethodmodifiers pycuda::StructuredCopy::set_src_device "@Override final"
%javamethodmodifiers pycuda::StructuredCopy::set_src_unified "@Override final"
%javamethodmodifiers pycuda::StructuredCopy::set_dst_host "@Override final"
%javamethodmodifiers pycuda::StructuredCopy::set_dst_device "@Override final"
%javamethodmodifiers pycuda::StructuredCopy::set_dst_unified "@Override final"

%rename(copy) execute;
%rename(copy) execute_async;

// Setters return the copy, so that calls can be chained. Those that a class itself declares return that class ...
%define PYCUDA_JAVA_COPY_END(SIDE)
PYCUDA_LANGUAGE_RETURNS_SELF(StructuredCopy, SIDE##_x_in_bytes)
PYCUDA_LANGUAGE_RETURNS_SELF(StructuredCopy, SIDE##_y)
PYCUDA_LANGUAGE_RETURNS_SELF(StructuredCopy, SIDE##_pitch)
PYCUDA_LANGUAGE_RETURNS_SELF(StructuredCopy, set_##SIDE##_array)
PYCUDA_LANGUAGE_RETURNS_SELF(StructuredCopy3D, SIDE##_height)
PYCUDA_LANGUAGE_RETURNS_SELF(StructuredCopy3D, SIDE##_z)
PYCUDA_LANGUAGE_RETURNS_SELF(Memcpy3DPeer, set_##SIDE##_context)
%enddef
PYCUDA_JAVA_COPY_END(src)
PYCUDA_JAVA_COPY_END(dst)
PYCUDA_LANGUAGE_RETURNS_SELF(StructuredCopy, width_in_bytes)
PYCUDA_LANGUAGE_RETURNS_SELF(StructuredCopy, height)
PYCUDA_LANGUAGE_RETURNS_SELF(StructuredCopy3D, depth)

// ... and it overrides inherited ones to return it as well.
%define PYCUDA_JAVA_CHAINED(CLASS, SETTER, TYPE, NAME)
%extend pycuda::CLASS {
%proxycode %{
  @Override
  public CLASS SETTER(TYPE NAME) {
    super.SETTER(NAME);
    return this;
  }
%}
}
%enddef
%define PYCUDA_JAVA_CHAINED_MEMORY(CLASS, SIDE)
PYCUDA_JAVA_CHAINED(CLASS, set##SIDE##Host, java.nio.Buffer, buffer)
PYCUDA_JAVA_CHAINED(CLASS, set##SIDE##Host, HostData, host)
PYCUDA_JAVA_CHAINED(CLASS, set##SIDE##Device, DevicePointer, devptr)
PYCUDA_JAVA_CHAINED(CLASS, set##SIDE##Unified, java.nio.Buffer, buffer)
PYCUDA_JAVA_CHAINED(CLASS, set##SIDE##Unified, HostData, host)
PYCUDA_JAVA_CHAINED(CLASS, set##SIDE##Unified, DevicePointer, devptr)
%enddef
%define PYCUDA_JAVA_CHAINED_END(CLASS, SIDE)
PYCUDA_JAVA_CHAINED_MEMORY(CLASS, SIDE)
PYCUDA_JAVA_CHAINED(CLASS, set##SIDE##Array, Array, array)
PYCUDA_JAVA_CHAINED(CLASS, set##SIDE##XInBytes, long, value)
PYCUDA_JAVA_CHAINED(CLASS, set##SIDE##Y, long, value)
PYCUDA_JAVA_CHAINED(CLASS, set##SIDE##Pitch, long, value)
%enddef
%define PYCUDA_JAVA_CHAINED_COPY(CLASS)
PYCUDA_JAVA_CHAINED_END(CLASS, Src)
PYCUDA_JAVA_CHAINED_END(CLASS, Dst)
PYCUDA_JAVA_CHAINED(CLASS, setWidthInBytes, long, value)
PYCUDA_JAVA_CHAINED(CLASS, setHeight, long, value)
%enddef
%define PYCUDA_JAVA_CHAINED_END_3D(CLASS, SIDE)
PYCUDA_JAVA_CHAINED(CLASS, set##SIDE##Height, long, value)
PYCUDA_JAVA_CHAINED(CLASS, set##SIDE##Z, long, value)
%enddef
%define PYCUDA_JAVA_CHAINED_COPY_3D(CLASS)
PYCUDA_JAVA_CHAINED_COPY(CLASS)
PYCUDA_JAVA_CHAINED_END_3D(CLASS, Src)
PYCUDA_JAVA_CHAINED_END_3D(CLASS, Dst)
PYCUDA_JAVA_CHAINED(CLASS, setDepth, long, value)
%enddef
PYCUDA_JAVA_CHAINED_MEMORY(StructuredCopy, Src)
PYCUDA_JAVA_CHAINED_MEMORY(StructuredCopy, Dst)
PYCUDA_JAVA_CHAINED_COPY(StructuredCopy3D)
PYCUDA_JAVA_CHAINED_COPY(Memcpy2D)
PYCUDA_JAVA_CHAINED_COPY_3D(Memcpy3D)
PYCUDA_JAVA_CHAINED_COPY_3D(Memcpy3DPeer)
