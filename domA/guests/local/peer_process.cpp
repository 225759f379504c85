// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/local/peer_process.h"

#include "base/unique_fd.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <memory>
#include <poll.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77 // Linux 6.5; glibc's headers of Debian 12 do not have it
#endif

namespace pegasus::local {
namespace {

constexpr std::size_t max_cgroup_bytes = std::size_t{64} << 10;
std::string const ended_already = "the process that connected has ended";

base::UniqueFd hold_process(int socket, pid_t pid) {
  int pidfd = -1;
  socklen_t bytes = sizeof pidfd;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &bytes) == 0) return base::UniqueFd(pidfd);
  if (errno != ENOPROTOOPT) return {}; // the kernel is more reliable than a number
  return base::UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

// The descriptor of a process becomes readable when it ends, before its number is free.
bool lives(int pidfd) {
  pollfd end{pidfd, POLLIN, 0};
  return poll(&end, 1, 0) == 0;
}

tl::expected<std::string, std::string> read_small_file(std::string const& path) {
  base::UniqueFd const file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> part{};
  ssize_t length = file.get() < 0 ? -1 : 1;
  while (length > 0 && text.size() <= max_cgroup_bytes) {
    length = read(file.get(), part.data(), part.size());
    if (length > 0) text.append(part.data(), static_cast<std::size_t>(length));
  }
  if (length < 0) return tl::unexpected(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  if (text.size() > max_cgroup_bytes)
    return tl::unexpected(fmt::format("{} is longer than {} bytes", path, max_cgroup_bytes));
  return text;
}

} // namespace

tl::expected<guests::Peer, std::string> peer_of(int socket) {
  ucred credentials{};
  socklen_t bytes = sizeof credentials;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &bytes) != 0)
    return tl::unexpected(
        fmt::format("cannot read the credentials of the connection: {}", std::strerror(errno)));
  return guests::Peer{.pid = credentials.pid, .user = credentials.uid};
}

tl::expected<std::string, std::string> cgroups_of(int socket, guests::Peer const& peer) {
  if (peer.pid <= 0)
    return tl::unexpected(std::string("the process that connected is not in pegasusd's pid namespace"));
  base::UniqueFd const process = hold_process(socket, peer.pid);
  if (process.get() < 0) return tl::unexpected(ended_already);
  auto text = read_small_file(fmt::format("/proc/{}/cgroup", peer.pid));
  if (!lives(process.get())) return tl::unexpected(ended_already);
  return text;
}

std::optional<std::string> login_name(uid_t user, std::string const& file) {
  std::unique_ptr<FILE, int (*)(FILE*)> const list(fopen(file.c_str(), "re"), &fclose);
  if (!list) return std::nullopt;
  std::array<char, 4096> strings{};
  passwd entry{};
  passwd* found = nullptr;
  while (fgetpwent_r(list.get(), &entry, strings.data(), strings.size(), &found) == 0)
    if (found->pw_uid == user) return std::string(found->pw_name);
  return std::nullopt;
}

} // namespace pegasus::local
