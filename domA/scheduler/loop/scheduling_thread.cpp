// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/loop/scheduling_thread.h"

#include <csignal>
#include <exception>
#include <pthread.h>
#include <spdlog/spdlog.h>

namespace pegasus::scheduler {

// The other thread handles signals.
SchedulingThread::SchedulingThread() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread_.native_handle(), "scheduling");
}

void SchedulingThread::stop() {
  io_.stop();
  if (thread_.joinable()) thread_.join();
}

// A failure caused by one task must not end the others.
void SchedulingThread::run() {
  for (;;) {
    try {
      io_.run();
      return;
    } catch (std::exception const& error) {
      spdlog::error("scheduling goes on after: {}", error.what());
    }
  }
}

} // namespace pegasus::scheduler
