// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/root_directory.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pegasus::worker {
namespace {

// The new root is mounted over a directory that exists on every machine; no other process sees
// this namespace.
constexpr char const* place = "/etc";

void make_parents(std::string const& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
    if (mkdir(path.substr(0, slash).c_str(), 0755) != 0 && errno != EEXIST) refuse("a directory", errno);
}

// Mounts a /proc of the worker's PID namespace in place of the host's. Linux refuses that where parts of
// /proc are covered, as in many containers; then pegasusd has mounted one already, or the worker shares its
// PID namespace (domA/daemon/jailer.cpp).
bool own_processes(std::string const& target) {
  return mount("proc", target.c_str(), "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0;
}

// Makes the working directory the root. pivot_root(2) puts the old root below it, from where it is unmounted.
// A machine that runs from its initial file system cannot do that; there the new root covers the old one.
bool leave_old_root() {
  if (syscall(SYS_pivot_root, ".", ".") == 0) return umount2(".", MNT_DETACH) == 0;
  return errno == EINVAL && mount(".", "/", nullptr, MS_MOVE, nullptr) == 0 && chroot(".") == 0;
}

} // namespace

RootDirectory::RootDirectory(Files const& files) {
  for (auto const* const paths : {&files.devices, &files.readable})
    for (std::string const& path : *paths)
      keep(path);
}

RootDirectory::~RootDirectory() {
  for (Kept const& one : kept_)
    close(one.fd);
}

void RootDirectory::keep(std::string const& path) {
  int const fd = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) return; // not on this machine
  struct stat what {};
  if (fstat(fd, &what) != 0) refuse("fstat", errno);
  kept_.push_back({path, fd, S_ISDIR(what.st_mode)});
}

void RootDirectory::enter() const {
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) refuse("mounts of its own", errno);
  if (mount("pegasus", place, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=64k,mode=755") != 0)
    refuse("a root directory", errno);
  for (Kept const& one : kept_) {
    std::string const target = place + one.path;
    make_parents(target);
    int const made = one.directory ? mkdir(target.c_str(), 0755) : mknod(target.c_str(), S_IFREG | 0444, 0);
    if (made != 0 && errno != EEXIST) refuse(one.path.c_str(), errno);
    if (one.path == "/proc" && own_processes(target)) continue;
    std::string const source = "/proc/self/fd/" + std::to_string(one.fd);
    if (mount(source.c_str(), target.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0)
      refuse(one.path.c_str(), errno);
  }
  if (chdir(place) != 0 || !leave_old_root() || chdir("/") != 0) refuse("the root directory", errno);
  if (mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
            nullptr) != 0)
    refuse("a root directory that cannot be written", errno);
}

} // namespace pegasus::worker
