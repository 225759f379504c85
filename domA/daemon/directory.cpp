// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/directory.h"

#include "base/unique_fd.h"

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

constexpr int backlog = 128;
constexpr char lock_name[] = "pegasusd.lock";

// Sets the umask during its lifetime.
class Umask {
public:
  explicit Umask(mode_t mask) : before_(umask(mask)) {}
  ~Umask() { umask(before_); }
  Umask(Umask const&) = delete;
  Umask& operator=(Umask const&) = delete;

private:
  mode_t before_;
};

// Opens the directory itself: a link could be changed after the check.
tl::expected<base::UniqueFd, StartError> open_directory(std::string const& path) {
  auto const last = path.find_last_not_of('/'); // a slash at the end would follow a link
  std::string const name = path.substr(0, last == std::string::npos ? 1 : last + 1);
  base::UniqueFd directory(open(name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (directory.get() >= 0) return directory;
  if (errno == ENOTDIR || errno == ELOOP)
    return wrong_configuration(fmt::format(
        "{} is a symbolic link or not a directory: name the directory itself with --directory", path));
  return wrong_configuration(fmt::format("cannot use the directory {}: {} (choose another with --directory)",
                                         path, std::strerror(errno)));
}

tl::expected<struct stat, StartError> check_directory(std::string const& path, int directory) {
  struct stat status {};
  if (fstat(directory, &status) != 0)
    return wrong_configuration(
        fmt::format("cannot read the mode of the directory {}: {}", path, std::strerror(errno)));
  if (status.st_uid != geteuid() && status.st_uid != 0)
    return wrong_configuration(fmt::format("the directory {} belongs to user {}, who could put other sockets "
                                           "there: choose another with --directory",
                                           path, status.st_uid));
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return wrong_configuration(
        fmt::format("others may write to the directory {} (its mode is {:04o}): take that "
                    "from them (chmod go-w), or choose another with --directory",
                    path, status.st_mode & 07777));
  return status;
}

// Users who cannot pass the directory cannot reach the sockets.
bool let_pass(int directory, struct stat const& status, gid_t group) {
  bool const passes =
      (status.st_mode & S_IXOTH) != 0 || (status.st_gid == group && (status.st_mode & S_IXGRP) != 0);
  return passes || (fchown(directory, static_cast<uid_t>(-1), group) == 0 &&
                    fchmod(directory, (status.st_mode & 07777) | S_IXGRP) == 0);
}

} // namespace

tl::expected<base::UniqueFd, StartError> claim_directory(std::string const& path,
                                                         std::optional<gid_t> group) {
  if (mkdir(path.c_str(), 0755) != 0 && errno != EEXIST)
    return wrong_configuration(fmt::format(
        "cannot make the directory {}: {} (choose another with --directory)", path, std::strerror(errno)));
  auto const directory = open_directory(path);
  if (!directory) return tl::unexpected(directory.error());
  auto const status = check_directory(path, directory->get());
  if (!status) return tl::unexpected(status.error());
  if (group && !let_pass(directory->get(), *status, *group))
    return wrong_configuration(
        fmt::format("cannot give group {} access to the directory {}: {} (see --socket-group)", *group, path,
                    std::strerror(errno)));
  base::UniqueFd lock(openat(directory->get(), lock_name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (lock.get() < 0)
    return wrong_configuration(
        fmt::format("cannot write in the directory {}: {} (choose another with --directory)", path,
                    std::strerror(errno)));
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    return machine_refuses(fmt::format("another pegasusd already serves {}", path));
  return lock;
}

tl::expected<base::UniqueFd, StartError> listen_at(std::string const& path, int type,
                                                   SocketAccess const& access) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return wrong_configuration(
        fmt::format("the socket path {} is longer than {} bytes: choose a shorter --directory", path,
                    sizeof address.sun_path - 1));
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  base::UniqueFd listener(socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  unlink(path.c_str());
  bool bound = false;
  {
    std::optional<Umask> mask;
    if (access.mode) mask.emplace(~*access.mode & 0777u);
    bound = bind(listener.get(), reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0;
  }
  // No client can connect before listen(2), so the group that the file was made with gives no access.
  if (bound && access.group && lchown(path.c_str(), static_cast<uid_t>(-1), *access.group) != 0)
    return wrong_configuration(fmt::format("cannot give {} to group {}: {} (see --socket-group)", path,
                                           *access.group, std::strerror(errno)));
  if (!bound || listen(listener.get(), backlog) != 0)
    return machine_refuses(fmt::format("cannot listen at {}: {}", path, std::strerror(errno)));
  return listener;
}

void clean_directory(std::string const& path, bool remove_lock) {
  unlink((path + guest_socket).c_str());
  unlink((path + control_socket).c_str());
  unlink((path + status_socket).c_str());
  if (!remove_lock) return; // the lock file stays: without it two daemons could each lock a file of that name
  unlink((path + "/" + lock_name).c_str());
  rmdir(path.c_str());
}

} // namespace pegasus::daemon
