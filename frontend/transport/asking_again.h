// SPDX-License-Identifier: Apache-2.0
// How often a program asks again after PEGASUS_ASK_AGAIN, and what it prints.
#pragma once

#include <cstdio>
#include <ctime>

namespace pegasus::frontend {

class AskingAgain {
public:
  static constexpr int first_ms = 100; // by then, tasks that were ending are gone
  static constexpr int pause_ms = 1000;

  // Called for each PEGASUS_ASK_AGAIN answer. Returns how long to wait before asking again. Tells the user
  // once, at the second answer.
  [[nodiscard]] int answered(char const* why) {
    ++answers_;
    if (answers_ == 2) std::fprintf(stderr, "pegasus: waiting for an accelerator: %.400s\n", why);
    return answers_ == 1 ? first_ms : pause_ms;
  }

  // A signal does not shorten the pause, unless it ends the program.
  static void pause(int milliseconds) {
    timespec left{milliseconds / 1000, milliseconds % 1000 * 1'000'000L};
    while (nanosleep(&left, &left) != 0)
      ;
  }

private:
  unsigned answers_ = 0;
};

} // namespace pegasus::frontend
