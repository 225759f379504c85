// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/loop/xen/hypervisor_pages.h"

#include <cstddef>
#include <span>
#include <sys/mman.h>

namespace pegasus::xen {

namespace {

// XENMEM_resource_sched_state: a resource of Xen itself, with the domain as its id.
constexpr unsigned sched_state_resource = 3;
constexpr std::size_t max_pages = (64 + std::size_t{64} * max_vcpus + page_bytes - 1) / page_bytes;

} // namespace

// The pages of our own domain show whether this Xen is patched.
std::unique_ptr<HypervisorPages> HypervisorPages::open(xenforeignmemory_handle* memory) {
  if (memory == nullptr) return nullptr;
  std::unique_ptr<HypervisorPages> pages(new HypervisorPages(memory));
  Mapping const own = pages->map(DOMID_SELF);
  if (own.resource == nullptr) return nullptr;
  pages->unmap(own);
  return pages;
}

HypervisorPages::~HypervisorPages() {
  for (auto const& [_, mapping] : domains_)
    unmap(mapping);
}

void HypervisorPages::unmap(Mapping const& mapping) const {
  if (mapping.resource != nullptr) xenforeignmemory_unmap_resource(memory_, mapping.resource);
}

// Finds the size by mapping: an unpatched Xen answers a query for the size with nonsense.
HypervisorPages::Mapping HypervisorPages::map(std::uint32_t domain) const {
  for (std::size_t frames = 1; frames <= max_pages; ++frames) {
    void* address = nullptr;
    Mapping mapping;
    mapping.resource = xenforeignmemory_map_resource(memory_, DOMID_XEN, sched_state_resource, domain, 0,
                                                     frames, &address, PROT_READ, 0);
    if (mapping.resource == nullptr) break;
    if (auto const reader = monitor::ScheduleReader::open(
            std::span(static_cast<std::byte const*>(address), frames * page_bytes))) {
      mapping.reader = *reader;
      return mapping;
    }
    unmap(mapping); // its slots continue in the next page
  }
  return {};
}

std::optional<monitor::VcpuSchedule> HypervisorPages::vcpu(std::uint32_t domain, std::uint32_t id, Time now) {
  auto found = domains_.find(domain);
  if (found == domains_.end()) found = domains_.emplace(domain, map(domain)).first;
  auto vcpu = found->second.reader.vcpu(id);
  if (!vcpu) return std::nullopt;
  offset_.learn(vcpu->updated, now);
  vcpu->since += offset_.value();
  vcpu->updated += offset_.value();
  return vcpu;
}

void HypervisorPages::forget(std::uint32_t domain) {
  auto const found = domains_.find(domain);
  if (found == domains_.end()) return;
  unmap(found->second);
  domains_.erase(found);
}

} // namespace pegasus::xen
