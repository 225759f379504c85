// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/directory.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace pegasus::daemon {
namespace {

using link::UniqueFd;

constexpr int backlog = 128;
constexpr char lock_name[] = "/pegasusd.lock";

} // namespace

tl::expected<UniqueFd, std::string> claim_directory(std::string const& path) {
  if (mkdir(path.c_str(), 0755) != 0 && errno != EEXIST)
    return tl::unexpected(fmt::format("cannot make the directory {}: {} (choose another with --directory)",
                                      path, std::strerror(errno)));
  UniqueFd lock(open((path + lock_name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (lock.get() < 0)
    return tl::unexpected(
        fmt::format("cannot write in the directory {}: {} (choose another with --directory)", path,
                    std::strerror(errno)));
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    return tl::unexpected(fmt::format("another pegasusd already serves {}", path));
  return lock;
}

tl::expected<UniqueFd, std::string> listen_at(std::string const& path, int type, std::optional<mode_t> mode) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return tl::unexpected(
        fmt::format("the socket path {} is longer than {} bytes: choose a shorter --directory", path,
                    sizeof address.sun_path - 1));
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  UniqueFd listener(socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  unlink(path.c_str());
  bool bound = bind(listener.get(), reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0;
  // Nobody can connect before listen(2), so nobody slips in under the umask's mode.
  if (bound && mode && chmod(path.c_str(), *mode) != 0) bound = false;
  if (!bound || listen(listener.get(), backlog) != 0)
    return tl::unexpected(fmt::format("cannot listen at {}: {}", path, std::strerror(errno)));
  return listener;
}

void clean_directory(std::string const& path, bool whole) {
  unlink((path + guest_socket).c_str());
  unlink((path + control_socket).c_str());
  if (!whole) return; // the lock's file stays: without it two daemons could each hold one of that name
  unlink((path + lock_name).c_str());
  rmdir(path.c_str());
}

} // namespace pegasus::daemon
