#pragma once

#include <memory>
#include <utility>

#include "pycuda/contexts/context.hpp"
#include "pycuda/threads/waiting.hpp"

namespace pycuda {

/// An object whose end runs `job` in `context`, unless that has ended.
template <class Job>
std::shared_ptr<void> run_at_end(Context& context, Job job) {
    struct Ends {
        std::shared_ptr<Context> context;
        Job job;
        ~Ends() {
            clean_up_unlocked([context = std::move(context), job = std::move(job)] {
                if (const CleanupScope scope(*context); scope) job();
            });
        }
    };
    return std::shared_ptr<Ends>(new Ends{context.shared_from_this(), std::move(job)});
}

}  // namespace pycuda
