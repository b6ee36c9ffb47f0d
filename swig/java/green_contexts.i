// Green contexts: lists of resources cross as addresses.
%typemap(jni) const std::vector<pycuda::SMResource>&, std::vector<pycuda::SMResource> "jlongArray"
%typemap(jtype) const std::vector<pycuda::SMResource>&, std::vector<pycuda::SMResource> "long[]"
%typemap(jstype) const std::vector<pycuda::SMResource>&, std::vector<pycuda::SMResource> "java.util.List<SMResource>"
%typemap(javain, post="      java.lang.ref.Reference.reachabilityFence($javainput);") const std::vector<pycuda::SMResource>&
    "SMResource.addresses($javainput)"
%typemap(javaout) std::vector<pycuda::SMResource> { return SMResource.listOf($jnicall); }
%typemap(in) const std::vector<pycuda::SMResource>& (std::vector<pycuda::SMResource> resources) %{
    for (const jlong resource : pycuda_java::from_java(jenv, $input))
        resources.push_back(*reinterpret_cast<pycuda::SMResource *>(resource));
    $1 = &resources;
%}
%typemap(out) std::vector<pycuda::SMResource> %{ {
        std::vector<jlong> addresses;
        for (const pycuda::SMResource& resource : static_cast<const std::vector<pycuda::SMResource>&>($1))
            addresses.push_back(reinterpret_cast<jlong>(new pycuda::SMResource(resource)));
        $result = pycuda_java::to_java(jenv, addresses);
    } %}
PYCUDA_JAVA_HANDWRITTEN(SMResource)
