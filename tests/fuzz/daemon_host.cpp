// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/daemon_host.h"

#include "tests/fuzz/require.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <spdlog/spdlog.h>

namespace pegasus::fuzz {
namespace {

constexpr std::chrono::seconds most_for_an_end{5};

std::string const& scratch() {
  static std::string const path = [] {
    std::string name = (std::filesystem::temp_directory_path() / "pegasus-fuzz-XXXXXX").string();
    require(mkdtemp(name.data()) != nullptr);
    return name;
  }();
  return path;
}

// It does nothing until it is killed, or for longer than an input takes.
std::string worker_program() {
  std::string const path = scratch() + "/worker";
  std::ofstream(path) << "#!/bin/sh\n[ $# = 0 ] || exit 0; exec /bin/sleep 20\n";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

std::vector<daemon::FoundAccelerator> found_accelerators() {
  daemon::FoundAccelerator one;
  one.profile.name = "an accelerator";
  one.memory_bytes = one.profile.memory_bytes = DaemonHost::memory_bytes;
  one.device.kind = device::kind_named("software").value();
  return std::vector(DaemonHost::accelerators, one);
}

} // namespace

DaemonHost& DaemonHost::get() {
  static auto* const host = new DaemonHost; // its threads run to the end of the program
  return *host;
}

DaemonHost::DaemonHost() : directory_(scratch()) {
  spdlog::set_level(spdlog::level::off);
  std::atexit([] { std::filesystem::remove_all(scratch()); });
  daemon::Options options;
  options.admission = daemon::Admission::wait;
  options.directory = directory_;
  options.host_memory = std::uint64_t{1} << 30;
  options.worker_program = worker_program();
  options.serve_xen = false;
  auto made = daemon::Daemon::create(io_, options, found_accelerators());
  require(made.has_value());
  daemon_ = std::move(*made);
  for (int const signal : {SIGTERM, SIGINT}) // they end the fuzzer, not the daemon in it
    std::signal(signal, SIG_DFL);
  run();
}

control::Reply DaemonHost::ask(control::Request const& request) {
  auto const reply = std::make_shared<control::Reply>();
  daemon_->control().answer(request, [reply](control::Reply const& answer) { *reply = answer; });
  // Its tasks answer, or their end does.
  bool const later = request.has_describe() || request.has_freeze() || request.has_thaw();
  require(later || !reply->error().empty() || reply->what_case() != control::Reply::WHAT_NOT_SET);
  return *reply;
}

control::Domains DaemonHost::domains() {
  control::Request request;
  request.mutable_domains();
  return ask(request).domains();
}

void DaemonHost::run() {
  io_.restart();
  while (io_.poll() > 0) {
  }
}

// Of the workers that were killed, all end.
void DaemonHost::end_tasks() {
  auto const until = std::chrono::steady_clock::now() + most_for_an_end;
  while (daemon_->sessions().size() > 0) {
    require(std::chrono::steady_clock::now() < until);
    io_.restart();
    io_.run_one_for(std::chrono::milliseconds(100));
  }
}

void DaemonHost::reset() {
  control::Domains const all = domains();
  for (control::Domain const& domain : all.domain()) {
    control::Request request;
    request.mutable_remove()->set_name(domain.name());
    request.mutable_remove()->set_kill(true);
    ask(request);
  }
  end_tasks();
  control::Request policy;
  policy.mutable_policy()->set_name("eevdf");
  require(ask(policy).error().empty());
  run();
}

} // namespace pegasus::fuzz
