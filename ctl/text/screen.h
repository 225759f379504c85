// SPDX-License-Identifier: Apache-2.0
// A terminal that a program has to itself while it runs, with keys: what stood there comes back at the end.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <termios.h>

namespace pegasus::ctl {

class Screen {
public:
  [[nodiscard]] static bool possible(); // standard input and output are terminals

  Screen(); // signals that end the process must be caught while it exists
  ~Screen();
  Screen(Screen const&) = delete;
  Screen& operator=(Screen const&) = delete;

  // The lines that fit, and how many do not. Returns false if the terminal cannot be written.
  [[nodiscard]] bool show(std::string_view text);
  // A key, waited for until then or until `also` can be read; nullopt: none, or one without a letter.
  [[nodiscard]] std::optional<char> key(std::chrono::steady_clock::time_point until, int also);

private:
  termios before_{};
};

} // namespace pegasus::ctl
