// Graphs: lists of nodes and of graphs cross as addresses.
%typemap(jni) const std::vector<pycuda::GraphNode>&, std::vector<pycuda::GraphNode> "jlongArray"
%typemap(jtype) const std::vector<pycuda::GraphNode>&, std::vector<pycuda::GraphNode> "long[]"
%typemap(jstype) const std::vector<pycuda::GraphNode>&, std::vector<pycuda::GraphNode> "java.util.List<GraphNode>"
%typemap(javain, post="      java.lang.ref.Reference.reachabilityFence($javainput);") const std::vector<pycuda::GraphNode>&
    "GraphNode.addresses($javainput)"
%typemap(javaout) std::vector<pycuda::GraphNode> { return GraphNode.listOf($jnicall); }
%typemap(in) const std::vector<pycuda::GraphNode>& (std::vector<pycuda::GraphNode> nodes) %{
    for (const jlong node : pycuda_java::from_java(jenv, $input)) nodes.push_back(*reinterpret_cast<pycuda::GraphNode *>(node));
    $1 = &nodes;
%}
%typemap(out) std::vector<pycuda::GraphNode> %{ {
        std::vector<jlong> addresses;
        for (const pycuda::GraphNode& node : static_cast<const std::vector<pycuda::GraphNode>&>($1))
            addresses.push_back(reinterpret_cast<jlong>(new pycuda::GraphNode(node)));
        $result = pycuda_java::to_java(jenv, addresses);
    } %}
%typemap(jni) std::vector<std::shared_ptr<pycuda::Graph>> "jlongArray"
%typemap(jtype) std::vector<std::shared_ptr<pycuda::Graph>> "long[]"
%typemap(jstype) std::vector<std::shared_ptr<pycuda::Graph>> "java.util.List<Graph>"
%typemap(javaout) std::vector<std::shared_ptr<pycuda::Graph>> { return Graph.listOf($jnicall); }
%typemap(out) std::vector<std::shared_ptr<pycuda::Graph>> %{ {
        std::vector<jlong> addresses;
        for (const auto& graph : static_cast<const std::vector<std::shared_ptr<pycuda::Graph>>&>($1))
            addresses.push_back(reinterpret_cast<jlong>(new std::shared_ptr<pycuda::Graph>(graph)));
        $result = pycuda_java::to_java(jenv, addresses);
    } %}

// Nodes are queued on no stream.
%define PYCUDA_JAVA_NO_STREAM(CLASS)
%extend pycuda::CLASS {
%proxycode %{
  private static final Stream stream = null;
%}
}
%enddef
PYCUDA_JAVA_NO_STREAM(Graph)
PYCUDA_JAVA_NO_STREAM(ExecutableGraph)

PYCUDA_JAVA_HANDWRITTEN(Graph)
PYCUDA_JAVA_HANDWRITTEN(GraphNode)
PYCUDA_JAVA_HANDWRITTEN(ExecutableGraph)
%rename(copy) pycuda::Graph::clone;
%ignore pycuda::GraphNode::GraphNode;
%javamethodmodifiers pycuda::ExecutableGraph::ExecutableGraph ""
%javamethodmodifiers pycuda::GraphNode::update_memcpy ""
%javamethodmodifiers pycuda::GraphNode::parameter_texts ""
%javamethodmodifiers pycuda::Graph::edge_ends ""
%javamethodmodifiers pycuda::Graph::add_empty ""
%javamethodmodifiers pycuda::Graph::add_memset ""
%javamethodmodifiers pycuda::Graph::add_memcpy ""
%javamethodmodifiers pycuda::Graph::add_mem_alloc ""
%javamethodmodifiers pycuda::Graph::add_mem_free ""
%javamethodmodifiers pycuda::Graph::add_event_record ""
%javamethodmodifiers pycuda::Graph::add_event_wait ""
%javamethodmodifiers pycuda::Graph::add_child_graph ""
%javamethodmodifiers pycuda::Graph::add_if ""
%javamethodmodifiers pycuda::Graph::add_if_else ""
%javamethodmodifiers pycuda::Graph::add_while ""
%javamethodmodifiers pycuda::Graph::add_switch ""
%javamethodmodifiers pycuda::ExecutableGraph::set_enabled ""
%javamethodmodifiers pycuda::ExecutableGraph::is_enabled ""
%javamethodmodifiers pycuda::ExecutableGraph::update_memset ""
%javamethodmodifiers pycuda::ExecutableGraph::update_memcpy ""
%javamethodmodifiers pycuda::begin_node_arguments ""
%javamethodmodifiers pycuda::begin_updated_arguments ""
%javamethodmodifiers pycuda::end_node_arguments ""
%javamethodmodifiers pycuda::Stream::begin_capture ""
%javamethodmodifiers pycuda::Stream::begin_capture_to ""
%javamethodmodifiers pycuda::Stream::end_capture ""
