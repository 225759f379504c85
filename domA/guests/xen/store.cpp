// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/store.h"

#include "control/quantity.h"
#include "domA/guests/xen/nodes.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>

namespace pegasus::xen {
namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
template <class T> using Allocated = std::unique_ptr<T, Free>;

} // namespace

tl::expected<Store, std::string> Store::open() {
  StoreHandle handle(xs_open(0));
  if (!handle)
    return tl::unexpected(fmt::format(
        "cannot talk to xenstored: {}: is it running, and is this user allowed to?", std::strerror(errno)));
  int const fd = xs_fileno(handle.get());
  fcntl(fd, F_SETFD, fcntl(fd, F_GETFD) | FD_CLOEXEC);
  return Store(std::move(handle));
}

std::optional<std::string> Store::read(std::string const& path) {
  unsigned int bytes = 0;
  Allocated<void> const value(xs_read(handle_.get(), XBT_NULL, path.c_str(), &bytes));
  if (!value) return std::nullopt;
  return std::string(static_cast<char const*>(value.get()), bytes);
}

std::optional<std::uint64_t> Store::number(std::string const& path, std::uint64_t most) {
  auto const text = read(path);
  return text ? control::whole_number(*text, 0, most) : std::nullopt;
}

std::vector<std::string> Store::list(std::string const& path) {
  unsigned int count = 0;
  Allocated<char*> const names(xs_directory(handle_.get(), XBT_NULL, path.c_str(), &count));
  return names ? std::vector<std::string>(names.get(), names.get() + count) : std::vector<std::string>();
}

bool Store::write(std::string const& path, std::string const& value) {
  return xs_write(handle_.get(), XBT_NULL, path.c_str(), value.data(), static_cast<unsigned>(value.size()));
}

bool Store::make_directory(std::string const& path, unsigned owner, unsigned reader) {
  xs_permissions permissions[2] = {{owner, XS_PERM_NONE}, {reader, XS_PERM_READ}};
  return xs_mkdir(handle_.get(), XBT_NULL, path.c_str()) &&
         xs_set_permissions(handle_.get(), XBT_NULL, path.c_str(), permissions, 2);
}

bool Store::remove(std::string const& path) { return xs_rm(handle_.get(), XBT_NULL, path.c_str()); }

bool Store::watch(std::string const& path, std::string const& token) {
  return xs_watch(handle_.get(), path.c_str(), token.c_str());
}

void Store::unwatch(std::string const& path, std::string const& token) {
  xs_unwatch(handle_.get(), path.c_str(), token.c_str());
}

std::optional<Store::Event> Store::next_event() {
  Allocated<char*> const event(xs_check_watch(handle_.get()));
  if (!event) return std::nullopt;
  return Event{event.get()[XS_WATCH_PATH], event.get()[XS_WATCH_TOKEN]};
}

} // namespace pegasus::xen
