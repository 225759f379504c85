// SPDX-License-Identifier: Apache-2.0
// The thread that schedules: loops, dispatchers and the CPU watch are used on it alone. What may take long,
// xenstore, grants, the start of a process, an operator's request, is another thread's, which has done here
// what it needs of them.
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
  // Does `work` there, between two scheduling points, and waits for it: its result, or its exception. For
  // other threads only. After stop() it is done by the caller.
  template <class Work> std::invoke_result_t<Work&> operator()(Work work) {
    if (!thread_.joinable()) return work();
    std::packaged_task<std::invoke_result_t<Work&>()> task(std::move(work));
    auto done = task.get_future();
    boost::asio::post(io_, [&task] { task(); });
    return done.get();
  }
  void stop(); // nothing is scheduled any more, and whoever has this may destroy what is used here

private:
  void run();

  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> until_stopped_{io_.get_executor()};
  std::thread thread_;
};

} // namespace pegasus::scheduler
