// SPDX-License-Identifier: Apache-2.0
// Processes that exist in memory only. A number may be used again after its process has ended.
#pragma once

#include "nested/guest/process.h"

#include <cerrno>
#include <csignal>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace pegasus::nested::testing {

struct FakeProcess {
  std::uint32_t number = 0;
  std::string name;
  bool cuda = true;
  bool alive = true;
  bool stopped = false;
  unsigned handles = 0; // open
};

class FakeProcesses final : public Processes {
public:
  // Ends the one with that number, if there is one.
  std::shared_ptr<FakeProcess> start(std::uint32_t number, std::string name = "program", bool cuda = true) {
    end(number);
    auto process = std::make_shared<FakeProcess>(FakeProcess{number, std::move(name), cuda});
    running_[number] = process;
    return process;
  }
  void end(std::uint32_t number) {
    if (auto const found = running_.extract(number)) found.mapped()->alive = false;
  }
  [[nodiscard]] std::shared_ptr<FakeProcess> running(std::uint32_t number) const { // nullptr: none
    auto const found = running_.find(number);
    return found == running_.end() ? nullptr : found->second;
  }
  [[nodiscard]] std::map<std::uint32_t, std::shared_ptr<FakeProcess>> const& all() const { return running_; }
  [[nodiscard]] unsigned handles() const { return *handles_; }
  [[nodiscard]] bool signalled_others() const { return *others_; } // one that does not use CUDA

  [[nodiscard]] std::unique_ptr<Process> open(std::uint32_t number) override {
    auto const process = running(number);
    errno = ESRCH;
    return process ? std::make_unique<Handle>(process, handles_, others_) : nullptr;
  }

private:
  class Handle final : public Process {
  public:
    Handle(std::shared_ptr<FakeProcess> process, std::shared_ptr<unsigned> handles,
           std::shared_ptr<bool> others)
        : process_(std::move(process)), handles_(std::move(handles)), others_(std::move(others)) {
      ++*handles_;
    }
    ~Handle() override { --*handles_; }
    std::string name() const override { return process_->name; }
    bool uses_cuda() const override { return process_->cuda; }
    bool signal(int signal) override {
      if (!process_->alive) return false;
      if (!process_->cuda) *others_ = true;
      if (signal == SIGSTOP) process_->stopped = true;
      if (signal == SIGCONT) process_->stopped = false;
      return true;
    }

  private:
    std::shared_ptr<FakeProcess> process_;
    std::shared_ptr<unsigned> handles_;
    std::shared_ptr<bool> others_;
  };

  std::map<std::uint32_t, std::shared_ptr<FakeProcess>> running_;
  std::shared_ptr<unsigned> handles_ = std::make_shared<unsigned>(0);
  std::shared_ptr<bool> others_ = std::make_shared<bool>(false);
};

} // namespace pegasus::nested::testing
