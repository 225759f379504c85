// SPDX-License-Identifier: Apache-2.0
// Uses the control groups of this machine, where they may be made: mostly with root's rights.
#include "domA/daemon/control_groups.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace pegasus::daemon;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t mib = 1 << 20;

// Runs `what` in a process of the group and returns how it ended; it exits with the result of `what`.
template <class What> int ended_in(ControlGroup const& group, What what) {
  int ends[2]; // NOLINT(modernize-avoid-c-arrays)
  REQUIRE(pipe(ends) == 0);
  pid_t const child = fork();
  if (child == 0) {
    char go = 0;
    _exit(read(ends[0], &go, 1) == 1 ? what() : 1);
  }
  REQUIRE(child > 0);
  bool const taken = group.take(child);
  REQUIRE(write(ends[1], "g", 1) == 1);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  close(ends[0]);
  close(ends[1]);
  REQUIRE(taken);
  return status;
}

// ... for a process that touches this much memory.
int touch(ControlGroup const& group, std::size_t bytes) {
  return ended_in(group, [bytes] {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 1;
    std::memset(memory, 1, bytes);
    return 0;
  });
}

// ... for a process that starts others until it is refused one, at most 200. Returns how many there
// were, including itself.
int max_processes(ControlGroup const& group) {
  int const status = ended_in(group, [] {
    std::vector<pid_t> started;
    int error = 0;
    while (error == 0 && started.size() < 200) {
      pid_t const child = fork();
      if (child == 0) {
        pause();
        _exit(0);
      }
      if (child > 0)
        started.push_back(child);
      else
        error = errno;
    }
    for (pid_t const child : started) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
    return error == 0 || error == EAGAIN ? 1 + static_cast<int>(started.size()) : 0;
  });
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

// A machine with control groups of version 2, in plain files: what is read there, and what is written.
class Version2 {
public:
  Version2(std::string const& group, std::string const& offered) {
    std::string pattern = fs::temp_directory_path() / "pegasus-groups-XXXXXX";
    root_ = mkdtemp(pattern.data());
    fs::create_directories(root_ / "proc");
    above_ = root_ / ("cgroup" + group);
    fs::create_directories(above_);
    write("proc/cgroup", "1:name=systemd:/elsewhere\n0::" + group + "\n");
    write("proc/mountinfo", "24 30 0:22 / /proc rw - proc proc rw\n29 23 0:26 / " +
                                (root_ / "cgroup").string() +
                                " rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
    std::ofstream(above_ / "cgroup.controllers") << offered << '\n';
  }
  ~Version2() { fs::remove_all(root_); }
  Version2(Version2 const&) = delete;
  Version2& operator=(Version2 const&) = delete;

  [[nodiscard]] std::string process() const { return root_ / "proc"; }
  [[nodiscard]] std::string own(std::string const& name) const { // the text of a file of this pegasusd
    return text(above_ / ("pegasusd-" + std::to_string(getpid())) / name);
  }
  [[nodiscard]] std::string above(std::string const& name) const { return text(above_ / name); }

private:
  void write(char const* name, std::string const& text) const { std::ofstream(root_ / name) << text; }
  static std::string text(fs::path const& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  fs::path root_, above_;
};

} // namespace

TEST_CASE("a group limits the memory of all its processes, and only they are killed for it") {
  ControlGroups const groups;
  auto small = groups.make(1), large = groups.make(2);
  REQUIRE(small);
  REQUIRE(large);
  CHECK((groups.missing().find("host memory") == std::string::npos) == groups.has(Controller::memory));
  if (!groups.has(Controller::memory)) {
    WARN(groups.missing());
    CHECK(touch(*small, mib) == 0);
    return;
  }
  CHECK(small->bound({.memory_bytes = 16 * mib, .tasks = 1, .credits = 256}));
  CHECK(large->bound({.memory_bytes = 256 * mib, .tasks = 1, .credits = 256}));
  CHECK(touch(*small, 4 * mib) == 0);
  CHECK(small->oom_kills() == 0);
  int const status = touch(*small, 64 * mib);
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
  CHECK(small->oom_kills() == 1);
  CHECK(touch(*large, 64 * mib) == 0);
  CHECK(large->oom_kills() == 0);
  CHECK(small->bound({.memory_bytes = 256 * mib, .tasks = 1, .credits = 256}));
  CHECK(touch(*small, 64 * mib) == 0);
}

TEST_CASE("a group limits the threads of all its processes") {
  ControlGroups const groups;
  auto group = groups.make(3);
  REQUIRE(group);
  CHECK((groups.missing().find("threads") == std::string::npos) == groups.has(Controller::pids));
  CHECK(group->bound({.memory_bytes = 256 * mib, .tasks = 1, .credits = 256}));
  if (!groups.has(Controller::pids)) {
    WARN(groups.missing());
    return;
  }
  constexpr int of_a_task = HostBounds::threads_of_a_task;
  CHECK(max_processes(*group) == of_a_task);
  CHECK(group->bound({.memory_bytes = 256 * mib, .tasks = 2, .credits = 256}));
  CHECK(max_processes(*group) == 2 * of_a_task);
}

TEST_CASE("version 2: each available controller is enabled and given its limits") {
  Version2 const machine("/service", "cpuset cpu io memory hugetlb pids");
  {
    ControlGroups const groups(machine.process());
    CHECK(groups.missing().empty());
    CHECK(machine.above("pegasusd-self/cgroup.procs") == std::to_string(getpid()));
    CHECK(machine.own("cgroup.subtree_control") == "+cpu"); // the last of three, written one by one
    auto group = groups.make(7);
    REQUIRE(group);
    CHECK(group->bound({.memory_bytes = 64 * mib, .tasks = 3, .credits = 512}));
    CHECK(machine.own("domain-7/memory.max") == "67108864");
    CHECK(machine.own("domain-7/memory.swap.max") == "0");
    CHECK(machine.own("domain-7/pids.max") == "192");
    CHECK(machine.own("domain-7/cpu.weight") == "200");
    CHECK(group->take(4711));
    CHECK(machine.own("domain-7/cgroup.procs") == "4711");
    for (auto const& [credits, weight] : {std::pair{1u, "1"}, {256u, "100"}, {65535u, "10000"}}) {
      CHECK(group->bound({.memory_bytes = 64 * mib, .tasks = 3, .credits = credits}));
      CHECK(machine.own("domain-7/cpu.weight") == weight);
    }
  }
}

TEST_CASE("version 2: missing controllers are reported, and the others work") {
  Version2 const machine("/service", "memory");
  ControlGroups const groups(machine.process());
  CHECK(groups.has(Controller::memory));
  CHECK(groups.missing().find("host memory") == std::string::npos);
  CHECK(groups.missing().find("threads of a domain's workers are not bounded") != std::string::npos);
  CHECK(groups.missing().find("CPU time of workers is not divided") != std::string::npos);
  auto group = groups.make(7);
  REQUIRE(group);
  CHECK(group->bound({.memory_bytes = 64 * mib, .tasks = 3, .credits = 512}));
  CHECK(machine.own("domain-7/memory.max") == "67108864");
  CHECK(machine.own("domain-7/pids.max").empty());
  CHECK(machine.own("domain-7/cpu.weight").empty());
}

TEST_CASE("version 2: without controllers pegasusd stays in its group") {
  Version2 const machine("/service", "hugetlb");
  ControlGroups const groups(machine.process());
  for (Controller const one : {Controller::memory, Controller::pids, Controller::cpu})
    CHECK_FALSE(groups.has(one));
  CHECK(machine.above("pegasusd-self/cgroup.procs").empty());
  CHECK_FALSE(groups.make(7)->exists());
}

TEST_CASE("a group without limits accepts every process") {
  ControlGroup none;
  CHECK_FALSE(none.exists());
  CHECK(none.bound({.memory_bytes = 1, .tasks = 1, .credits = 1}));
  CHECK(none.take(getpid()));
  CHECK(none.used_bytes() == 0);
  CHECK(none.oom_kills() == 0);
}
