// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/accelerator.h"

namespace pegasus::daemon {

tl::expected<std::unique_ptr<Accelerator>, std::string> Accelerator::make(boost::asio::io_context& io,
                                                                          Setup setup) {
  auto page = link::SharedMemory::create("pegasus-accelerator", sizeof(worker::AcceleratorPage));
  if (!page) return tl::unexpected(page.error());
  return std::unique_ptr<Accelerator>(new Accelerator(io, std::move(setup), std::move(*page)));
}

Accelerator::Accelerator(boost::asio::io_context& io, Setup setup, link::SharedMemory page)
    : index_(setup.index), found_(std::move(setup.found)), page_(std::move(page)),
      scheduler_(io, setup.scheduling),
      engine_watch_(io, shared().engine,
                    {.limit = setup.scheduling.dispatcher.runaway, .tasks = std::move(setup.tasks)}) {
  shared().memory.limit_bytes = found_.memory_bytes;
}

void Accelerator::free_seat(TaskId task) {
  for (TaskId const again : std::set(std::move(unfreed_)))
    free_engine(again);
  free_engine(task);
  shared().memory.evict(task);
}

// A worker that writes into the engine's page without end can keep a seat from being freed. Nobody sits there
// until it is: its end, like any other, is another try.
void Accelerator::free_engine(TaskId task) {
  if (!software::evict(shared().engine, task)) unfreed_.insert(task);
}

bool Accelerator::failing() const {
  constexpr std::chrono::seconds memory{10};
  return stuck_ > 0 || (failed_at_ && std::chrono::steady_clock::now() - *failed_at_ < memory);
}

void Accelerator::stop() {
  scheduler_.stop();
  engine_watch_.tasks_changed(0);
}

} // namespace pegasus::daemon
