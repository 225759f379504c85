// SPDX-License-Identifier: Apache-2.0
// A program that is told to ask again (PEGASUS_ASK_AGAIN): how often it does, and what it says of it.
#pragma once

#include <cstdio>
#include <ctime>

namespace pegasus::frontend {

class AskingAgain {
public:
  static constexpr int first_ms = 100; // tasks that are being ended are gone by then
  static constexpr int pause_ms = 1000;

  // Such an answer has come: how long to wait before the next question. The user is told once, at the second.
  [[nodiscard]] int answered(char const* why) {
    ++answers_;
    if (answers_ == 2) std::fprintf(stderr, "pegasus: waiting for an accelerator: %.400s\n", why);
    return answers_ == 1 ? first_ms : pause_ms;
  }

  // A program's signals shorten no pause; those that end it do.
  static void pause(int milliseconds) {
    timespec left{milliseconds / 1000, milliseconds % 1000 * 1'000'000L};
    while (nanosleep(&left, &left) != 0)
      ;
  }

private:
  unsigned answers_ = 0;
};

} // namespace pegasus::frontend
