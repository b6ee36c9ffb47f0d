#include "api/graph_entry.hpp"
#include "state/graphs/capture.hpp"

using namespace cpu::api;
using namespace cpu::state;
using namespace cpu::state::graphs;

CUresult cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode) {
    return graph_entry("cuStreamBeginCapture", [&] { begin(*stream_of(hStream), mode, nullptr, {}); });
}

CUresult cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph, const CUgraphNode* dependencies,
                                     const CUgraphEdgeData* dependencyData, size_t numDependencies,
                                     CUstreamCaptureMode mode) {
    return graph_entry("cuStreamBeginCaptureToGraph", [&] {
        const auto stream = stream_of(hStream);
        const auto graph = graph_of(hGraph);
        auto edges = edges_to(dependencies, dependencyData, numDependencies);
        for (const Edge& edge : edges) require(&edge.node->graph() == graph.get());
        begin(*stream, mode, graph, std::move(edges));
    });
}

CUresult cuStreamEndCapture(CUstream hStream, CUgraph* phGraph) {
    return graph_entry("cuStreamEndCapture", [&] {
        require(phGraph != nullptr);
        return end(*stream_of(hStream), *phGraph);
    });
}

CUresult cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus* captureStatus) {
    return graph_entry("cuStreamIsCapturing", [&] {
        require(captureStatus != nullptr);
        *captureStatus = status_of(part_of(*stream_of(hStream)));
    });
}

CUresult cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus* captureStatus_out, cuuint64_t* id_out,
                                   CUgraph* graph_out, const CUgraphNode** dependencies_out,
                                   const CUgraphEdgeData** edgeData_out, size_t* numDependencies_out) {
    return graph_entry("cuStreamGetCaptureInfo", [&] {
        require(captureStatus_out != nullptr && (dependencies_out != nullptr || edgeData_out == nullptr));
        StreamCapture* const part = part_of(*stream_of(hStream));
        *captureStatus_out = status_of(part);
        if (*captureStatus_out != CU_STREAM_CAPTURE_STATUS_ACTIVE) return;
        part->reported_nodes.clear();
        part->reported_edges.clear();
        for (const Edge& edge : part->dependencies) {
            const bool lossy = dependencies_out && !edgeData_out && !is_default(edge.data);
            require(!lossy, CUDA_ERROR_LOSSY_QUERY);
            part->reported_nodes.push_back(edge.node->handle());
            part->reported_edges.push_back(edge.data);
        }
        put_optional(id_out, part->capture->id);
        put_optional(graph_out, part->capture->graph->handle());
        put_optional(dependencies_out, part->reported_nodes.data());
        put_optional(edgeData_out, part->reported_edges.data());
        put_optional(numDependencies_out, part->reported_nodes.size());
    });
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream hStream, CUgraphNode* dependencies,
                                              const CUgraphEdgeData* dependencyData, size_t numDependencies,
                                              unsigned int flags) {
    return graph_entry("cuStreamUpdateCaptureDependencies", [&] {
        require(flags <= CU_STREAM_SET_CAPTURE_DEPENDENCIES);
        const auto stream = stream_of(hStream);
        update_dependencies(*stream, edges_to(dependencies, dependencyData, numDependencies),
                            flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES);
    });
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
    return entry("cuThreadExchangeStreamCaptureMode", [&] {
        require(mode != nullptr);
        *mode = exchange_thread_mode(*mode);
    });
}
