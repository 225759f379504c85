// SPDX-License-Identifier: Apache-2.0
#include "frontend/transport/xen/xenstore.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace pegasus::frontend {
namespace {

struct Header { // xsd_sockmsg
  std::uint32_t type;
  std::uint32_t request;
  std::uint32_t transaction;
  std::uint32_t bytes;
};

constexpr std::uint32_t xs_directory = 1;
constexpr std::uint32_t xs_read = 2;
constexpr std::uint32_t xs_watch = 4;
constexpr std::uint32_t xs_write = 11;
constexpr std::uint32_t xs_rm = 13;
constexpr std::uint32_t xs_watch_event = 15;
constexpr std::uint32_t xs_error = 16;
constexpr std::uint32_t max_payload = 4096;

// The kernel takes a request in pieces and returns answers in pieces.
bool write_all(int file, void const* from, std::size_t bytes) {
  auto const* next = static_cast<char const*>(from);
  while (bytes > 0) {
    ssize_t const written = ::write(file, next, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    next += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return true;
}

bool read_all(int file, void* to, std::size_t bytes) {
  auto* next = static_cast<char*>(to);
  while (bytes > 0) {
    ssize_t const got = ::read(file, next, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    next += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

// The errors that callers distinguish, by xenstore's names.
int error_of(std::string const& name) {
  static constexpr std::pair<char const*, int> errors[] = {
      {"ENOENT", ENOENT}, {"EACCES", EACCES}, {"ENOSPC", ENOSPC}, {"EQUOTA", EDQUOT}, {"E2BIG", E2BIG},
      {"EEXIST", EEXIST}, {"EINVAL", EINVAL}, {"ENOMEM", ENOMEM}, {"EROFS", EROFS}};
  for (auto const& [text, number] : errors)
    if (name == text) return number;
  return EIO;
}

} // namespace

void Xenstore::hang_up() {
  if (file_ >= 0) close(file_);
  file_ = -1;
}

bool Xenstore::open() {
  for (char const* path : {"/dev/xen/xenbus", "/proc/xen/xenbus"}) {
    file_ = ::open(path, O_RDWR | O_CLOEXEC);
    if (file_ >= 0 || errno == EACCES) break;
  }
  return file_ >= 0;
}

bool Xenstore::receive(std::uint32_t& type, std::string& payload) {
  Header header{};
  bool complete = read_all(file_, &header, sizeof header) && header.bytes <= max_payload;
  if (complete) {
    payload.resize(header.bytes);
    type = header.type;
    complete = read_all(file_, payload.data(), payload.size());
  }
  if (!complete) hang_up();
  return complete;
}

bool Xenstore::ask(std::uint32_t type, std::string const& payload, std::string& answer) {
  if (payload.size() > max_payload) {
    errno = E2BIG;
    return false;
  }
  Header const header{type, 0, 0, static_cast<std::uint32_t>(payload.size())};
  if (!write_all(file_, &header, sizeof header) || !write_all(file_, payload.data(), payload.size()))
    return false;
  std::uint32_t got = 0;
  do {
    if (!receive(got, answer)) {
      errno = EIO;
      return false;
    }
    if (got == xs_watch_event) fired_ = true;
  } while (got == xs_watch_event);
  if (got == type) return true;
  if (got != xs_error) hang_up();
  errno = got == xs_error ? error_of(answer.c_str()) : EIO;
  return false;
}

bool Xenstore::read(std::string const& path, std::string& value) { return ask(xs_read, path + '\0', value); }

bool Xenstore::list(std::string const& path, std::vector<std::string>& names) {
  std::string answer;
  if (!ask(xs_directory, path + '\0', answer)) return false;
  names.clear();
  for (std::size_t at = 0; at < answer.size(); at += names.back().size() + 1)
    names.emplace_back(answer.c_str() + at);
  return true;
}

bool Xenstore::write(std::string const& path, std::string const& value) {
  std::string ignored;
  return ask(xs_write, path + '\0' + value, ignored);
}

bool Xenstore::remove(std::string const& path) {
  std::string ignored;
  return ask(xs_rm, path + '\0', ignored);
}

bool Xenstore::watch(std::string const& path) {
  std::string ignored;
  return ask(xs_watch, path + '\0' + "pegasus" + '\0', ignored);
}

bool Xenstore::wait(int timeout_ms) {
  using namespace std::chrono;
  if (std::exchange(fired_, false)) return true;
  pollfd watched{file_, POLLIN, 0};
  int ready = 0;
  auto const end = steady_clock::now() + milliseconds(timeout_ms);
  do { // a signal does not shorten the wait
    auto const left = ceil<milliseconds>(end - steady_clock::now()).count();
    ready = poll(&watched, 1, static_cast<int>(std::max<decltype(left)>(left, 0)));
  } while (ready < 0 && errno == EINTR);
  if (ready <= 0) return false;
  std::uint32_t type = 0;
  std::string payload;
  return receive(type, payload) && type == xs_watch_event;
}

} // namespace pegasus::frontend
