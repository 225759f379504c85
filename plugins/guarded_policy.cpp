// SPDX-License-Identifier: Apache-2.0
#include "plugins/guarded_policy.h"

#include <array>
#include <cstddef>
#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>
#include <variant>

namespace pegasus::plugins {
namespace {

using policies::Entry;
using policies::Policy;
using policies::Tunables;

struct Guard {
  Entry entry; // as the plug-in has it
  Failed failed = nullptr;

  template <class Call> auto operator()(char const* where, Call call) const {
    std::string what = "something that is no std::exception";
    try {
      return call();
    } catch (std::exception const& error) {
      what = error.what();
    } catch (...) {
    }
    failed("policy " + std::string(entry.name) + " threw in " + where + ": " + what);
    std::terminate();
  }
};

class GuardedPolicy final : public Policy {
public:
  GuardedPolicy(Guard const& guard, Tunables const& tunables)
      : guard_(guard), policy_(guard_("make", [&] { return guard_.entry.make(tunables); })) {
    if (policy_ == nullptr)
      guard_.failed("policy " + std::string(guard_.entry.name) + ": its `make` made none");
  }
  [[nodiscard]] policies::Decision decide(policies::View const& view) override {
    return guard_("decide", [&] { return policy_->decide(view); });
  }
  [[nodiscard]] policies::Nanos debt(policies::DomainId id) const override {
    return guard_("debt", [&] { return policy_->debt(id); });
  }
  void visit(policies::StateVisitor& state) override {
    guard_("visit", [&] { policy_->visit(state); });
  }

private:
  Guard const& guard_;
  std::unique_ptr<Policy> policy_;
};

// Entry::make is a plain function, which knows what it makes by its place.
std::array<Guard, policies::most_added> guards;
std::size_t used = 0;

template <std::size_t place> std::unique_ptr<Policy> make(Tunables const& tunables) {
  return std::make_unique<GuardedPolicy>(guards[place], tunables);
}

template <std::size_t... places> constexpr auto makers_of(std::index_sequence<places...> /*unused*/) {
  return std::array{&make<places>...};
}
constexpr auto makers = makers_of(std::make_index_sequence<policies::most_added>());

} // namespace

void throw_runtime_error(std::string const& what) { throw std::runtime_error(what); }

tl::expected<Entry const*, std::string> add_guarded(Entry const& entry, Failed failed) {
  Entry guarded = entry;
  if (entry.make != nullptr && used < makers.size()) guarded.make = makers[used]; // else it will be refused
  auto const added = policies::add(guarded);
  if (auto const* invalid = std::get_if<policies::InvalidEntry>(&added)) return tl::unexpected(invalid->text);
  guards[used++] = {entry, failed};
  return std::get<Entry const*>(added);
}

} // namespace pegasus::plugins
