// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/loop/xen/hypercalls.h"

#include <cstdint>
#include <cstring>

namespace pegasus::xen {

Hypercalls::Hypercalls() : calls_(xencall_open(nullptr, 0)) {}

Hypercalls::~Hypercalls() {
  if (room_ != nullptr) xencall_free_buffer(calls_.get(), room_);
}

std::byte* Hypercalls::room(std::size_t bytes) {
  if (!calls_ || bytes <= room_bytes_) return room_;
  if (room_ != nullptr) xencall_free_buffer(calls_.get(), room_);
  room_ = static_cast<std::byte*>(xencall_alloc_buffer(calls_.get(), bytes));
  room_bytes_ = room_ != nullptr ? bytes : 0;
  return room_;
}

bool Hypercalls::sysctl(xen_sysctl& call) {
  std::byte* const shared = room(sizeof call);
  if (shared == nullptr) return false;
  call.interface_version = XEN_SYSCTL_INTERFACE_VERSION;
  std::memcpy(shared, &call, sizeof call);
  int const result = xencall1(calls_.get(), __HYPERVISOR_sysctl, reinterpret_cast<std::uintptr_t>(shared));
  std::memcpy(&call, shared, sizeof call);
  return result == 0;
}

bool Hypercalls::domctls(std::span<Domctl> calls) {
  std::size_t const list_bytes = calls.size() * sizeof(multicall_entry);
  std::byte* const shared = room(list_bytes + calls.size() * sizeof(xen_domctl));
  if (shared == nullptr) return false;
  auto* const list = reinterpret_cast<multicall_entry*>(shared);
  auto* const bodies = reinterpret_cast<xen_domctl*>(shared + list_bytes);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls[i].call.interface_version = XEN_DOMCTL_INTERFACE_VERSION;
    bodies[i] = calls[i].call;
    list[i] = {};
    list[i].op = __HYPERVISOR_domctl;
    list[i].args[0] = reinterpret_cast<std::uintptr_t>(&bodies[i]);
  }
  if (xencall2(calls_.get(), __HYPERVISOR_multicall, reinterpret_cast<std::uintptr_t>(list), calls.size()) !=
      0)
    return false;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls[i].call = bodies[i];
    calls[i].answer = static_cast<long>(list[i].result);
  }
  return true;
}

} // namespace pegasus::xen
