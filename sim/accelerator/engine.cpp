// SPDX-License-Identifier: Apache-2.0
#include "sim/accelerator/engine.h"

#include <algorithm>

namespace pegasus::sim {

void Engine::execute(Context& context, Nanos length) {
  queue_.push_back({&context, length});
  if (queue_.size() == 1) return start();
  // It is no longer alone: the kernel that runs now has a slice.
  if (executing_ && options_.preempt > Nanos{0})
    timer_.at(
        std::min(began_at_ + queue_.front().left, std::max(began_at_ + options_.preempt, clock_.now())));
}

void Engine::start() {
  Context* const next = queue_.front().context;
  Nanos cost{0};
  if (last_ != nullptr && last_ != next) {
    cost = options_.switch_cost + options_.contention * static_cast<std::int64_t>(queue_.size() - 1);
    ++switches_;
  }
  if (last_ != next) cost += next->take_memory();
  last_ = next;
  began_at_ = clock_.now();
  timer_.after(cost);
}

void Engine::advance() {
  Kernel& kernel = queue_.front();
  if (!executing_) {
    executing_ = true;
    switching_ += passed();
    began_at_ = clock_.now();
    bool const sliced = options_.preempt > Nanos{0} && queue_.size() > 1;
    timer_.after(sliced ? std::min(kernel.left, options_.preempt) : kernel.left);
    return kernel.context->began();
  }
  Kernel done = kernel;
  Nanos const part = passed();
  done.left -= part;
  busy_ += part;
  executing_ = false;
  queue_.pop_front();
  bool const finished = done.left <= Nanos{0};
  if (!finished) queue_.push_back(done);
  if (!queue_.empty()) start();
  done.context->executed(part, finished); // may call execute()
}

Nanos Engine::remove(Context const& context) {
  if (last_ == &context) last_ = nullptr;
  bool const first = !queue_.empty() && queue_.front().context == &context;
  Nanos const ran = first && executing_ ? passed() : Nanos{0};
  std::erase_if(queue_, [&](Kernel const& kernel) { return kernel.context == &context; });
  if (!first) return ran;
  (executing_ ? busy_ : switching_) += passed();
  executing_ = false;
  timer_.cancel();
  if (!queue_.empty()) start();
  return ran;
}

Nanos Engine::busy() const { return executing_ ? busy_ + passed() : busy_; }

Nanos Engine::switching() const { return executing_ || queue_.empty() ? switching_ : switching_ + passed(); }

} // namespace pegasus::sim
