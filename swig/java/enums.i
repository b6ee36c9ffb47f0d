// The enums themselves are generated from constants.def (java/generate_constants.py); here they are passed as their values.
%define PYCUDA_JAVA_ENUM(TYPE)
%typemap(jni) pycuda::TYPE "jint"
%typemap(jtype) pycuda::TYPE "int"
%typemap(jstype) pycuda::TYPE "TYPE"
%typemap(javain) pycuda::TYPE %{java.util.Objects.requireNonNull($javainput, "$javainput").value()%}
%typemap(javaout) pycuda::TYPE { return TYPE.fromValue($jnicall); }
%typemap(in) pycuda::TYPE %{ $1 = static_cast<pycuda::TYPE>($input); %}
%typemap(out) pycuda::TYPE %{ $result = static_cast<jint>($1); %}
%ignore pycuda::TYPE;
namespace pycuda { enum class TYPE : int; }
%enddef
#define PYCUDA_ENUM_BEGIN(type, python, cuda) PYCUDA_JAVA_ENUM(type)
%include "pycuda/constants/constants.def"

// Device.attributes: pairs of attribute and value become a map.
%typemap(jni) std::vector<std::pair<pycuda::DeviceAttribute, int>> "jintArray"
%typemap(jtype) std::vector<std::pair<pycuda::DeviceAttribute, int>> "int[]"
%typemap(jstype) std::vector<std::pair<pycuda::DeviceAttribute, int>> "java.util.Map<DeviceAttribute, Integer>"
%typemap(out) std::vector<std::pair<pycuda::DeviceAttribute, int>> %{
    {
        std::vector<jint> flat;
        for (const auto& [attribute, value] : $1) {
            flat.push_back(static_cast<jint>(attribute));
            flat.push_back(value);
        }
        $result = pycuda_java::to_java(jenv, flat);
    }
%}
%typemap(javaout) std::vector<std::pair<pycuda::DeviceAttribute, int>> {
    int[] pairs = $jnicall;
    var attributes = new java.util.EnumMap<DeviceAttribute, Integer>(DeviceAttribute.class);
    for (int i = 0; i < pairs.length; i += 2) {
      attributes.put(DeviceAttribute.fromValue(pairs[i]), pairs[i + 1]);
    }
    return attributes;
  }
