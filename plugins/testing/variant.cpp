// SPDX-License-Identifier: Apache-2.0
// A plug-in for the loader's tests. VARIANT_...: what is wrong with it, VARIANT: its name.
#include "policies/interface.h"
#ifdef VARIANT_other_headers
#undef PEGASUS_POLICY_HEADERS
#define PEGASUS_POLICY_HEADERS "0123456789abcdef"
#endif
#ifndef VARIANT_nothing
#include "policies/plugin.h"

#include <array>

namespace {

using namespace pegasus::policies;

class FirstWithCalls final : public Policy {
  [[nodiscard]] Decision decide(View const& view) override {
#ifdef VARIANT_decide_throws
    throw 42;
#endif
    Time const end = view.now + std::chrono::milliseconds(1);
    for (DomainView const& domain : view.domains)
      if (domain.calls_waiting > 0)
        return {.run = {domain.id}, .until = end, .ask_again = end, .wake = {}, .reason = Reason::slice_end};
    return {.run = {}, .ask_again = end, .wake = {}, .reason = Reason::idle};
  }
};

[[maybe_unused]] std::unique_ptr<Policy> make([[maybe_unused]] Tunables const& set) {
#if defined(VARIANT_make_throws)
  if (set.slice > Nanos{0}) throw std::bad_alloc();
#elif defined(VARIANT_makes_none)
  return nullptr;
#endif
  return std::make_unique<FirstWithCalls>();
}

constexpr std::array tunables{tunable::slice};
constexpr Entry entry {
#if defined(VARIANT_built_in)
  .name = "fair",
#elif defined(VARIANT_nameless)
  .name = "",
#else
  .name = VARIANT,
#endif
  .exclusive = true, .tunables = tunables,
#ifndef VARIANT_unmakeable
  .make = make,
#endif
};

} // namespace

pegasus::policies::Entry const* pegasus_policy() {
#ifdef VARIANT_null
  return nullptr;
#endif
  return &entry;
}
#endif
