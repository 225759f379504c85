// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/alarm.h"

#include "domA/worker/start.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <string_view>
#include <sys/time.h>
#include <unistd.h>

namespace pegasus::worker {
namespace {

itimerval limit_of_a_call{};
char message[160];
std::size_t message_bytes = 0;

[[noreturn]] void end_process(int) {
  (void)!write(STDERR_FILENO, message, message_bytes);
  _exit(Exit::too_long);
}

} // namespace

void prepare_alarm(std::chrono::milliseconds limit) {
  if (limit.count() <= 0) return;
  limit_of_a_call.it_value = {.tv_sec = limit.count() / 1000, .tv_usec = limit.count() % 1000 * 1000};
  int const length =
      std::snprintf(message, sizeof message,
                    "pegasus-avcpu: a CUDA module takes more than %lld ms to load (pegasusd --module-load); "
                    "the task is ended\n",
                    static_cast<long long>(limit.count()));
  message_bytes = static_cast<std::size_t>(std::clamp(length, 0, static_cast<int>(sizeof message) - 1));
  struct sigaction action {};
  action.sa_handler = end_process;
  sigaction(SIGALRM, &action, nullptr);
}

Alarm::Alarm() {
  if (message_bytes > 0) setitimer(ITIMER_REAL, &limit_of_a_call, nullptr);
}

Alarm::~Alarm() {
  itimerval const off{};
  if (message_bytes > 0) setitimer(ITIMER_REAL, &off, nullptr);
}

} // namespace pegasus::worker
