// SPDX-License-Identifier: Apache-2.0
// Ids of domains and of tasks. A number becomes an id and an id a number, but ids of different kinds do not
// mix: a task's id is never taken for a domain's.
#pragma once

#include <cstdint>
#include <type_traits>

namespace pegasus::policies {

template <class Kind> class Id {
public:
  constexpr Id() = default;
  constexpr Id(std::uint32_t number) : number_(number) {}
  constexpr operator std::uint32_t() const { return number_; }
  constexpr Id& operator++() {
    ++number_;
    return *this;
  }
  constexpr Id operator++(int) { return number_++; }
  friend constexpr std::uint32_t format_as(Id id) { return id.number_; } // what fmt writes

private:
  std::uint32_t number_ = 0;
};

using DomainId = Id<struct DomainKind>; // pegasusd's number, not that of a guest in Xen
using TaskId = Id<struct TaskKind>;     // a guest's process that uses an accelerator
static_assert(!std::is_convertible_v<DomainId, TaskId> && !std::is_convertible_v<TaskId, DomainId>);

} // namespace pegasus::policies
