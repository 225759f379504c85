// SPDX-License-Identifier: Apache-2.0
// A child process that cannot outlive us: killed by the kernel should we die, killed and reaped when its
// owner goes.
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
  std::vector<std::string> arguments; // the first is the name the program is told
  std::vector<std::string> environment;
  int input = -1; // -1: ours
  int output = -1;
  int error = -1;
  int passed_fd = -1;             // stays open under the same number
  int death_signal = SIGKILL;     // what it gets when we die
  bool own_group = false;         // out of reach of the terminal's Ctrl-C
  sigset_t const* mask = nullptr; // blocked signals at its start; null: ours
};

// How a process ended.
struct Ended {
  int status = 0; // of waitpid(2)

  [[nodiscard]] bool by_signal() const;
  [[nodiscard]] int signal() const;
  [[nodiscard]] int exit_code() const; // 128 + n after signal n, as a shell says it
};

class Child {
public:
  // The error is an errno value: of fork, or of exec in the child.
  [[nodiscard]] static tl::expected<Child, int> start(Spawn const& spawn);

  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child(); // SIGKILL, unless it has ended

  [[nodiscard]] pid_t pid() const { return pid_; }
  void send(int signal) const;                // nothing once it has been reaped: its number may be another's
  [[nodiscard]] std::optional<Ended> ended(); // does not wait
  Ended wait();
  // SIGTERM, a while to end by itself, SIGKILL.
  Ended stop(std::chrono::milliseconds patience);

private:
  explicit Child(pid_t pid) : pid_(pid) {}
  pid_t pid_ = -1; // -1: moved from
  std::optional<Ended> ended_;
};

} // namespace pegasus::ctl
