// SPDX-License-Identifier: Apache-2.0
// A child process that cannot outlive us: the kernel kills it if we die, and its owner kills and reaps it.
#pragma once

#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <sys/types.h>
#include <tl/expected.hpp>
#include <vector>

namespace pegasus::ctl {

struct Spawn {
  std::string program;                // a path
  std::vector<std::string> arguments; // the first is the program's name
  std::vector<std::string> environment;
  int input = -1; // -1: ours
  int output = -1;
  int error = -1;
  int passed_fd = -1;             // stays open under the same number
  int death_signal = SIGKILL;     // the signal it gets when we die
  bool own_group = false;         // out of reach of the terminal's Ctrl-C
  sigset_t const* mask = nullptr; // blocked signals at its start; nullptr: ours
};

// How a process ended.
struct Ended {
  int status = 0; // of waitpid(2)

  [[nodiscard]] bool by_signal() const;
  [[nodiscard]] int signal() const;
  [[nodiscard]] int exit_code() const; // 128 + n after signal n, as in a shell
};

class Child {
public:
  // The error is an errno value of fork, or of exec in the child.
  [[nodiscard]] static tl::expected<Child, int> start(Spawn const& spawn);

  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child(); // sends SIGKILL unless it has ended

  [[nodiscard]] pid_t pid() const { return pid_; }
  void send(int signal) const;                // no effect once it has been reaped: its pid may be reused
  [[nodiscard]] std::optional<Ended> ended(); // does not wait
  Ended wait();
  // Sends SIGTERM, waits for it to end, then sends SIGKILL.
  Ended stop(std::chrono::milliseconds patience);

private:
  explicit Child(pid_t pid) : pid_(pid) {}
  pid_t pid_ = -1; // -1: moved from
  std::optional<Ended> ended_;
};

} // namespace pegasus::ctl
