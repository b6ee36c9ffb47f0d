#include "state/graphs/simple_contents.hpp"

#include "state/error.hpp"
#include "state/graphs/graph.hpp"
#include "state/graphs/progress.hpp"

#include <cstdio>

namespace cpu::state::graphs {

HostContent::HostContent(CUhostFn function, void* data) : function_(function), data_(data) {
    require(function != nullptr);
}

CUgraphNodeParams HostContent::parameters() const {
    CUgraphNodeParams made = parameters_of(type());
    made.host.fn = function_;
    made.host.userData = data_;
    return made;
}

void HostContent::run(Progress&) const noexcept {
    const HostFunctionScope scope;
    function_(data_);
}

EventContent::EventContent(What what, CUevent event)
    : what_(what), handle_(event), event_(events().get(event, CUDA_ERROR_INVALID_VALUE)) {}

CUgraphNodeType EventContent::type() const noexcept {
    return what_ == What::Record ? CU_GRAPH_NODE_TYPE_EVENT_RECORD : CU_GRAPH_NODE_TYPE_WAIT_EVENT;
}

CUgraphNodeParams EventContent::parameters() const {
    CUgraphNodeParams made = parameters_of(type());
    if (what_ == What::Record)
        made.eventRecord.event = handle_;
    else
        made.eventWait.event = handle_;
    return made;
}

std::string EventContent::label(bool verbose) const {
    std::string text = what_ == What::Record ? "EVENT_RECORD" : "EVENT_WAIT";
    char handle[40];
    std::snprintf(handle, sizeof handle, "\nevent %p", static_cast<void*>(handle_));
    return verbose ? text + handle : text;
}

/// A wait may take long, and no other thread can shorten it: so it runs on the worker, like the program's functions.
TaskKind EventContent::kind() const noexcept {
    return what_ == What::Record ? TaskKind::Bookkeeping : TaskKind::HostFunction;
}

void EventContent::prepare(Progress& progress) const {
    if (what_ == What::Wait) return progress.waits.push(event_->waiting());
    auto recording = event_->begin_recording();
    progress.publications.push_back(std::move(recording.publish));
    progress.recordings.push(std::move(recording.complete));
}

void EventContent::run(Progress& progress) const noexcept {
    if (what_ == What::Record) {
        progress.recordings.next()();
    } else {
        progress.waits.next()();
    }
}

ChildContent::ChildContent(std::shared_ptr<Graph> graph) : graph_(std::move(graph)) {
    graph_->embedded = true;
}

CUgraphNodeParams ChildContent::parameters() const {
    CUgraphNodeParams made = parameters_of(type());
    made.graph.graph = graph_->handle();
    return made;
}

std::shared_ptr<const Content> ChildContent::clone() const {
    return std::make_shared<ChildContent>(graph_->clone());
}

std::shared_ptr<const Content> ChildContent::instantiate() const {
    return std::make_shared<ChildContent>(graph_->instantiate());
}

}  // namespace cpu::state::graphs
