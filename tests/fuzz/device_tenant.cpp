// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/device_tenant.h"

#include "frontend/protocol/handshake.h"
#include "tests/fuzz/require.h"

namespace pegasus::fuzz {
namespace {

constexpr std::uint64_t memory_bytes = 12 << 20; // per tenant
constexpr std::int64_t branches = 1 << 10;       // backward branches of a block before it pauses

// All zero while there is no accelerator.
struct Areas {
  memory::QuotaLimits limits;
  shared::EngineAccess access;
  shared::SlotPages pages;
} areas;

memory::QuotaBooks::DomainId domain_of(std::uint32_t slot) { return slot + 1; }

} // namespace

Accelerator::Accelerator(std::array<std::uint64_t, tenants> const& shares)
    : engine_(areas.access, areas.pages), books_(areas.limits, areas.pages, tenants * memory_bytes) {
  for (std::uint32_t slot = 0; slot < tenants; ++slot) {
    engine_.admit(slot);
    books_.take(slot, domain_of(slot), {.bytes = shares[slot]});
  }
}

Accelerator::~Accelerator() {
  for (std::uint32_t slot = 0; slot < tenants; ++slot) {
    engine_.leave(slot);
    books_.leave(slot);
  }
}

memory::Quota Accelerator::quota(std::uint32_t slot) {
  return {.limits = &areas.limits, .pages = &areas.pages, .own = &areas.pages[slot].claim, .slot = slot};
}

std::uint64_t Accelerator::charged(std::uint32_t slot) const { return books_.used_bytes(domain_of(slot)); }

Tenant::Tenant(Accelerator& accelerator, std::uint32_t slot, software::Isa isa)
    : accelerator_(accelerator), slot_(slot), isa_(isa),
      engine_client_(&areas.access, &areas.pages, &areas.pages[slot], slot), handler_(make_context, this) {}

std::unique_ptr<device::Context> Tenant::make_context(void* argument) {
  auto& tenant = *static_cast<Tenant*>(argument);
  software::Options const options{.memory_bytes = memory_bytes,
                                  .host = {PEGASUS_HOST_WINDOW, tenant.host_window_.bytes()},
                                  .engine = &tenant.engine_client_,
                                  .quota = Accelerator::quota(tenant.slot_),
                                  .executing_since = &tenant.usage_.executing_since_ns};
  return std::make_unique<software::SoftwareContext>(
      options, tenant.isa_,
      software::Limits{.malloc_heap_bytes = 64 << 10, .printf_bytes = 8 << 10, .branches_alone = branches});
}

avcpu::CallResult Tenant::call(pegasus_request const& request, std::span<std::byte> data, Gate const& gate) {
  avcpu::CallResult answer = handler_.execute(request, data, gate);
  bool const may_be_interrupted = request.call == PEGASUS_CALL_LAUNCH ||
                                  request.call == PEGASUS_CALL_LAUNCH_WITH_ATTRIBUTES ||
                                  request.call == PEGASUS_CALL_GRAPH_LAUNCH;
  require(may_be_interrupted || !answer.unfinished);
  while (answer.unfinished) {
    require(!answer.expected);
    (void)gate.over(); // the aVCPU checks it too
    answer = handler_.resume(gate);
  }
  require(answer.expected == is_answered_at_once(request.call));
  require(!accelerator_.engine().first() && usage_.executing_since_ns == 0);
  return answer;
}

bool Tenant::is_sound() const {
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
  return handler_.context().memory_info(free_bytes, total_bytes) == device::Status::success;
}

void Tenant::check_charge() const {
  std::uint64_t const charged = accelerator_.charged(slot_);
  std::uint64_t const held = handler_.context().memory_used();
  // Memory that a kernel took beyond its task's share cannot be taken back. Such a task has failed.
  require(charged == held || (charged < held && !is_sound()));
}

} // namespace pegasus::fuzz
