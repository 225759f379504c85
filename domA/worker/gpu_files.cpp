// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/gpu_files.h"

#include "domA/worker/gpu_nodes.h"

#include <fcntl.h>
#include <filesystem>
#include <linux/landlock.h>
#include <string_view>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pegasus::worker {
namespace {

constexpr std::uint64_t reading_file = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE;
constexpr std::uint64_t writing_file = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE;
// All that the first version of Landlock handles: what is not allowed below is refused.
constexpr std::uint64_t handled = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;

void allow(int ruleset, std::string const& path, std::uint64_t access) {
  int const fd = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) return; // not on this machine
  struct stat what {};
  if (fstat(fd, &what) == 0 && S_ISDIR(what.st_mode)) access |= LANDLOCK_ACCESS_FS_READ_DIR;
  landlock_path_beneath_attr const rule{.allowed_access = access, .parent_fd = fd};
  (void)syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  close(fd);
}

// A driver names its threads through files there, and fails if it cannot; Linux lets only threads of the same
// process write them. Landlock knows the directory by its inode, and /proc makes another one once nothing holds
// the first: the descriptor stays open for the life of the process.
void allow_thread_names(int ruleset) {
  int const fd = open("/proc/self/task", O_PATH | O_CLOEXEC);
  if (fd < 0) return; // no /proc
  landlock_path_beneath_attr const rule{.allowed_access = LANDLOCK_ACCESS_FS_WRITE_FILE, .parent_fd = fd};
  (void)syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

} // namespace

// In /etc/alternatives are the links that lead to the driver where its package is Debian's.
Files gpu_files(DeviceChoice const& device) {
  Files files{.devices = gpu_nodes(device.pci),
              .readable = {"/proc", "/sys", "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local",
                           "/usr/share/nvidia", "/etc/nvidia", "/etc/ld.so.cache", "/etc/alternatives"}};
  files.devices.insert(files.devices.end(), {"/dev/null", "/dev/zero"});
  std::filesystem::path const driver(device.driver);
  if (driver.is_absolute()) files.readable.push_back(driver.parent_path().string());
  for (std::string_view rest = device.driver_files; !rest.empty();) {
    std::size_t const end = std::min(rest.find(':'), rest.size());
    if (end > 0) files.readable.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return files;
}

bool only_files(Files const& files) {
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = handled;
  int const ruleset = static_cast<int>(
      syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes.handled_access_fs, 0));
  if (ruleset < 0) return false;
  for (std::string const& path : files.devices)
    allow(ruleset, path, writing_file);
  for (std::string const& path : files.readable)
    allow(ruleset, path, reading_file);
  allow_thread_names(ruleset);
  bool const restricted = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
  close(ruleset);
  return restricted;
}

} // namespace pegasus::worker
