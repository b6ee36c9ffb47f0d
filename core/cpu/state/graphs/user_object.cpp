#include "state/graphs/user_object.hpp"

#include "state/streams/stream.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

namespace cpu::state::graphs {

namespace {

struct Ending {
    void* data;
    CUhostFn destroy;
    void run() const {
        const HostFunctionScope scope;
        destroy(data);
    }
};

/// The thread, which starts with the first object and never ends.
class Destroyer {
public:
    static Destroyer& instance() {
        static auto* const one = new Destroyer;
        return *one;
    }

    void add(const Ending& ending) {
        std::unique_lock lock(mutex_);
        if (!runs_) {
            try {
                std::thread([this] { work(); }).detach();
                runs_ = true;
            } catch (const std::system_error&) {
                lock.unlock();
                return ending.run();
            }
        }
        waiting_.push_back(ending);
        lock.unlock();
        arrived_.notify_one();
    }

private:
    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            arrived_.wait(lock, [&] { return !waiting_.empty(); });
            const Ending next = waiting_.front();
            waiting_.pop_front();
            lock.unlock();
            next.run();
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<Ending> waiting_;
    bool runs_ = false;
};

}  // namespace

UserObject::~UserObject() {
    Destroyer::instance().add({data_, destroy_});
}

}  // namespace cpu::state::graphs
