// SPDX-License-Identifier: Apache-2.0
// xenstored as the backend sees it: nodes, and watches that fire. A program that links it has these functions of
// libxenstore instead of the library's: nothing else of the backend differs.
//
// As xenstored: a node's parents are made with it; removal takes the nodes below; a watch fires when it is set, for
// its node and all below it, and for its node if that vanishes with one above it; events that were fired are still
// delivered after the watch is gone.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pegasus::xen::testing {

class FakeStore {
public:
  struct Event {
    std::string path, token;
  };
  // What the backend does, before it is done. Each may be empty.
  struct Hooks {
    std::function<void(Event const&)> takes;
    std::function<void(std::string const& path)> reads;
    std::function<void(std::string const& path, std::string const& value)> writes;
    std::function<void(std::string const& path)> removes;
  };
  static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

  static FakeStore& get(); // the one that xs_open() opens
  void reset();

  // What the toolstack and guests do.
  void write(std::string const& path, std::string const& value);
  bool remove(std::string const& path); // false if neither it nor its parent exists
  void introduce_domain() { fire("@introduceDomain"); }
  void release_domain() { fire("@releaseDomain"); }
  void fire_again(std::size_t index); // the event of that index once more, after the others

  [[nodiscard]] std::optional<std::string> read(std::string const& path) const;
  [[nodiscard]] bool exists(std::string const& path) const { return nodes_.contains(path); }
  [[nodiscard]] std::vector<std::string> list(std::string const& path) const;
  [[nodiscard]] std::size_t fired() const { return events_.size(); } // and not taken yet
  [[nodiscard]] std::size_t watches() const { return watches_.size(); }
  void deliver(std::size_t events) {
    deliverable_ = events;
  } // no more than so many can be taken; at first: all

  // For the functions of libxenstore.
  [[nodiscard]] Hooks const& hooks() const { return hooks_; }
  void set_hooks(Hooks hooks) { hooks_ = std::move(hooks); }
  bool watch(std::string const& path, std::string const& token);
  bool unwatch(std::string const& path, std::string const& token);
  void unwatch_all() { watches_.clear(); }
  [[nodiscard]] std::optional<Event> take();

private:
  using Nodes = std::map<std::string, std::string, std::less<>>;
  void fire(std::string const& path);
  void make_parents(std::string_view path);

  Nodes nodes_;
  std::vector<std::pair<std::string, std::string>> watches_; // path, token
  std::deque<Event> events_;
  std::size_t deliverable_ = all;
  Hooks hooks_;
};

} // namespace pegasus::xen::testing
