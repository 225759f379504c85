// SPDX-License-Identifier: Apache-2.0
// Another process with a context of its own on the same GPU. Must be started before this process uses the
// driver.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>

namespace pegasus::facts {

class Neighbour {
public:
  // The process runs `serve` for each word that it is sent, and sends back what that returns.
  using Serve = std::function<std::string(std::string const& word)>;
  // `start` runs in the process and returns what serves it.
  explicit Neighbour(std::function<Serve()> const& start);
  ~Neighbour();
  Neighbour(Neighbour const&) = delete;
  Neighbour& operator=(Neighbour const&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  // nullopt: it did not answer in time, or died.
  [[nodiscard]] std::optional<std::string> ask(std::string const& word, int timeout_ms = 10'000) const;
  void kill(); // returns when it has ended

private:
  pid_t pid_ = -1;
  int socket_ = -1;
};

// A neighbour that launches 100 kernels of 100 us one by one: reports the mean and the longest latency.
class Probe {
public:
  Probe();
  // Within three seconds, as facts "neighbour's kernel of 100 us, `when`".
  void measure(std::string const& when) const;

private:
  Neighbour neighbour_;
};

} // namespace pegasus::facts
