// SPDX-License-Identifier: Apache-2.0
// The toolstack's hypercalls (xen/public/sysctl.h, domctl.h): those of the release of Xen that this was built for, as libxl's.
#pragma once

#include "domA/scheduler/loop/xen/handles.h"

#include <cstddef>
#include <span>

extern "C" {
#include <xen/domctl.h>
#include <xen/sysctl.h>
}

namespace pegasus::xen {

struct Domctl {
  xen_domctl call; // in and out; its version is set by domctls()
  long answer;     // 0, or an errno below it
};

class Hypercalls {
public:
  Hypercalls();
  ~Hypercalls();
  Hypercalls(Hypercalls const&) = delete;
  Hypercalls& operator=(Hypercalls const&) = delete;

  [[nodiscard]] bool sysctl(xen_sysctl& call);
  // All of them in one hypercall, in their order; this process may die before or after it, not within. Returns false if Xen
  // took none.
  [[nodiscard]] bool domctls(std::span<Domctl> calls);

private:
  [[nodiscard]] std::byte* room(std::size_t bytes); // that Xen can read and write; nullptr: none

  Handle<xencall_handle> calls_;
  std::byte* room_ = nullptr;
  std::size_t room_bytes_ = 0;
};

} // namespace pegasus::xen
