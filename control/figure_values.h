// SPDX-License-Identifier: Apache-2.0
// Figures in messages of control.proto.
#pragma once

#include "control/control.pb.h"
#include "control/figures.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <type_traits>

namespace pegasus::control {

// A time in a message: not negative.
[[nodiscard]] inline std::uint64_t as_ns(std::chrono::nanoseconds time) {
  return static_cast<std::uint64_t>(std::max(std::chrono::nanoseconds{0}, time).count());
}

// Replaces the message's figures. What is 0 is left out.
template <class Message, class Of> void set_figures(Message& message, Of const& figures) {
  message.clear_figure();
  for (Figure<Of> const& row : all_figures<Of>())
    std::visit(
        [&](auto const member) {
          auto const value = figures.*member;
          if (value == decltype(value){}) return;
          FigureValue& sent = *message.add_figure();
          sent.set_id(row.id);
          if constexpr (std::is_same_v<decltype(value), double const>)
            sent.set_number(value);
          else
            sent.set_whole(value);
        },
        row.member);
}

// What is absent is 0; ids without a row, and values of another type than the row's, are passed over.
template <class Of, class Message> [[nodiscard]] Of figures_in(Message const& message) {
  Of figures;
  for (FigureValue const& sent : message.figure()) {
    auto const row = std::ranges::find(all_figures<Of>(), sent.id(), &Figure<Of>::id);
    if (row == all_figures<Of>().end()) continue;
    std::visit(
        [&](auto const member) {
          using Value = std::remove_reference_t<decltype(figures.*member)>;
          if constexpr (std::is_same_v<Value, double>) {
            if (sent.has_number()) figures.*member = sent.number();
          } else {
            if (sent.has_whole()) figures.*member = static_cast<Value>(sent.whole());
          }
        },
        row->member);
  }
  return figures;
}

[[nodiscard]] inline auto figures_of(Domain const& domain) { return figures_in<DomainFigures>(domain); }
[[nodiscard]] inline auto figures_of(Task const& task) { return figures_in<TaskFigures>(task); }
[[nodiscard]] inline auto figures_of(Accelerator const& one) { return figures_in<AcceleratorFigures>(one); }

} // namespace pegasus::control
