// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/facts/neighbour.h"

#include "bench/gpu/facts/report.h"
#include "bench/gpu/facts/session.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pegasus::facts {
namespace {

[[noreturn]] void serve(int socket, std::function<Neighbour::Serve()> const& start) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    Neighbour::Serve const answer = start();
    std::array<char, 256> word{};
    for (ssize_t bytes = 0; (bytes = recv(socket, word.data(), word.size(), 0)) > 0;) {
      std::string const text = answer({word.data(), static_cast<std::size_t>(bytes)});
      if (send(socket, text.data(), text.size(), MSG_NOSIGNAL) < 0) break;
    }
  } catch (std::exception const& error) {
    failed(fmt::format("in the other process: {}", error.what()));
  }
  std::_Exit(0);
}

} // namespace

Neighbour::Neighbour(std::function<Serve()> const& start) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::runtime_error("no socket for another process");
  pid_ = fork();
  if (pid_ == 0) {
    close(ends[0]);
    serve(ends[1], start);
  }
  close(ends[1]);
  socket_ = ends[0];
  if (pid_ < 0) throw std::runtime_error("no other process");
}

Neighbour::~Neighbour() {
  kill();
  close(socket_);
}

std::optional<std::string> Neighbour::ask(std::string const& word, int timeout_ms) const {
  std::array<char, 256> answer{};
  pollfd waiting{socket_, POLLIN, 0};
  while (recv(socket_, answer.data(), answer.size(), MSG_DONTWAIT) > 0) { // an answer that came too late
  }
  if (send(socket_, word.data(), word.size(), MSG_NOSIGNAL) < 0 || poll(&waiting, 1, timeout_ms) <= 0)
    return std::nullopt;
  ssize_t const bytes = recv(socket_, answer.data(), answer.size(), 0);
  if (bytes <= 0) return std::nullopt;
  return std::string(answer.data(), static_cast<std::size_t>(bytes));
}

void Neighbour::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

Probe::Probe()
    : neighbour_([] {
        auto const session = std::make_shared<Session>();
        return [session](std::string const&) {
          constexpr int count = 100;
          double sum = 0, longest = 0;
          for (int i = 0; i < count; ++i) {
            double const begin = now_us();
            check(session->launch_spin(100, session->stream()), "a neighbour's kernel");
            session->synchronize();
            sum += now_us() - begin;
            longest = std::max(longest, now_us() - begin);
          }
          return fmt::format("{} {}", sum / count, longest);
        };
      }) {
  if (!neighbour_.ask("begin", 20'000)) throw std::runtime_error("the neighbour does not begin");
}

void Probe::measure(std::string const& when) const {
  auto const answer = neighbour_.ask("measure", 3'000);
  double mean = 0, longest = 0;
  if (!answer || std::sscanf(answer->c_str(), "%lf %lf", &mean, &longest) != 2)
    return failed(fmt::format("the neighbour's 100 kernels, {}: not done within 3 s", when));
  fact(fmt::format("neighbour's kernel of 100 us, {}: mean", when), mean, "us");
  fact(fmt::format("neighbour's kernel of 100 us, {}: longest", when), longest, "us");
}

} // namespace pegasus::facts
