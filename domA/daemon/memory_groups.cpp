// SPDX-License-Identifier: Apache-2.0
// Names of files and their meaning: Linux, Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst.
#include "domA/daemon/memory_groups.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace pegasus::daemon {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view own_prefix = "pegasusd-";

// The kernel takes a value in one write(), and refuses there.
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

// The path of our group in a hierarchy, as /proc/self/cgroup names it: version 2's has no controllers.
std::optional<std::string> our_group(std::string_view controller) {
  std::istringstream lines(read_text("/proc/self/cgroup"));
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
std::optional<std::string> mounted(std::string_view type, std::string_view controller) {
  std::istringstream lines(read_text("/proc/self/mountinfo"));
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

// Of pegasusd's that were killed; what still has processes stays.
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

} // namespace

MemoryGroup& MemoryGroup::operator=(MemoryGroup&& other) noexcept {
  remove();
  directory_ = std::exchange(other.directory_, {});
  version2_ = other.version2_;
  limit_ = other.limit_;
  return *this;
}

void MemoryGroup::remove() {
  if (bounds()) rmdir(directory_.c_str());
}

bool MemoryGroup::limit(std::uint64_t bytes) {
  if (!bounds() || bytes == limit_) return true;
  char const* const file = version2_ ? "/memory.max" : "/memory.limit_in_bytes";
  if (!write_value(directory_ + file, std::to_string(bytes))) return false;
  limit_ = bytes;
  return true;
}

bool MemoryGroup::take(pid_t process) const {
  return !bounds() || write_value(directory_ + "/cgroup.procs", std::to_string(process));
}

std::uint64_t MemoryGroup::used_bytes() const {
  if (!bounds()) return 0;
  return number_after(read_text(directory_ + (version2_ ? "/memory.current" : "/memory.usage_in_bytes")), "");
}

std::uint64_t MemoryGroup::ended() const {
  if (!bounds()) return 0;
  return number_after(read_text(directory_ + (version2_ ? "/memory.events" : "/memory.oom_control")),
                      "oom_kill ");
}

MemoryGroups::MemoryGroups() {
  if (!use_version2() && !use_version1())
    missing_ =
        "the host memory of a domain's workers is not bounded together: pegasusd's control group is not "
        "its own to divide";
}

MemoryGroups::~MemoryGroups() {
  if (!own_.empty()) rmdir(own_.c_str());
}

bool MemoryGroups::make_own(std::string const& above) {
  clear_dead(above);
  own_ = fmt::format("{}/{}{}", above, own_prefix, getpid());
  if (mkdir(own_.c_str(), 0755) == 0 || errno == EEXIST) return true;
  own_.clear();
  return false;
}

// A group that divides its memory has no processes but in the root: pegasusd itself moves into one below.
bool MemoryGroups::use_version2() {
  auto const point = mounted("cgroup2", "");
  auto const ours = our_group("");
  if (!point || !ours) return false;
  std::string const above = *ours == "/" ? *point : *point + *ours;
  if (!has_word(read_text(above + "/cgroup.controllers"), "memory") || !make_own(above)) return false;
  version2_ = true;
  std::string const self = above + "/" + std::string(own_prefix) + "self";
  bool const in_root = *ours == "/";
  bool const moved = in_root || ((mkdir(self.c_str(), 0755) == 0 || errno == EEXIST) &&
                                 write_value(self + "/cgroup.procs", std::to_string(getpid())));
  if (moved && write_value(above + "/cgroup.subtree_control", "+memory") &&
      write_value(own_ + "/cgroup.subtree_control", "+memory"))
    return true;
  if (!in_root && moved) write_value(above + "/cgroup.procs", std::to_string(getpid()));
  rmdir(self.c_str());
  rmdir(own_.c_str());
  own_.clear();
  return false;
}

bool MemoryGroups::use_version1() {
  auto const point = mounted("cgroup", "memory");
  auto const ours = our_group("memory");
  if (!point || !ours) return false;
  version2_ = false;
  return make_own(*ours == "/" ? *point : *point + *ours);
}

tl::expected<MemoryGroup, std::string> MemoryGroups::make(std::uint32_t domain) const {
  if (own_.empty()) return MemoryGroup();
  std::string const directory = fmt::format("{}/domain-{}", own_, domain);
  if (mkdir(directory.c_str(), 0755) != 0 && errno != EEXIST)
    return tl::unexpected(fmt::format("cannot make {}: {}", directory, std::strerror(errno)));
  // Where swap is counted apart, it is none of the bound.
  write_value(directory + "/memory.swap.max", "0");
  return MemoryGroup(directory, version2_);
}

} // namespace pegasus::daemon
