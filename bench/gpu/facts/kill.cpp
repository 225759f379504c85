// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/facts/neighbour.h"
#include "bench/gpu/facts/parts.h"
#include "bench/gpu/facts/report.h"
#include "bench/gpu/facts/session.h"

#include <chrono>
#include <memory>
#include <thread>

namespace pegasus::facts {

void kill() {
  constexpr double limit_s = 15;
  Neighbour endless([] {
    auto const session = std::make_shared<Session>();
    auto const never = std::make_shared<Mapped>(*session);
    return [session, never](std::string const&) {
      check(session->launch_endless(*never, limit_s), "a kernel");
      return std::string("launched");
    };
  });
  Session session;
  if (!endless.ask("run", 20'000)) throw std::runtime_error("the other process did not launch its kernel");
  std::this_thread::sleep_for(std::chrono::milliseconds(200)); // it runs
  double begin = now_us();
  check(session.launch_spin(100, session.stream()), "a kernel");
  session.synchronize();
  fact("a kernel of 100 us beside a process whose kernel does not end", now_us() - begin, "us");
  begin = now_us();
  endless.kill();
  fact("kill of that process: until it has ended", now_us() - begin, "us");
  check(session.launch_spin(100, session.stream()), "a kernel");
  session.synchronize();
  fact("kill of that process: until our next kernel of 100 us is done", now_us() - begin, "us");
}

} // namespace pegasus::facts
