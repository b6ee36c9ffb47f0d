// Lists of objects are passed as the addresses of their C++ objects. A copy keeps those that a list makes on demand.
%define PYCUDA_JAVA_LIST(CLASS, CXX_ELEMENT...)
%typemap(jni) const std::vector<CXX_ELEMENT>&, std::vector<CXX_ELEMENT> "jlongArray"
%typemap(jtype) const std::vector<CXX_ELEMENT>&, std::vector<CXX_ELEMENT> "long[]"
%typemap(jstype) const std::vector<CXX_ELEMENT>&, std::vector<CXX_ELEMENT> "java.util.List<CLASS>"
%typemap(javain, pre="    java.util.List<CLASS> copy_$javainput = ProxyLists.copy($javainput, \"$javainput\");",
         post="      java.lang.ref.Reference.reachabilityFence(copy_$javainput);") const std::vector<CXX_ELEMENT>&
    "ProxyLists.addresses(copy_$javainput)"
%typemap(in) const std::vector<CXX_ELEMENT>& (std::vector<CXX_ELEMENT> elements) %{
    for (const jlong element : pycuda_java::from_java(jenv, $input)) elements.push_back(*reinterpret_cast<CXX_ELEMENT*>(element));
    $1 = &elements;
%}
%typemap(out) std::vector<CXX_ELEMENT> %{
    $result = pycuda_java::give_copies(jenv, static_cast<const std::vector<CXX_ELEMENT>&>($1));
%}
%typemap(javaout) std::vector<CXX_ELEMENT> {
    return ProxyLists.of($jnicall, (addresses, index) -> new CLASS(ProxyLists.take(addresses, index), true),
                         $imclassname::delete_ ## CLASS ## Proxy);
  }
%enddef
PYCUDA_JAVA_LIST(Kernel, pycuda::Kernel)
