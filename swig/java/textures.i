// Arrays and textures.
PYCUDA_JAVA_ADDRESS(CUarray)
PYCUDA_JAVA_ADDRESS(CUmipmappedArray)
PYCUDA_JAVA_HANDWRITTEN(Array)
PYCUDA_JAVA_HANDWRITTEN(MipmappedArray)
%ignore pycuda::Array::free;  // close()
%ignore pycuda::MipmappedArray::free;

%extend pycuda::ArrayDescriptor {
    ArrayDescriptor(std::size_t width, std::size_t height, pycuda::ArrayFormat format, unsigned num_channels) {
        return new pycuda::ArrayDescriptor{width, height, format, num_channels};
    }
}
%extend pycuda::ArrayDescriptor3D {
    ArrayDescriptor3D(std::size_t width, std::size_t height, std::size_t depth, pycuda::ArrayFormat format,
                      unsigned num_channels, unsigned flags) {
        return new pycuda::ArrayDescriptor3D{width, height, depth, format, num_channels, flags};
    }
}

// Copies between contexts without one, or with both.
%typemap(javain) const pycuda::Context* %{ContextProxy.getCPtr(java.util.Objects.requireNonNull($javainput, "$javainput"))%}

// Methods with host data are hand-written (Driver.java, HostCopies); these take addresses.
%ignore pycuda::memcpy_htoa;
%ignore pycuda::memcpy_atoh;

%typemap(jni) const std::array<float, 4>& "jfloatArray"
%typemap(jtype) const std::array<float, 4>& "float[]"
%typemap(jstype) const std::array<float, 4>& "float[]"
%typemap(javain) const std::array<float, 4>& %{java.util.Objects.requireNonNull($javainput, "$javainput")%}
%typemap(in) const std::array<float, 4>& (std::array<float, 4> color) %{
    if (jenv->GetArrayLength($input) != 4) {
        const std::string refusal =
            "a border color must have 4 components, given " + std::to_string(jenv->GetArrayLength($input));
        pycuda_java::throw_illegal_argument(jenv, refusal.c_str());
        return $null;
    }
    jenv->GetFloatArrayRegion($input, 0, 4, color.data());
    $1 = &color;
%}
PYCUDA_JAVA_ARRAY_RESULT(jfloat, jfloatArray, float, float[], (value.begin(), value.end()), parts, std::array<float, 4>)
PYCUDA_JAVA_ARRAY_RESULT(jint, jintArray, int, Driver.TextureFormat,
                         ({static_cast<jint>(value.format), value.num_components}),
                         new Driver.TextureFormat(ArrayFormat.fromValue(parts[0]), parts[1]), pycuda::TextureFormat)
%ignore pycuda::TextureFormat;

%javamethodmodifiers pycuda::TextureObject::note_in_graph ""
%javamethodmodifiers pycuda::SurfaceObject::note_in_graph ""
%javamethodmodifiers pycuda::TextureReference::check_for ""
%extend pycuda::TextureReference {
    /// Raise unless a kernel of `function` can read it: it belongs to the same module and, if `bound`, something is bound.
    void check_for(const pycuda::Function& function, bool bound) const {
        $self->check_module(*function.module());
        if (bound) $self->check_bound();
    }
}
