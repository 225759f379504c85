// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/accelerator.h"

namespace pegasus::daemon {

tl::expected<std::unique_ptr<Accelerator>, std::string>
Accelerator::make(boost::asio::io_context& io, scheduler::SchedulingThread& scheduling, Setup setup) {
  auto shared = Shared::create();
  if (!shared) return tl::unexpected(shared.error());
  return scheduling([&] { // its loop's first events may come at once
    return std::unique_ptr<Accelerator>(
        new Accelerator(io, scheduling, std::move(setup), std::move(*shared)));
  });
}

Accelerator::Accelerator(boost::asio::io_context& io, scheduler::SchedulingThread& scheduling, Setup setup,
                         Shared shared)
    : index_(setup.index), found_(std::move(setup.found)), shared_(std::move(shared)),
      memory_(shared_.limits.as<shared::QuotaLimits>(), shared_.claims.as<shared::QuotaClaims>(),
              found_.memory_bytes),
      scheduler_(scheduling.io(), setup.scheduling),
      engine_watchdog_(io, engine(),
                       {.limit = setup.scheduling.dispatcher.runaway, .tasks = std::move(setup.tasks)}) {}

tl::expected<Accelerator::Shared, std::string> Accelerator::Shared::create() {
  auto engine = guests::SharedMemory::create("pegasus-engine", sizeof(shared::EnginePage));
  auto limits = guests::SharedMemory::create("pegasus-limits", sizeof(shared::QuotaLimits));
  auto claims = guests::SharedMemory::create("pegasus-claims", sizeof(shared::QuotaClaims));
  for (auto const* memory : {&engine, &limits, &claims})
    if (!*memory) return tl::unexpected(memory->error());
  auto read_only_limits = limits->read_only();
  auto read_only_claims = claims->read_only();
  for (auto const* fd : {&read_only_limits, &read_only_claims})
    if (!*fd) return tl::unexpected(fd->error());
  return Shared{std::move(*engine), std::move(*limits), std::move(*claims), std::move(*read_only_limits),
                std::move(*read_only_claims)};
}

SharedFds Accelerator::shared_fds() const {
  return {.engine = shared_.engine.fd(),
          .limits = shared_.read_only_limits.get(),
          .claims = shared_.read_only_claims.get(),
          .own_claim = shared_.claims.fd()};
}

void Accelerator::free_slot(TaskId task) {
  for (TaskId const again : std::set(std::move(unfreed_)))
    free_engine(again);
  free_engine(task);
  memory_.leave(task);
}

// A worker that writes into the engine's page without end can keep a slot from being freed. The slot stays
// unused until it is freed; the end of each worker tries again.
void Accelerator::free_engine(TaskId task) {
  if (!shared::evict(engine(), task)) unfreed_.insert(task);
}

bool Accelerator::failing() const {
  constexpr std::chrono::seconds memory{10};
  return stuck_ > 0 || (failed_at_ && std::chrono::steady_clock::now() - *failed_at_ < memory);
}

void Accelerator::stop() { engine_watchdog_.tasks_changed(0); }

} // namespace pegasus::daemon
