// SPDX-License-Identifier: Apache-2.0
// The thread that schedules: loops, dispatchers and the CPU watch are used only on it. Slow work (xenstore,
// grants, starting a process, an operator's request) is done by another thread, which runs here only what it
// needs of the scheduler.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <future>
#include <thread>
#include <type_traits>

namespace pegasus::scheduler {

class SchedulingThread {
public:
  SchedulingThread();
  ~SchedulingThread() { stop(); }
  SchedulingThread(SchedulingThread const&) = delete;
  SchedulingThread& operator=(SchedulingThread const&) = delete;

  [[nodiscard]] boost::asio::io_context& io() { return io_; }
  // Runs `work` on the scheduling thread, between two scheduling points, and waits for it. Returns its result
  // or throws its exception. For other threads only. After stop() the caller runs it.
  template <class Work> std::invoke_result_t<Work&> operator()(Work work) {
    if (!thread_.joinable()) return work();
    std::packaged_task<std::invoke_result_t<Work&>()> task(std::move(work));
    auto done = task.get_future();
    boost::asio::post(io_, [&task] { task(); });
    return done.get();
  }
  void stop(); // no scheduling after this; the owner may destroy the objects used on this thread

private:
  void run();

  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> until_stopped_{io_.get_executor()};
  std::thread thread_;
};

} // namespace pegasus::scheduler
