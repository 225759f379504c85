// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/accelerator.h"

namespace pegasus::daemon {

tl::expected<std::unique_ptr<Accelerator>, std::string>
Accelerator::make(scheduler::SchedulingThread& scheduling, Setup setup) {
  auto shared = Shared::create();
  if (!shared) return tl::unexpected(shared.error());
  return scheduling([&] { // its loop's first events may come at once
    return std::unique_ptr<Accelerator>(new Accelerator(scheduling, std::move(setup), std::move(*shared)));
  });
}

Accelerator::Accelerator(scheduler::SchedulingThread& scheduling, Setup setup, Shared shared)
    : index_(setup.index), found_(std::move(setup.found)), shared_(std::move(shared)),
      memory_(shared_.limits.as<memory::QuotaLimits>(), shared_.slots.as<shared::SlotPages>(),
              found_.memory_bytes),
      line_(shared_.engine.as<shared::EngineAccess>(), shared_.slots.as<shared::SlotPages>()),
      scheduler_(scheduling.io(), with(std::move(setup.scheduling), line_)) {}

scheduler::SchedulerLoop::Setup Accelerator::with(scheduler::SchedulerLoop::Setup setup, Line& line) {
  setup.dispatcher.engine_line = &line;
  return setup;
}

tl::expected<Accelerator::Shared, std::string> Accelerator::Shared::create() {
  auto engine = guests::SharedMemory::create("pegasus-engine", sizeof(shared::EngineAccess));
  auto limits = guests::SharedMemory::create("pegasus-limits", sizeof(memory::QuotaLimits));
  auto slots = guests::SharedMemory::create("pegasus-slots", sizeof(shared::SlotPages));
  for (auto const* memory : {&engine, &limits, &slots})
    if (!*memory) return tl::unexpected(memory->error());
  auto read_only_engine = engine->read_only();
  auto read_only_limits = limits->read_only();
  auto read_only_slots = slots->read_only();
  for (auto const* fd : {&read_only_engine, &read_only_limits, &read_only_slots})
    if (!*fd) return tl::unexpected(fd->error());
  return Shared{std::move(*engine),           std::move(*limits),           std::move(*slots),
                std::move(*read_only_engine), std::move(*read_only_limits), std::move(*read_only_slots)};
}

SharedFds Accelerator::shared_fds() const {
  return {.engine = shared_.read_only_engine.get(),
          .limits = shared_.read_only_limits.get(),
          .slots = shared_.read_only_slots.get(),
          .own_slot = shared_.slots.fd()};
}

void Accelerator::free_slot(TaskId task) {
  free_engine(task);
  memory_.leave(task);
}

void Accelerator::free_engine(TaskId task) { line_.admission.leave(task); }

bool Accelerator::failing() const {
  constexpr std::chrono::seconds memory{10};
  return stuck_ > 0 || (failed_at_ && std::chrono::steady_clock::now() - *failed_at_ < memory);
}

} // namespace pegasus::daemon
