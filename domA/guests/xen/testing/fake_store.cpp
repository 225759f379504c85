// SPDX-License-Identifier: Apache-2.0
#include "domA/guests/xen/testing/fake_store.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

extern "C" {
#include <xenstore.h>
}

namespace pegasus::xen::testing {
namespace {

bool is_below(std::string_view path, std::string_view above) {
  return path.size() > above.size() && path.starts_with(above) && path[above.size()] == '/';
}

std::string_view parent_of(std::string_view path) { return path.substr(0, path.rfind('/')); }

} // namespace

FakeStore& FakeStore::get() {
  static FakeStore store;
  return store;
}

void FakeStore::reset() { *this = {}; }

void FakeStore::make_parents(std::string_view path) {
  for (std::string_view parent = parent_of(path); !parent.empty(); parent = parent_of(parent))
    nodes_.try_emplace(std::string(parent));
}

void FakeStore::write(std::string const& path, std::string const& value) {
  make_parents(path);
  nodes_[path] = value;
  fire(path);
}

bool FakeStore::remove(std::string const& path) {
  auto const found = nodes_.find(path);
  if (found == nodes_.end()) return nodes_.contains(parent_of(path));
  nodes_.erase(found);
  auto const first = nodes_.lower_bound(path + '/');
  auto const last =
      std::find_if(first, nodes_.end(), [&](auto const& node) { return !is_below(node.first, path); });
  for (auto node = first; node != last; ++node)
    for (auto const& [watched, token] : watches_)
      if (watched == node->first) events_.push_back({watched, token});
  nodes_.erase(first, last);
  fire(path);
  return true;
}

void FakeStore::fire_again(std::size_t index) {
  if (index < events_.size()) events_.push_back(Event(events_[index]));
}

std::optional<std::string> FakeStore::read(std::string const& path) const {
  auto const found = nodes_.find(path);
  return found == nodes_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> FakeStore::list(std::string const& path) const {
  std::vector<std::string> names;
  for (auto node = nodes_.lower_bound(path + '/'); node != nodes_.end() && is_below(node->first, path);
       ++node)
    if (parent_of(node->first) == path) names.push_back(node->first.substr(path.size() + 1));
  return names;
}

void FakeStore::fire(std::string const& path) {
  for (auto const& [watched, token] : watches_)
    if (path == watched || is_below(path, watched)) events_.push_back({path, token});
}

bool FakeStore::watch(std::string const& path, std::string const& token) {
  if (std::ranges::find(watches_, std::pair(path, token)) != watches_.end()) return false;
  watches_.emplace_back(path, token);
  events_.push_back({path, token});
  return true;
}

bool FakeStore::unwatch(std::string const& path, std::string const& token) {
  return std::erase(watches_, std::pair(path, token)) != 0;
}

std::optional<FakeStore::Event> FakeStore::take() {
  if (events_.empty() || deliverable_ == 0) return std::nullopt;
  if (deliverable_ != all) --deliverable_;
  Event event = std::move(events_.front());
  events_.pop_front();
  if (hooks_.takes) hooks_.takes(event);
  return event;
}

} // namespace pegasus::xen::testing

namespace {

using pegasus::xen::testing::FakeStore;

// A relative path is one of the domain that asks.
std::string whole(char const* path) {
  return *path == '/' || *path == '@' ? path : std::string("/local/domain/0/") + path;
}

// One block, as libxenstore returns it: pointers, then what they point to.
char** block_of(std::vector<std::string> const& texts) {
  std::size_t bytes = (texts.size() + 1) * sizeof(char*);
  for (std::string const& text : texts)
    bytes += text.size() + 1;
  auto** const block = static_cast<char**>(std::malloc(bytes));
  char* next = reinterpret_cast<char*>(block + texts.size() + 1);
  for (std::size_t n = 0; n < texts.size(); ++n) {
    block[n] = next;
    std::memcpy(next, texts[n].c_str(), texts[n].size() + 1);
    next += texts[n].size() + 1;
  }
  return block;
}

bool answer(bool done, int error) {
  if (!done) errno = error;
  return done;
}

} // namespace

extern "C" {

xs_handle* xs_open(unsigned long) { return reinterpret_cast<xs_handle*>(&FakeStore::get()); }
void xs_close(xs_handle*) { FakeStore::get().unwatch_all(); }
int xs_fileno(xs_handle*) { return -1; }

void* xs_read(xs_handle*, xs_transaction_t, char const* path, unsigned* bytes) {
  FakeStore& store = FakeStore::get();
  if (store.hooks().reads) store.hooks().reads(whole(path));
  auto const value = store.read(whole(path));
  if (!answer(value.has_value(), ENOENT)) return nullptr;
  *bytes = static_cast<unsigned>(value->size());
  void* const copy = std::malloc(value->size() + 1);
  std::memcpy(copy, value->c_str(), value->size() + 1);
  return copy;
}

char** xs_directory(xs_handle*, xs_transaction_t, char const* path, unsigned* count) {
  FakeStore const& store = FakeStore::get();
  if (!answer(store.exists(whole(path)), ENOENT)) return nullptr;
  auto const names = store.list(whole(path));
  *count = static_cast<unsigned>(names.size());
  return block_of(names);
}

bool xs_write(xs_handle*, xs_transaction_t, char const* path, void const* data, unsigned bytes) {
  FakeStore& store = FakeStore::get();
  std::string const value(static_cast<char const*>(data), bytes);
  if (store.hooks().writes) store.hooks().writes(whole(path), value);
  store.write(whole(path), value);
  return true;
}

bool xs_mkdir(xs_handle* handle, xs_transaction_t transaction, char const* path) {
  return FakeStore::get().exists(whole(path)) || xs_write(handle, transaction, path, "", 0);
}

bool xs_set_permissions(xs_handle*, xs_transaction_t, char const* path, xs_permissions*, unsigned) {
  return answer(FakeStore::get().exists(whole(path)), ENOENT);
}

bool xs_rm(xs_handle*, xs_transaction_t, char const* path) {
  FakeStore& store = FakeStore::get();
  if (store.hooks().removes) store.hooks().removes(whole(path));
  return answer(store.remove(whole(path)), ENOENT);
}

bool xs_watch(xs_handle*, char const* path, char const* token) {
  return answer(FakeStore::get().watch(whole(path), token), EEXIST);
}

bool xs_unwatch(xs_handle*, char const* path, char const* token) {
  return answer(FakeStore::get().unwatch(whole(path), token), ENOENT);
}

char** xs_check_watch(xs_handle*) {
  auto const event = FakeStore::get().take();
  if (!answer(event.has_value(), EAGAIN)) return nullptr;
  static_assert(XS_WATCH_PATH == 0 && XS_WATCH_TOKEN == 1);
  return block_of({event->path, event->token});
}
}
