// SPDX-License-Identifier: Apache-2.0
// Names of files and their meaning: Linux, Documentation/admin-guide/cgroup-v2.rst,
// cgroup-v1/memory.rst and cgroup-v1/pids.rst.
#include "domA/daemon/control_groups.h"

#include "policies/view.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace pegasus::daemon {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view own_prefix = "pegasusd-";

struct ControllerKind {
  std::string_view name;
  std::string_view lack; // message for operators when it is not available
};
constexpr std::array<ControllerKind, controllers> controller_kinds{
    {{"memory",
      "the host memory of a domain's workers is not bounded together: pegasusd's control group is not "
      "its own to divide"},
     {"pids", "the threads of a domain's workers are not bounded: pegasusd may not make pids control groups"},
     {"cpu", "the CPU time of workers is not divided by credits: pegasusd may not make cpu control groups of "
             "version 2"}}};
constexpr std::array all_controllers{Controller::memory, Controller::pids, Controller::cpu};

template <class Places> auto& entry_of(Places& places, Controller controller) {
  return places[static_cast<std::size_t>(controller)];
}
ControllerKind const& kind_of(Controller controller) { return entry_of(controller_kinds, controller); }

// The kernel takes a value in one write(), which fails if the kernel refuses it.
bool write_value(std::string const& file, std::string const& value) {
  std::ofstream out(file);
  out << value << std::flush;
  return out.good();
}

std::string read_text(std::string const& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool has_word(std::string const& text, std::string_view wanted, char between = ' ') {
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, between);)
    if (word.substr(0, word.find('\n')) == wanted) return true;
  return false;
}

// The path of our group in a hierarchy, as in /proc/self/cgroup. The line of version 2 has no controllers.
std::optional<std::string> our_group(std::string const& process, std::string_view controller) {
  std::istringstream lines(read_text(process + "/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    auto const first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::string const controllers = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? controllers.empty() : has_word(controllers, controller, ','))
      return line.substr(second + 1);
  }
  return std::nullopt;
}

// Where a hierarchy is mounted with its root: proc(5), mountinfo.
std::optional<std::string> mounted(std::string const& process, std::string_view type,
                                   std::string_view controller) {
  std::istringstream lines(read_text(process + "/mountinfo"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string skip, root, point, word, its_type, source, options;
    words >> skip >> skip >> skip >> root >> point;
    while (words >> word && word != "-") {
    }
    words >> its_type >> source >> options;
    if (its_type == type && root == "/" && (controller.empty() || has_word(options, controller, ',')))
      return point;
  }
  return std::nullopt;
}

std::uint64_t number_after(std::string const& text, std::string_view key) {
  auto const at = text.find(key);
  std::uint64_t value = 0;
  if (at != std::string::npos)
    std::from_chars(text.data() + at + key.size(), text.data() + text.size(), value);
  return value;
}

// Removes the groups of killed pegasusd processes; groups that still have processes stay.
void clear_dead(std::string const& above) {
  std::error_code ignored;
  for (auto const& entry : fs::directory_iterator(above, ignored)) {
    std::string const name = entry.path().filename();
    if (!name.starts_with(own_prefix)) continue;
    auto const pid = static_cast<pid_t>(number_after(name, own_prefix));
    if (pid <= 0 || kill(pid, 0) == 0 || errno != ESRCH) continue;
    for (auto const& domain : fs::directory_iterator(entry.path(), ignored))
      if (domain.is_directory(ignored)) rmdir(domain.path().c_str());
    rmdir(entry.path().c_str());
  }
}

bool make_directory(std::string const& path) { return mkdir(path.c_str(), 0755) == 0 || errno == EEXIST; }

// A directory of this pegasusd below a group; empty if it cannot be made.
std::string make_own(std::string const& above) {
  clear_dead(above);
  std::string own = fmt::format("{}/{}{}", above, own_prefix, getpid());
  return make_directory(own) ? own : "";
}

std::vector<std::string> distinct_directories(GroupPlaces const& places) {
  std::vector<std::string> result;
  for (GroupPlace const& place : places)
    if (!place.directory.empty() && std::ranges::find(result, place.directory) == result.end())
      result.push_back(place.directory);
  return result;
}

// The name of the controller's file, and the value for it.
std::pair<char const*, std::uint64_t> file_and_value(Controller controller, bool version2,
                                                     HostBounds const& bounds) {
  constexpr std::uint64_t usual_weight = 100, max_weight = 10'000; // Linux's values
  switch (controller) {
  case Controller::memory:
    return {version2 ? "/memory.max" : "/memory.limit_in_bytes", bounds.memory_bytes};
  case Controller::pids:
    return {"/pids.max", std::uint64_t{bounds.tasks} * HostBounds::threads_of_a_task};
  case Controller::cpu:
    break;
  }
  return {"/cpu.weight", std::clamp(bounds.credits * usual_weight / policies::default_credits,
                                    std::uint64_t{1}, max_weight)};
}

} // namespace

ControlGroup& ControlGroup::operator=(ControlGroup&& other) noexcept {
  remove();
  places_ = std::exchange(other.places_, {});
  written_ = other.written_;
  return *this;
}

void ControlGroup::remove() {
  for (std::string const& directory : directories())
    rmdir(directory.c_str());
}

std::vector<std::string> ControlGroup::directories() const { return distinct_directories(places_); }

GroupPlace const& ControlGroup::memory() const { return entry_of(places_, Controller::memory); }

bool ControlGroup::bound(HostBounds const& bounds) {
  for (Controller const controller : all_controllers) {
    GroupPlace const& place = entry_of(places_, controller);
    if (place.directory.empty()) continue;
    auto const [file, value] = file_and_value(controller, place.version2, bounds);
    if (entry_of(written_, controller) == value) continue;
    if (!write_value(place.directory + file, std::to_string(value))) return false;
    entry_of(written_, controller) = value;
  }
  return true;
}

bool ControlGroup::take(pid_t process) const {
  return std::ranges::all_of(directories(), [process](std::string const& directory) {
    return write_value(directory + "/cgroup.procs", std::to_string(process));
  });
}

std::uint64_t ControlGroup::used_bytes() const {
  auto const& [directory, version2] = memory();
  if (directory.empty()) return 0;
  return number_after(read_text(directory + (version2 ? "/memory.current" : "/memory.usage_in_bytes")), "");
}

std::uint64_t ControlGroup::oom_kills() const {
  auto const& [directory, version2] = memory();
  if (directory.empty()) return 0;
  return number_after(read_text(directory + (version2 ? "/memory.events" : "/memory.oom_control")),
                      "oom_kill ");
}

ControlGroups::ControlGroups(std::string process) : process_(std::move(process)) {
  use_version2();
  for (Controller const controller : {Controller::memory, Controller::pids})
    if (!has(controller)) use_version1(controller);
}

ControlGroups::~ControlGroups() {
  for (std::string const& directory : distinct_directories(own_))
    rmdir(directory.c_str());
}

bool ControlGroups::has(Controller controller) const { return !entry_of(own_, controller).directory.empty(); }

std::string ControlGroups::missing() const {
  std::string text;
  for (Controller const controller : all_controllers)
    if (!has(controller)) text += fmt::format("{}{}", text.empty() ? "" : "; ", kind_of(controller).lack);
  return text;
}

// A group with enabled controllers must not hold processes, except the root: pegasusd moves
// itself into a group below.
void ControlGroups::use_version2() {
  auto const point = mounted(process_, "cgroup2", "");
  auto const ours = our_group(process_, "");
  if (!point || !ours) return;
  bool const in_root = *ours == "/";
  std::string const above = in_root ? *point : *point + *ours;
  std::string const offered = read_text(above + "/cgroup.controllers");
  if (std::ranges::none_of(controller_kinds,
                           [&](ControllerKind const& one) { return has_word(offered, one.name); }))
    return;
  std::string const own = make_own(above);
  if (own.empty()) return;
  std::string const self = above + "/" + std::string(own_prefix) + "self";
  bool const moved =
      in_root || (make_directory(self) && write_value(self + "/cgroup.procs", std::to_string(getpid())));
  for (Controller const controller : all_controllers) {
    std::string const enable = fmt::format("+{}", kind_of(controller).name);
    if (moved && has_word(offered, kind_of(controller).name) &&
        write_value(above + "/cgroup.subtree_control", enable) &&
        write_value(own + "/cgroup.subtree_control", enable))
      entry_of(own_, controller) = {own, true};
  }
  if (!distinct_directories(own_).empty()) return;
  if (!in_root && moved) write_value(above + "/cgroup.procs", std::to_string(getpid()));
  rmdir(self.c_str());
  rmdir(own.c_str());
}

void ControlGroups::use_version1(Controller controller) {
  auto const point = mounted(process_, "cgroup", kind_of(controller).name);
  auto const ours = our_group(process_, kind_of(controller).name);
  if (point && ours) entry_of(own_, controller) = {make_own(*ours == "/" ? *point : *point + *ours), false};
}

tl::expected<ControlGroup, std::string> ControlGroups::make(std::uint32_t domain) const {
  GroupPlaces places = own_;
  for (GroupPlace& place : places)
    if (!place.directory.empty()) place.directory += fmt::format("/domain-{}", domain);
  for (std::string const& directory : distinct_directories(places))
    if (!make_directory(directory))
      return tl::unexpected(fmt::format("cannot make {}: {}", directory, std::strerror(errno)));
  // Where swap is counted separately, the workers get none.
  if (has(Controller::memory))
    write_value(entry_of(places, Controller::memory).directory + "/memory.swap.max", "0");
  return ControlGroup(std::move(places));
}

} // namespace pegasus::daemon
