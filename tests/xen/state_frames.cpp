// SPDX-License-Identifier: Apache-2.0
// Examines the page with a domain's schedule (xen-patches/0001) from Dom0.
//
//   state_frames DOMID        prints the frame numbers of the domain's grant table, which the domain may map,
//                             and of that page
//   state_frames DOMID FILE   maps the page and waits until FILE exists: the domain is gone, and the page
//                             must become empty
//   state_frames DOMID write  exits with 0 if Xen refuses a writable mapping
#define __XEN_INTERFACE_VERSION__ __XEN_LATEST_INTERFACE_VERSION__ // the default is a very old interface

#include "xen-patches/abi/sched_state.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <string_view>
#include <sys/mman.h>
#include <thread>

extern "C" {
#include <xencall.h>
#include <xenforeignmemory.h>
}
#include <xen/memory.h>

namespace {

constexpr unsigned resource_type = 3; // XENMEM_resource_sched_state
constexpr std::size_t page_bytes = 4096;

int fail(char const* what) {
  std::fprintf(stderr, "state_frames: %s\n", what);
  return 1;
}

// The number of a resource's first frame; 0 if there is none.
unsigned long first_frame(std::uint16_t owner, std::uint16_t type, std::uint32_t id) {
  xencall_handle* const calls = xencall_open(nullptr, 0);
  if (calls == nullptr) return 0;
  struct Call { // where the hypervisor can read it
    xen_mem_acquire_resource_t acquire;
    xen_pfn_t frame;
  };
  auto* const call = new (xencall_alloc_buffer(calls, sizeof(Call))) Call{};
  call->acquire.domid = owner;
  call->acquire.type = type;
  call->acquire.id = id;
  call->acquire.nr_frames = 1;
  set_xen_guest_handle(call->acquire.frame_list, &call->frame);
  auto const argument = reinterpret_cast<std::uintptr_t>(call);
  return xencall2(calls, __HYPERVISOR_memory_op, XENMEM_acquire_resource, argument) == 0 ? call->frame : 0;
}

int print_frames(std::uint32_t domain) {
  auto const grants = first_frame(static_cast<std::uint16_t>(domain), XENMEM_resource_grant_table, 0);
  auto const state = first_frame(DOMID_XEN, resource_type, domain);
  std::printf("%lx %lx\n", grants, state);
  return grants != 0 && state != 0 ? 0 : fail("Xen has no such pages");
}

void* map(std::uint32_t domain, int protection) {
  void* address = nullptr;
  xenforeignmemory_handle* const memory = xenforeignmemory_open(nullptr, 0);
  return memory != nullptr && xenforeignmemory_map_resource(memory, DOMID_XEN, resource_type, domain, 0, 1,
                                                            &address, protection, 0) != nullptr
             ? address
             : nullptr;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2) return fail("usage: state_frames DOMID [FILE|write]");
  auto const domain = static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10));
  if (argc == 2) return print_frames(domain);
  if (std::string_view(argv[2]) == "write")
    return map(domain, PROT_READ | PROT_WRITE) == nullptr ? 0 : fail("Xen gives a writable mapping");
  auto const* const header = static_cast<xen_sched_state_hdr const volatile*>(map(domain, PROT_READ));
  if (header == nullptr) return fail("cannot map it");
  if (header->version != XEN_SCHED_STATE_VERSION || header->domid != domain)
    return fail("it is not the domain's");
  std::puts("mapped");
  std::fflush(stdout);
  while (!std::filesystem::exists(argv[2]))
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  auto const* const bytes = reinterpret_cast<unsigned char const volatile*>(header);
  auto const cleared = [bytes] {
    return std::all_of(bytes, bytes + page_bytes, [](unsigned char byte) { return byte == 0; });
  };
  // Xen clears the page some time after the domain's end, when no CPU can use the domain any more.
  for (int look = 0; look < 100; ++look) {
    if (cleared()) return 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return fail("something is left of the domain that is gone");
}
