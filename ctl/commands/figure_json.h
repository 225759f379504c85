// SPDX-License-Identifier: Apache-2.0
// The tables of control/figures.h as JSON.
#pragma once

#include "control/figures.h"
#include "ctl/text/json.h"

#include <string>
#include <string_view>
#include <type_traits>

namespace pegasus::ctl {

// Decimals that say something.
[[nodiscard]] constexpr int decimals(control::Unit unit) {
  switch (unit) {
  case control::Unit::per_second:
    return 1;
  case control::Unit::microseconds:
    return 2;
  default:
    return 4;
  }
}

// Adds the figure to a document, in the object to which the dots of its name lead.
template <class Of> void add_figure(Json& document, control::Figure<Of> const& figure, Of const& values) {
  Json* place = &document;
  std::string_view name = figure.name;
  for (auto dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
    place = &(*place)[std::string(name.substr(0, dot))];
    name.remove_prefix(dot + 1);
  }
  (*place)[std::string(name)] = std::visit(
      [&](auto const member) -> Json {
        auto const value = values.*member;
        if constexpr (std::is_same_v<decltype(value), double const>)
          return json_number(value, decimals(figure.unit));
        else
          return value;
      },
      figure.member);
}

template <class Of> void add_figures(Json& document, Of const& values) {
  for (auto const& figure : control::all_figures<Of>())
    add_figure(document, figure, values);
}

} // namespace pegasus::ctl
