#include "driver/graphs/graph_test.hpp"

#include <algorithm>
#include <random>

using namespace graph_tests;

namespace {

/// One node of a random graph: slot `to` becomes `factor` times slot `from` plus each element's index, or `factor`
/// everywhere, or slot `from`.
struct Operation {
    enum class What { Scale, Fill, Copy } what;
    unsigned to, from, factor;
    std::vector<std::size_t> after;
};

constexpr unsigned slots = 5;
constexpr unsigned length = 64;
using Model = std::vector<std::vector<unsigned>>;

void apply(const Operation& operation, Model& model) {
    for (unsigned i = 0; i < length; ++i) {
        const unsigned from = model[operation.from][i];
        model[operation.to][i] = operation.what == Operation::What::Scale  ? operation.factor * from + i
                                 : operation.what == Operation::What::Fill ? operation.factor
                                                                           : from;
    }
}

bool conflicts(const Operation& a, const Operation& b) {
    return a.to == b.to || a.to == b.from || a.from == b.to;
}

/// Edges wherever two operations touch one slot, so that every order that respects them has the same result.
std::vector<Operation> random_operations(std::mt19937& random, std::size_t count) {
    std::vector<Operation> all;
    for (std::size_t i = 0; i < count; ++i) {
        Operation made{static_cast<Operation::What>(random() % 3),
                       static_cast<unsigned>(random() % slots),
                       static_cast<unsigned>(random() % slots),
                       static_cast<unsigned>(random() % 7),
                       {}};
        if (made.what == Operation::What::Copy && made.from == made.to) made.what = Operation::What::Fill;
        for (std::size_t before = 0; before < i; ++before)
            if (conflicts(all[before], made)) made.after.push_back(before);
        all.push_back(made);
    }
    return all;
}

}  // namespace

class RandomGraphTest : public GraphTest {
protected:
    void SetUp() override {
        GraphTest::SetUp();
        ASSERT_OK(cuMemAlloc(&memory, slots * length * 4));
    }
    CUdeviceptr slot(unsigned index) const { return memory + index * length * 4; }

    /// Nodes in the order `added`, edges later, so that the program's order gives no hint.
    CUgraph build(const std::vector<Operation>& operations, const std::vector<std::size_t>& added) {
        CUgraph graph = nullptr;
        EXPECT_OK(cuGraphCreate(&graph, 0));
        std::vector<CUgraphNode> made(operations.size());
        for (const std::size_t i : added) {
            const Operation& o = operations[i];
            const auto k = scaling(slot(o.to), slot(o.from), o.factor);
            const auto f = filling(slot(o.to), o.factor, length);
            const auto c = copying(slot(o.to), slot(o.from), length * 4);
            if (o.what == Operation::What::Scale) {
                EXPECT_OK(cuGraphAddKernelNode(&made[i], graph, nullptr, 0, &k));
            }
            if (o.what == Operation::What::Fill) {
                EXPECT_OK(cuGraphAddMemsetNode(&made[i], graph, nullptr, 0, &f, context));
            }
            if (o.what == Operation::What::Copy) {
                EXPECT_OK(cuGraphAddMemcpyNode(&made[i], graph, nullptr, 0, &c, context));
            }
        }
        for (std::size_t i = 0; i < operations.size(); ++i)
            for (const std::size_t before : operations[i].after)
                EXPECT_OK(cuGraphAddDependencies(graph, &made[before], &made[i], nullptr, 1));
        return graph;
    }

    CUgraph capture(const std::vector<Operation>& operations, const std::vector<CUstream>& streams,
                    std::mt19937& random) {
        std::vector<CUevent> done(operations.size());
        CUevent begin = nullptr;
        EXPECT_OK(cuEventCreate(&begin, CU_EVENT_DISABLE_TIMING));
        EXPECT_OK(cuStreamBeginCapture(streams[0], CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
        EXPECT_OK(cuEventRecord(begin, streams[0]));
        for (const CUstream other : streams)
            if (other != streams[0]) {
                EXPECT_OK(cuStreamWaitEvent(other, begin, 0));
            }
        for (std::size_t i = 0; i < operations.size(); ++i) {
            const Operation& o = operations[i];
            const CUstream s = streams[random() % streams.size()];
            for (const std::size_t before : o.after) EXPECT_OK(cuStreamWaitEvent(s, done[before], 0));
            const auto k = scaling(slot(o.to), slot(o.from), o.factor);
            if (o.what == Operation::What::Scale) {
                EXPECT_OK(cuLaunchKernel(k.func, 2, 1, 1, 32, 1, 1, 0, s, k.kernelParams, nullptr));
            }
            if (o.what == Operation::What::Fill) {
                EXPECT_OK(cuMemsetD32Async(slot(o.to), o.factor, length, s));
            }
            if (o.what == Operation::What::Copy) {
                EXPECT_OK(cuMemcpyDtoDAsync(slot(o.to), slot(o.from), length * 4, s));
            }
            EXPECT_OK(cuEventCreate(&done[i], CU_EVENT_DISABLE_TIMING));
            EXPECT_OK(cuEventRecord(done[i], s));
        }
        for (const CUevent event : done) EXPECT_OK(cuStreamWaitEvent(streams[0], event, 0));
        CUgraph graph = nullptr;
        EXPECT_OK(cuStreamEndCapture(streams[0], &graph));
        for (const CUevent event : done) EXPECT_OK(cuEventDestroy(event));
        EXPECT_OK(cuEventDestroy(begin));
        return graph;
    }

    Model read() {
        Model model;
        for (unsigned s = 0; s < slots; ++s) model.push_back(words(slot(s), length));
        return model;
    }
    /// Launches it twice from known contents and compares both with the operations one by one.
    void check(CUgraph graph, const std::vector<Operation>& operations) {
        ASSERT_OK(cuMemsetD32(memory, 1, slots * length));
        ASSERT_OK(cuCtxSynchronize());
        Model model(slots, std::vector<unsigned>(length, 1));
        const CUgraphExec executable = instantiate(graph);
        for (int launches = 0; launches < 2; ++launches) {
            launch(executable);
            for (const Operation& operation : operations) apply(operation, model);
            EXPECT_EQ(model, read());
        }
        EXPECT_OK(cuGraphExecDestroy(executable));
    }
    CUdeviceptr memory = 0;
};

TEST_F(RandomGraphTest, DoesWhatItsNodesDoOneByOne) {
    std::vector<CUstream> streams(3);
    for (CUstream& s : streams) ASSERT_OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    for (unsigned seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        const auto operations = random_operations(random, 1 + random() % 30);
        std::vector<std::size_t> added(operations.size());
        for (std::size_t i = 0; i < added.size(); ++i) added[i] = i;
        std::shuffle(added.begin(), added.end(), random);
        const CUgraph graph = build(operations, added);
        check(graph, operations);
        CUgraph clone = nullptr, parent = nullptr;
        CUgraphNode child = nullptr;
        ASSERT_OK(cuGraphClone(&clone, graph));
        check(clone, operations);
        ASSERT_OK(cuGraphCreate(&parent, 0));
        ASSERT_OK(cuGraphAddChildGraphNode(&child, parent, nullptr, 0, graph));
        check(parent, operations);
        const CUgraph captured = capture(operations, streams, random);
        check(captured, operations);
        for (CUgraph g : {graph, clone, parent, captured}) EXPECT_OK(cuGraphDestroy(g));
    }
}
