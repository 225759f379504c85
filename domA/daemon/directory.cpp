// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/directory.h"

#include <cerrno>
#include <cstring>
#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace pegasus::daemon {
namespace {

using link::UniqueFd;

constexpr int backlog = 128;

// Only a refused connection says that nobody listens any more: a full backlog, no permission or no
// descriptor left for the probe say nothing.
bool dead(sockaddr_un const& address, int type) {
  UniqueFd const probe(socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return connect(probe.get(), reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0 &&
         errno == ECONNREFUSED;
}

} // namespace

tl::expected<void, std::string> make_directory(std::string const& path) {
  if (mkdir(path.c_str(), 0755) == 0 || errno == EEXIST) return {};
  return tl::unexpected(fmt::format("cannot make the directory {}: {} (choose another with --directory)",
                                    path, std::strerror(errno)));
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
  auto try_bind = [&] {
    return bind(listener.get(), reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0;
  };
  bool bound = try_bind();
  if (!bound && errno == EADDRINUSE) {
    if (!dead(address, type)) return tl::unexpected(fmt::format("another pegasusd already serves {}", path));
    unlink(path.c_str());
    bound = try_bind();
  }
  // Nobody can connect before listen(2), so nobody slips in under the umask's mode.
  if (bound && mode && chmod(path.c_str(), *mode) != 0) bound = false;
  if (!bound || listen(listener.get(), backlog) != 0)
    return tl::unexpected(fmt::format("cannot listen at {}: {}", path, std::strerror(errno)));
  return listener;
}

} // namespace pegasus::daemon
