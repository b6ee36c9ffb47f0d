PYCUDA_JAVA_LIST(GraphNode, pycuda::GraphNode)
PYCUDA_JAVA_LIST(Graph, std::shared_ptr<pycuda::Graph>)

// Nodes are queued on no stream.
%define PYCUDA_JAVA_NO_STREAM(CLASS)
%extend pycuda::CLASS {
%proxycode %{
  private static final Stream stream = Stream.DEFAULT;
%}
}
%enddef
PYCUDA_JAVA_NO_STREAM(Graph)
PYCUDA_JAVA_NO_STREAM(GraphNode)
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
%javamethodmodifiers pycuda::Graph::add_memory_operations ""
%javamethodmodifiers pycuda::Graph::add_semaphore_signals ""
%javamethodmodifiers pycuda::Graph::add_semaphore_waits ""
%javamethodmodifiers pycuda::ExecutableGraph::update_semaphores ""
%javamethodmodifiers pycuda::GraphNode::update_memset ""
%ignore pycuda::GraphNode::update_host_function;
%ignore pycuda::ExecutableGraph::update_host_function;
%javamethodmodifiers pycuda::ExecutableGraph::update_child_graph ""
%javamethodmodifiers pycuda::begin_replaced_arguments ""
%javamethodmodifiers pycuda::ExecutableGraph::update_event ""
%javamethodmodifiers pycuda::ExecutableGraph::update_memory_operations ""
%javamethodmodifiers pycuda::ExecutableGraph::set_enabled ""
%javamethodmodifiers pycuda::ExecutableGraph::is_enabled ""
%javamethodmodifiers pycuda::ExecutableGraph::update_memset ""
%ignore pycuda::ExecutableGraph::parameter_texts;
%javamethodmodifiers pycuda::ExecutableGraph::update_memcpy ""
%javamethodmodifiers pycuda::begin_node_arguments ""
%javamethodmodifiers pycuda::begin_updated_arguments ""
%javamethodmodifiers pycuda::end_node_arguments ""
%javamethodmodifiers pycuda::read_end_of_copy ""
%javamethodmodifiers pycuda::Stream::begin_capture ""
%javamethodmodifiers pycuda::Stream::begin_capture_to ""
%javamethodmodifiers pycuda::Stream::end_capture ""

PYCUDA_JAVA_LIST(SMResource, pycuda::SMResource)
PYCUDA_JAVA_HANDWRITTEN(SMResource)
