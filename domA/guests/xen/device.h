// SPDX-License-Identifier: Apache-2.0
// One vaccel device of a guest, as the backend of a split driver: follows its settings and its tasks until
// the toolstack closes it or the guest is gone.
#pragma once

#include "domA/guests/xen/guests.h"
#include "domA/guests/xen/nodes.h"
#include "domA/guests/xen/task.h"
#include "domA/guests/xen/task_starts.h"
#include "domA/guests/xen/vaccel_option.h"

#include <functional>
#include <map>

namespace pegasus::xen {

class Device {
public:
  // `guest` and `number` as in backend/vaccel/GUEST/NUMBER. `ended` is called when it becomes over() because its
  // last task has been closed, and may destroy it.
  Device(Backend& backend, GuestsHost& host, std::uint32_t guest, std::uint32_t number, std::string base,
         std::function<void()> ended);
  ~Device();
  Device(Device const&) = delete;
  Device& operator=(Device const&) = delete;

  void settings_changed(); // called for its state and the guest's name, too
  [[nodiscard]] bool write_settings(control::Settings const& settings);
  void tasks_changed(std::string const& key);
  void list_tasks(); // called once, for tasks that existed before us
  // As Guests::start_waiting().
  std::optional<TaskStarts::Time> start_waiting(TaskStarts::Time now);
  bool on_event(evtchn_port_t control); // false if the port belongs to none of its tasks
  void guest_gone();
  void release(); // the daemon no longer serves it
  // Of a device that the toolstack removed. A stock toolstack leaves nodes that it has not made itself.
  static void remove_nodes(Store& store, std::string const& back);

  [[nodiscard]] bool ending() const { return over_; } // its last tasks may still be leaving
  [[nodiscard]] bool over() const { return over_ && tasks_.empty(); }
  // Tokens of its two watches: on its tasks, and on the guest's name.
  [[nodiscard]] std::string const& tasks_token() const { return tasks_token_; }
  [[nodiscard]] std::string const& name_token() const { return name_token_; }

private:
  struct Slot {
    std::shared_ptr<Task> task;
    std::uint32_t number; // the daemon's number
    bool leaving = false;
  };
  struct Use { // of the limited resources
    std::size_t tasks = 0;
    std::size_t pages = 0; // mapped
  };
  [[nodiscard]] Use use();
  void read_settings();
  void close_tasks();
  [[nodiscard]] bool wants_to_start(std::string const& key);
  void open_task(std::string const& key);
  void task_closed(std::string const& key);
  void refuse(std::string const& key, std::string const& why);
  void defer(std::string const& key, std::string const& why);
  void keep_answer(std::string const& key); // and drops the oldest one
  [[nodiscard]] std::string front_of(std::string const& key) const { return front_ + "/tasks/" + key; }
  [[nodiscard]] std::string back_of(std::string const& key) const { return back_ + "/tasks/" + key; }

  Backend& backend_;
  GuestsHost& host_;
  std::function<void()> ended_;
  std::uint32_t guest_;
  std::string back_;  // its backend directory
  std::string front_; // its frontend directory
  std::string name_node_;
  std::string tasks_token_, name_token_;
  std::optional<control::Settings> settings_; // as last read
  bool served_ = true;                        // false if its limit is unknown: its tasks are refused
  std::vector<std::string> reported_;         // the last reports to the operator
  std::map<std::string, Slot> tasks_;         // by key
  // Tasks that are closed for the guest. They exist while their workers do, and Linux may be
  // unable to end those.
  std::vector<std::weak_ptr<Task>> closed_;
  TaskStarts starts_;
  RefusedTasks refused_;
  bool listed_ = false;
  bool over_ = false;
};

} // namespace pegasus::xen
