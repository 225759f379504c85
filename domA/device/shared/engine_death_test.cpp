// SPDX-License-Identifier: Apache-2.0
// Worker processes killed at random instructions, as the daemon kills them: the others must continue, one
// at a time.
#include "domA/device/shared/engine_admission.h"

#include "domA/device/shared/clock.h"

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <new>
#include <optional>
#include <random>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace pegasus::shared;

namespace {

constexpr std::uint32_t workers = 4;

struct Shared {
  EngineAccess access;
  SlotPages pages;
  std::atomic<std::uint32_t> inside;     // slot + 1 of the worker in the critical section
  std::atomic<std::uint32_t> violations; // two were in it
  std::array<std::atomic<std::uint64_t>, workers> served;
};

// Slots in different words of the bitmap.
std::uint32_t slot_of(std::uint32_t worker) { return worker * 61; }

[[noreturn]] void work(Shared& shared, std::uint32_t self, std::uint32_t spins) {
  std::uint32_t const own = slot_of(self);
  EngineClient slot(&shared.access, &shared.pages, &shared.pages[own], own, {spins, std::chrono::hours{24}});
  for (;;) {
    slot.acquire();
    if (shared.inside.exchange(self + 1) != 0) ++shared.violations;
    ++shared.served[self];
    if (shared.inside.exchange(0) != self + 1) ++shared.violations;
    (void)slot.release();
  }
}

class Workers {
public:
  Workers() {
    void* const memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    shared_ = new (memory) Shared{};
    admission_.emplace(shared_->access, shared_->pages);
    for (std::uint32_t i = 0; i < workers; ++i)
      start(i);
  }
  ~Workers() {
    for (std::uint32_t i = 0; i < workers; ++i)
      end(i);
    munmap(shared_, sizeof(Shared));
  }

  void start(std::uint32_t worker) {
    admission_->admit(slot_of(worker));
    pid_t const pid = fork();
    if (pid == 0) {
      (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
      work(*shared_, worker, worker % 2 == 0 ? 0 : 400); // half of them sleep at once
    }
    REQUIRE(pid > 0);
    pids_[worker] = pid;
  }
  void end(std::uint32_t worker) {
    if (pids_[worker] <= 0) return;
    kill(pids_[worker], SIGKILL);
    (void)waitpid(pids_[worker], nullptr, 0);
    pids_[worker] = 0;
  }
  // As pegasusd does when the worker is dead.
  void free(std::uint32_t worker) { admission_->leave(slot_of(worker)); }
  [[nodiscard]] bool is_first(std::uint32_t worker) const { return admission_->first() == slot_of(worker); }
  Shared& shared() { return *shared_; }

private:
  Shared* shared_ = nullptr;
  std::optional<EngineAdmission> admission_;
  std::array<pid_t, workers> pids_{};
};

// Every worker except `dead` takes the engine `more` times. The time limit only makes a hang fail.
bool others_progress(Shared& shared, std::uint32_t dead, std::uint64_t more) {
  std::array<std::uint64_t, workers> before{};
  for (std::uint32_t i = 0; i < workers; ++i)
    before[i] = shared.served[i];
  Nanos const limit = device_now() + std::chrono::seconds{60};
  for (std::uint32_t i = 0; i < workers; ++i)
    while (i != dead && shared.served[i] < before[i] + more) {
      if (device_now() > limit) return false;
      sched_yield();
    }
  return true;
}

} // namespace

TEST_CASE("workers killed at any instruction delay no other once their slots are freed") {
  Workers all;
  Shared& shared = all.shared();
  std::mt19937 random(20240607);
  std::uint32_t killed_owners = 0;
  for (int round = 0; round < 1000; ++round) {
    std::uint32_t const victim = static_cast<std::uint32_t>(random() % workers);
    Nanos const moment = device_now() + Nanos{random() % 50'000};
    while (device_now() < moment) {
    }
    if (round % 4 == 0) // to kill owners too
      for (int i = 0; i < 10'000 && !all.is_first(victim); ++i) {
      }
    all.end(victim);
    if (all.is_first(victim)) ++killed_owners;
    // No other worker can be in the critical section while the dead one is the owner. If it is not the owner,
    // it was not inside.
    std::uint32_t mark = victim + 1;
    (void)shared.inside.compare_exchange_strong(mark, 0);
    all.free(victim);
    REQUIRE(others_progress(shared, victim, 3));
    all.start(victim);
  }
  CHECK(shared.violations == 0);
  CHECK(killed_owners > 0);
}

TEST_CASE("several workers die before the first one's slot is freed") {
  Workers all;
  Shared& shared = all.shared();
  for (int round = 0; round < 100; ++round) {
    REQUIRE(others_progress(shared, workers, 2));
    for (std::uint32_t dead = 0; dead + 1 < workers; ++dead)
      all.end(dead);
    for (std::uint32_t dead = 0; dead + 1 < workers; ++dead) {
      std::uint32_t mark = dead + 1;
      (void)shared.inside.compare_exchange_strong(mark, 0);
      all.free(dead);
    }
    std::uint64_t const before = shared.served[workers - 1];
    Nanos const limit = device_now() + std::chrono::seconds{60};
    while (shared.served[workers - 1] < before + 3 && device_now() < limit)
      sched_yield();
    REQUIRE(shared.served[workers - 1] >= before + 3);
    for (std::uint32_t dead = 0; dead + 1 < workers; ++dead)
      all.start(dead);
  }
  CHECK(shared.violations == 0);
}
