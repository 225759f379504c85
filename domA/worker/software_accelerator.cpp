// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/software_accelerator.h"

#include "domA/device/software/software_device.h"
#include "domA/worker/wire_profile.h"

#include <utility>

namespace pegasus::worker {
namespace {

constexpr std::uint64_t usual_memory = std::uint64_t{1} << 30; // bytes, if the operator sets nothing

class SoftwareAccelerator final : public Accelerator {
public:
  SoftwareAccelerator(Start const& start, Shared const& shared)
      : start_(start), shared_(shared),
        engine_(&shared.engine, &shared.slots, &shared.own_slot, start.slot,
                {.switch_cost = shared::Nanos(start.device.switch_ns)}, &shared.engine_wait) {}

  std::unique_ptr<device::Context> make_context() override {
    return software::make_software_context({.memory_bytes = start_.memory_bytes,
                                            .host = shared_.host_window,
                                            .engine = &engine_,
                                            .quota = shared_.memory,
                                            .executing_since = &shared_.executing_since,
                                            .forgives_gaps = start_.device.forgives_gaps != 0,
                                            .compute_capability = start_.device.compute_capability});
  }
  // The address space of device memory, which is twice its size (exec/memory/memory.cpp), and what is mapped in addition;
  // a gigabyte for the local memory of a block, another for module images, their parsed form and lowered code.
  std::uint64_t private_bytes() const override { return 3 * start_.memory_bytes + (std::uint64_t{2} << 30); }
  std::uint64_t reserved_bytes() const override { return software::mappable_bytes(start_.memory_bytes); }

private:
  Start const& start_;
  Shared shared_;
  shared::EngineClient engine_;
};

} // namespace

// As many exist as pegasusd asks for; they differ in their last byte.
tl::expected<void, std::string> probe_software(Wanted const& wanted, Probed& found) {
  device::Profile profile = software::software_profile(usual_memory, wanted.compute_capability);
  profile.uuid.back() = static_cast<std::uint8_t>(profile.uuid.back() + wanted.ordinal);
  found.count = static_cast<std::uint32_t>(wanted.ordinal) + 1;
  found.device = to_wire(profile);
  return {};
}

tl::expected<std::unique_ptr<Accelerator>, std::string> open_software(Start const& start,
                                                                      Shared const& shared) {
  return std::make_unique<SoftwareAccelerator>(start, shared);
}

} // namespace pegasus::worker
