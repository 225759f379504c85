// SPDX-License-Identifier: Apache-2.0
// A guest's program: steps of CPU work, kernels, waits and sleeps, repeated. It is one thread of the guest
// and one task of pegasusd; it waits for the accelerator as our frontend does (frontend/channel), or as
// the scenario says.
#pragma once

#include "sim/accelerator/worker.h"
#include "sim/guest/guest_vcpu.h"
#include "sim/guest/wait_times.h"
#include "sim/random.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pegasus::sim {

struct Step {
  enum class Kind {
    cpu,         // computes for `span` of CPU time
    launch,      // `count` kernels of `span` of device time each, without a wait
    call,        // the same, with a wait for each
    to_device,   // `count` copies of `span` each to the device, without a wait
    from_device, // ... from it, with a wait for each
    sync,        // waits until all its kernels have ended
    sleep,       // for `span`
    every,       // until the next request comes: `span` after the last one came
    arrive,      // ... at random, `span` on the mean (a Poisson process)
  };
  Kind kind = Kind::cpu;
  Nanos span{0};
  std::uint32_t count = 1;

  bool operator==(Step const&) const = default;
};

// Steps of this kind put requests into the call buffer, `Step::count` of them.
[[nodiscard]] constexpr bool makes_requests(Step::Kind kind) {
  using Kind = Step::Kind;
  return kind == Kind::launch || kind == Kind::call || kind == Kind::to_device || kind == Kind::from_device;
}

enum class Wait {
  hybrid, // polls for `Costs::spin`, unless the gate is closed; then sleeps
  spin,   // polls until the end
  block,  // sleeps at once
};

struct Phase {
  std::vector<Step> steps;
  std::uint64_t rounds = 0; // of all steps, before the next phase; 0: until the scenario ends

  bool operator==(Phase const&) const = default;
};

struct ProgramSettings {
  std::string name;
  std::vector<Phase> phases;               // one after the other; with the last one's end the program ends
  Nanos start{0};                          // when it begins
  double spread = 0;                       // `start` and each span differ by up to this fraction
  std::optional<Wait> wait = std::nullopt; // as the policy wants its guests to, if not given
  double weight = 1;                       // for the guest's own scheduler, if it has one

  bool operator==(ProgramSettings const&) const = default;
};

class Program final : public Thread, private Worker::Client {
public:
  struct Setup {
    Clock& clock;
    Costs const& costs;
    GuestVcpu& vcpu;
    std::uint32_t vcpu_number; // in its guest
    std::uint64_t seed;
    Wait usual_wait;                                 // of programs that do not say how they wait
    std::function<Worker&(Worker::Client&)> connect; // when it begins
    std::function<void()> ended;                     // disconnects it
  };
  Program(Setup setup, ProgramSettings settings);

  void kill(); // its task was given up

  [[nodiscard]] std::uint64_t rounds() const { return rounds_; }
  [[nodiscard]] std::uint64_t kernels() const { return kernels_; } // that have ended
  [[nodiscard]] WaitTimes const& waits() const { return waits_; }
  [[nodiscard]] std::optional<Time> began_at() const { return began_at_; }
  [[nodiscard]] std::optional<Time> ended_at() const { return ended_at_; }
  [[nodiscard]] bool killed() const { return killed_; }

private:
  enum class State { sleeps, computes, posts, polls, blocked, ended };

  void computed() override;
  void completed() override;
  void paused() override;
  void step();
  void next_step();
  void post();
  void wait_for(std::uint64_t requests);
  void waited();
  void end();
  [[nodiscard]] Step const& current() const { return settings_.phases[phase_].steps[position_]; }
  [[nodiscard]] Nanos span_of(Step const& step) { return random_.around(step.span, settings_.spread); }

  Setup setup_;
  ProgramSettings settings_;
  Wait wait_;
  Random random_;
  Worker* worker_ = nullptr; // while it is connected
  State state_ = State::sleeps;
  std::size_t phase_ = 0;     // in settings_.phases
  std::uint64_t repeats_ = 0; // complete rounds of this phase
  std::size_t position_ = 0;  // in its steps
  std::uint32_t left_ = 0;    // launches or calls of this step
  std::uint64_t awaited_ = 0; // requests that must be complete before it goes on; 0: does not wait
  Time waits_since_{};
  Time arrival_{};              // of the next request, or the last one
  std::optional<Time> arrived_; // its first wait is counted from then on
  std::uint64_t rounds_ = 0;    // of all phases
  std::uint64_t kernels_ = 0;
  WaitTimes waits_;
  std::optional<Time> began_at_, ended_at_;
  bool killed_ = false;
  Timer wakeup_; // ends a sleep, or a signal on its way to the sleeping thread
};

} // namespace pegasus::sim
